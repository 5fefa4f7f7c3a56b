/** The conversation on the page: the turns, and the field to write the next one in. */

import { useEffect, useRef, useState } from "preact/hooks";

import { useFollowing } from "./following.js";
import { html, Icon } from "./html.js";
import { MicrophoneButton } from "./microphone-button.js";
import { useStore } from "./store.js";

const EXAMPLES = ["turn on the kitchen light", "tell me a story", "what is 12 times 7?"];
const RUNNING = ["waiting", "speaking", "held"];

export function Chat({ daemon, conversation, microphone }) {
  const turns = useStore(conversation.turns);
  const workId = useStore(conversation.workId);
  const { phase } = useStore(daemon.connection);
  const running = turns.findLast((turn) => turn.who === "unit" && RUNNING.includes(turn.state));
  return html`
    <section class="panel chat" id="chat" aria-labelledby="chat-title">
      <header class="panel-head">
        <h2 id="chat-title">Chat</h2>
        ${workId && html`<span class="chip mono">${workId}</span>`}
        <span class="spring"></span>
        <${ModelChoice} daemon=${daemon} conversation=${conversation} />
        <button class="quiet" disabled=${turns.length === 0} onClick=${() => conversation.end()}>End</button>
      </header>
      <${Turns} turns=${turns} onExample=${(text) => conversation.ask(text)} isOpen=${phase === "open"} />
      <${Composer}
        conversation=${conversation}
        microphone=${microphone}
        running=${running}
        isOpen=${phase === "open"}
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
      <select disabled=${workId !== null} onChange=${(event) => (conversation.model = event.target.value)}>
        <option value="default">default model</option>
        ${names.map(({ mode }) => html`<option key=${mode} value=${mode}>${mode}</option>`)}
      </select>
    </label>
  `;
}

function Turns({ turns, onExample, isOpen }) {
  return html`
    <div class="turns" role="log" aria-label="Conversation" tabindex="0" ...${useFollowing(turns)}>
      ${turns.length === 0 && html`<${Beginning} onExample=${onExample} isOpen=${isOpen} />`}
      ${turns.map((turn) => html`<${Turn} key=${turn.id} ...${turn} />`)}
    </div>
  `;
}

function Beginning({ onExample, isOpen }) {
  return html`
    <div class="beginning">
      <p>Ask the language model on this board.</p>
      <div class="examples">
        ${EXAMPLES.map(
          (text) => html`<button key=${text} disabled=${!isOpen} onClick=${() => onExample(text)}>${text}</button>`,
        )}
      </div>
    </div>
  `;
}

function Turn({ who, text, state, note, figures }) {
  const isBusy = ["waiting", "speaking", "hearing"].includes(state);
  return html`
    <article class="turn ${who} ${state}" aria-busy=${isBusy} aria-label=${who === "you" ? "You" : "Answer"}>
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

function Composer({ conversation, microphone, running, isOpen }) {
  const [text, setText] = useState("");
  const field = useRef(null);
  const isHeld = running?.state === "held";
  const send = () => {
    if (!text.trim() || !isOpen) return;
    conversation.ask(text.trim());
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
  return html`
    <form class="composer" onSubmit=${(event) => (event.preventDefault(), send())}>
      <textarea
        ref=${field}
        rows="1"
        aria-label="Message"
        placeholder=${isOpen ? "Message" : "Not connected"}
        value=${text}
        onInput=${(event) => setText(event.target.value)}
        onKeyDown=${onKeyDown}
      ></textarea>
      <div class="tools">
        <${MicrophoneButton} microphone=${microphone} isOpen=${isOpen} />
        <span class="spring"></span>
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
        <button type="submit" class="primary" disabled=${!text.trim() || !isOpen} aria-label="Send">
          <${Icon} name="send" />
        </button>
      </div>
    </form>
  `;
}

/** The field grows with what is written; its largest height is the style's. */
function fitHeight(field) {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}
