/** The conversation on the page: the turns, and the field to write the next one in. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { filesIn } from "./attachments.js";
import { useFollowing } from "./following.js";
import { html, Icon } from "./html.js";
import { MicrophoneButton } from "./microphone-button.js";
import { PictureButtons, Thumbnails, useBlindness } from "./picture-tools.js";
import { useRights } from "./rights.js";
import { useStore } from "./store.js";

const EXAMPLES = ["tell me a story", "what is 12 times 7?", "tell me a joke"];
const RUNNING = ["waiting", "speaking", "held"];

export function Chat({ daemon, conversation, microphone, attachments }) {
  const turns = useStore(conversation.turns);
  const workId = useStore(conversation.workId);
  const { phase } = useStore(daemon.connection);
  const tools = useStore(daemon.tools);
  const standIn = useStore(daemon.tasks)?.find((task) => task.work_id === workId)?.note;
  const { mayUse, words } = useRights(daemon);
  const isOpen = phase === "open" && mayUse;
  const running = turns.findLast((turn) => turn.who === "unit" && RUNNING.includes(turn.state));
  const field = useRef(null);
  const blindness = useBlindness(daemon, conversation);
  const onFiles = (event, transfer) => {
    const files = filesIn(transfer);
    if (files.length === 0) return;
    event.preventDefault();
    if (!blindness && isOpen) attachments.add(files);
    else attachments.problem.set(blindness || "Not connected.");
  };
  const onEnd = () => (conversation.end(), field.current.focus());
  const onExample = (text) => (conversation.ask(text), field.current.focus());
  return html`
    <section
      class="panel chat"
      id="chat"
      aria-labelledby="chat-title"
      onDragOver=${(event) => event.preventDefault()}
      onDrop=${(event) => onFiles(event, event.dataTransfer)}
      onPaste=${(event) => onFiles(event, event.clipboardData)}
    >
      <header class="panel-head">
        <h2 id="chat-title">Chat</h2>
        ${workId && html`<span class="chip mono">${workId}</span>`}
        <span class="spring"></span>
        <${ModelChoice} daemon=${daemon} conversation=${conversation} />
        <button class="quiet" disabled=${turns.length === 0 && !workId} onClick=${onEnd}>End</button>
      </header>
      ${standIn && html`<p class="note stand-in" role="status">${standIn}.</p>`}
      <${Turns} turns=${turns} ...${{ tools, onExample, isOpen }} obstacle=${mayUse ? "" : words} />
      <${Composer}
        ...${{ field, conversation, microphone, attachments, blindness, running, isOpen, mayUse }}
      />
    </section>
  `;
}

/** Only where there is a choice; a conversation that has begun keeps its model. */
function ModelChoice({ daemon, conversation }) {
  const models = useStore(daemon.models) ?? [];
  const workId = useStore(conversation.workId);
  const names = models.filter((row) => row.type === "llm" && row.installed && row.mode === row.model);
  if (names.length < 2) return null;
  return html`
    <label class="choice">
      <span class="hidden">Model</span>
      <select disabled=${workId !== null} onChange=${(event) => conversation.model.set(event.target.value)}>
        <option value="default">default model</option>
        ${names.map(({ mode }) => html`<option key=${mode} value=${mode}>${mode}</option>`)}
      </select>
    </label>
  `;
}

function Turns({ turns, ...beginning }) {
  return html`
    <div class="turns" role="log" aria-label="Conversation" tabindex="0" ...${useFollowing(turns)}>
      ${turns.length === 0 && html`<${Beginning} ...${beginning} />`}
      ${turns.map((turn) => html`<${Turn} key=${turn.id} ...${turn} />`)}
    </div>
  `;
}

/** What is offered can be done: a device is switched only where the board has one. */
function Beginning({ tools, onExample, isOpen, obstacle }) {
  const device = tools?.find(({ name, entities }) => name === "turn_on" && entities.length > 0)?.entities[0];
  const examples = device ? [`turn on the ${device}`, ...EXAMPLES.slice(0, 2)] : EXAMPLES;
  return html`
    <div class="beginning">
      <p>${obstacle || "Ask the language model on this board."}</p>
      <div class="examples">
        ${examples.map(
          (text) => html`<button key=${text} disabled=${!isOpen} onClick=${() => onExample(text)}>${text}</button>`,
        )}
      </div>
    </div>
  `;
}

