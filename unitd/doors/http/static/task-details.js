/** One task: what it is, what it listens to, and its actions. */

import { useState } from "preact/hooks";

import { html, Icon } from "./html.js";
import { effectOf, hearsClients, isTaskId } from "./links.js";
import { useRights } from "./rights.js";
import { useStore } from "./store.js";

const CAN_BE_INTERRUPTED = ["llm", "vlm", "tts", "melotts"];

export function TaskDetails({ daemon, microphone, task, close }) {
  const [problem, setProblem] = useState("");
  const { mayUse, words } = useRights(daemon);
  const act = (action) => async () => {
    setProblem("");
    await daemon.act(task.work_id, action).catch((error) => setProblem(error.message));
  };
  const isPaused = task.state === "paused";
  return html`
    <div class="details" role="region" aria-label=${`Task ${task.work_id}`}>
      <button class="quiet square close" aria-label="Close" onClick=${close}><${Icon} name="close" /></button>
      <dl>
        <div><dt>Task</dt><dd class="mono">${task.work_id}</dd></div>
        <div>
          <dt>Model</dt>
          <dd>${task.model}${task.served_by !== task.model && ` (${task.served_by})`}</dd>
        </div>
        <div><dt>Set up</dt><dd>${timeOf(task.created)} over ${task.door}</dd></div>
        <div class="wide"><dt>Listens to</dt><dd>${sources(task)}</dd></div>
      </dl>
      <div class="actions">
        <button disabled=${!mayUse} onClick=${act(isPaused ? "work" : "pause")}>
          <${Icon} name=${isPaused ? "resume" : "pause"} />${isPaused ? "Resume" : "Pause"}
        </button>
        ${
          CAN_BE_INTERRUPTED.includes(task.unit) &&
          html`<button disabled=${!mayUse} onClick=${act("cancel")}><${Icon} name="interrupt" />Interrupt</button>`
        }
        ${hearsClients(task) && html`<${HearButton} ...${{ microphone, mayUse }} workId=${task.work_id} />`}
        <button class="danger" disabled=${!mayUse} onClick=${act("exit")}>End task</button>
      </div>
      ${task.note && html`<p class="note">${task.note}.</p>`}
      ${task.reason && html`<p class="note failed" role="status">${task.reason}.</p>`}
      ${!mayUse && html`<p class="note">${words}</p>`}
      ${problem && html`<p class="note failed" role="alert">${problem}</p>`}
    </div>
  `;
}

/** This browser's microphone as the ear of any task that takes audio from clients. */
function HearButton({ microphone, mayUse, workId }) {
  const sinks = useStore(microphone.sinks);
  const { problem } = useStore(microphone.state);
  const isOn = sinks.includes(workId);
  return html`
    <button
      aria-pressed=${isOn}
      disabled=${!mayUse}
      onClick=${() => (isOn ? microphone.leave(workId) : microphone.hearWith(workId))}
    >
      <${Icon} name="microphone" />${isOn ? "Stop listening" : "Listen with this microphone"}
    </button>
    ${problem && html`<p class="note" role="status">${problem}</p>`}
  `;
}

function sources({ work_id: workId, inputs_: inputs }) {
  if (inputs.length === 0) return "nothing yet";
  return inputs.map((source, at) => {
    const effect = isTaskId(source) ? effectOf(source, workId) : WORDS[source];
    const name = html`<span class="mono">${source}</span>`;
    return html`<span key=${source}>${at > 0 && ", "}${name}${effect && ` (${effect})`}</span>`;
  });
}

const WORDS = { "sys.pcm": "the board's microphone", buttons_thread: "the board's button" };

function timeOf(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString([], { hour12: false });
}