function Turn({ who, text, pictures, calls, state, note, figures }) {
  const isBusy = ["waiting", "speaking", "hearing"].includes(state);
  return html`
    <article class="turn ${who} ${state}" aria-busy=${isBusy} aria-label=${who === "you" ? "You" : "Answer"}>
      ${
        calls.length > 0 &&
        html`<ul class="calls" aria-label="Tools used">
          ${calls.map((call, at) => html`<li key=${at} class="chip mono">${call}</li>`)}
        </ul>`
      }
      ${
        pictures.length > 0 &&
        html`<div class="pictures">
          ${pictures.map((url, at) => html`<img key=${at} src=${url} alt=${`Picture ${at + 1}`} />`)}
        </div>`
      }
      <p class="words">
        ${text}
        ${state === "waiting" && html`<span class="dots" role="img" aria-label="thinking"><i /><i /><i /></span>`}
        ${state === "speaking" && html`<span class="caret" aria-hidden="true"></span>`}
      </p>
      ${
        (note || figures || state === "held") &&
        html`<p class="under">
        ${state === "held" && html`<span class="state paused">Paused</span>`}
        ${note && html`<span class=${state === "failed" ? "state failed" : "state"}>${note}</span>`}
        ${figures && html`<span class="number">${figures}</span>`}
      </p>`
      }
    </article>
  `;
}

function Composer({ field, conversation, microphone, attachments, blindness, running, isOpen, mayUse }) {
  const [text, setText] = useState("");
  const pictures = useStore(attachments.pictures);
  const isReady = isOpen && (text.trim() !== "" || pictures.length > 0);
  const isHeld = running?.state === "held";
  const send = () => {
    if (!isReady) return;
    if (pictures.length > 0 && blindness) {
      attachments.problem.set(blindness);
      return;
    }
    const urls = attachments.take().map(({ url }) => url);
    conversation.ask(text.trim(), urls);
    setText("");
  };
  const onKeyDown = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && running) {
      conversation.interrupt();
    }
  };
  useEffect(() => fitHeight(field.current), [text]);
  // Who works by keyboard is not left without a place when the button pressed last is switched off.
  useLayoutEffect(() => {
    if (document.activeElement?.matches("#chat :disabled:focus-visible")) field.current.focus();
  });
  return html`
    <form class="composer" onSubmit=${(event) => (event.preventDefault(), send())}>
      <${Thumbnails} attachments=${attachments} />
      <div class="writing">
        <textarea
          ref=${field}
          rows="1"
          aria-label="Message"
          placeholder=${!mayUse ? "Not allowed" : isOpen ? "Message" : "Not connected"}
          disabled=${!mayUse}
          value=${text}
          onInput=${(event) => setText(event.target.value)}
          onKeyDown=${onKeyDown}
        ></textarea>
        <${PictureButtons} ...${{ attachments, blindness, isOpen }} />
      </div>
      <div class="tools">
        <${MicrophoneButton} microphone=${microphone} isOpen=${isOpen} />
        <div class="answering">
          <button
            type="button"
            disabled=${!running}
            title="Cuts the answer (Escape)"
            onClick=${() => conversation.interrupt()}
          >
            <${Icon} name="interrupt" /><span class="word">Interrupt</span>
          </button>
          <button
            type="button"
            disabled=${!running}
            onClick=${() => (isHeld ? conversation.resume() : conversation.pause())}
          >
            <${Icon} name=${isHeld ? "resume" : "pause"} /><span class="word">${isHeld ? "Resume" : "Pause"}</span>
          </button>
          <button type="submit" class="primary" disabled=${!isReady} aria-label="Send">
            <${Icon} name="send" />
          </button>
        </div>
      </div>
    </form>
  `;
}

/** The field grows with what is written; its largest height is the style's. */
function fitHeight(field) {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}
