/** Units and tasks as a live graph; a chosen task shows what it is and what can be done with it. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { layout, NODE_HEIGHT } from "./graph-layout.js";
import { html, Icon } from "./html.js";
import { isInterrupt, isTaskId } from "./links.js";
import { useRights } from "./rights.js";
import { useStore } from "./store.js";
import { TaskDetails } from "./task-details.js";

const BOARD_MICROPHONE = "sys.pcm";
const WAKE_TITLE = "Wake, as if the word had been heard";
const OUTCOME_MS = 1_400;
// Below this a wake word's task has no room for its model's name.
const NARROW = 190;

export function Graph({ daemon, microphone }) {
  const tasks = useStore(daemon.tasks);
  const [chosenId, choose] = useState(null);
  const chosen = tasks?.find((task) => task.work_id === chosenId);
  const panel = useRef(null);
  const close = () => {
    choose(null);
    document.getElementById(buttonOf(chosenId))?.focus();
  };
  // The task has ended, and with it the button that was pressed for that.
  useLayoutEffect(() => {
    if (!chosenId || chosen) return;
    choose(null);
    if (document.activeElement === document.body) panel.current.focus({ preventScroll: true });
  });
  return html`
    <section
      class="panel graph"
      ref=${panel}
      tabindex="-1"
      id="tasks"
      aria-labelledby="tasks-title"
      onKeyDown=${(event) => event.key === "Escape" && close()}
    >
      <header class="panel-head">
        <h2 id="tasks-title">Units and tasks</h2>
        <span class="spring"></span>
        ${
          tasks?.some(isInterrupted) &&
          html`<span class="aside legend">
            <svg width="22" height="4" aria-hidden="true"><path class="edge interrupts" d="M1 2H22" /></svg>interrupts
          </span>`
        }
        <span class="aside">${tasks && summary(tasks)}</span>
      </header>
      <${Field} daemon=${daemon} tasks=${tasks ?? []} chosenId=${chosenId} choose=${choose} />
      ${
        chosen &&
        html`<${TaskDetails} key=${chosenId} ...${{ daemon, microphone }} task=${chosen} close=${close} />`
      }
    </section>
  `;
}

const buttonOf = (workId) => `task-${workId}`;

function isInterrupted(task) {
  return task.inputs_.some((source) => isInterrupt(source, task.work_id));
}

function summary(tasks) {
  const counted = (state) => tasks.filter((task) => task.state === state).length;
  const parts = [`${tasks.length || "no"} task${tasks.length === 1 ? "" : "s"}`];
  for (const state of ["running", "paused", "loading", "failed"]) {
    if (counted(state)) parts.push(`${counted(state)} ${state}`);
  }
  return parts.join(" · ");
}

function Field({ daemon, tasks, chosenId, choose }) {
  const [field, width] = useWidth();
  const { mayUse } = useRights(daemon);
  const { nodes, edges, titles, height } = layout(tasks, width);
  return html`
    <div class="field" ref=${field}>
      <div class="canvas" style=${{ height: `${height}px` }}>
        ${titles.map(
          ({ title, x, y, width: titleWidth, tasks: members }) => html`
            <p key=${title} class="layer ${members.length ? "" : "empty"}" style=${place(x, y, titleWidth)}>${title}</p>
          `,
        )}
        <${Edges} edges=${edges} width=${width} height=${height} chosenId=${chosenId} />
        ${nodes.map(
          (node) => html`
            <${Node}
              key=${node.task.work_id}
              ...${node}
              isChosen=${node.task.work_id === chosenId}
              onChoose=${() => choose(node.task.work_id === chosenId ? null : node.task.work_id)}
              mayWake=${mayUse}
              onWake=${() => daemon.act(node.task.work_id, "trigger")}
            />
          `,
        )}
        ${titles
          .filter(({ tasks: members }) => members.length === 0)
          .map((title) => html`<p key=${title.title} class="vacant" style=${vacant(title)}>no task</p>`)}
      </div>
    </div>
  `;
}

function Edges({ edges, width, height, chosenId }) {
  return html`
    <svg class="edges" width=${width} height=${height} aria-hidden="true">
      <defs>
        <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M1 1 7 4 1 7" />
        </marker>
      </defs>
      ${edges.map(({ from, to, path }) => {
        const marks = [isInterrupt(from.work_id, to.work_id) && "interrupts", from.state === "running" && "flows"];
        if ([from.work_id, to.work_id].includes(chosenId)) marks.push("chosen");
        return html`<path
          key=${`${from.work_id} ${to.work_id}`}
          class=${["edge", ...marks].filter(Boolean).join(" ")}
          data-link=${`${from.work_id} ${to.work_id}`}
          d=${path}
          marker-end="url(#tip)"
        />`;
      })}
    </svg>
  `;
}

function Node({ task, x, y, width, isChosen, onChoose, mayWake, onWake }) {
  const marks = ["node", task.state, isChosen && "chosen", width < NARROW && "narrow"];
  const position = { ...place(x, y, width), height: `${NODE_HEIGHT}px` };
  return html`
    <div class=${marks.filter(Boolean).join(" ")} style=${position}>
      <button
        class="task"
        id=${buttonOf(task.work_id)}
        aria-expanded=${isChosen}
        aria-label=${inWords(task)}
        onClick=${onChoose}
      >
        <span class="line">
          <span class="dot" aria-hidden="true"></span>
          <span class="mono">${task.work_id}</span>
        </span>
        <span class="line">
          <span class="now">${task.state}${task.queue > 0 && html` · <b>${task.queue}</b> waiting`}</span>
          ${task.inputs_.includes(BOARD_MICROPHONE) && html`<${Icon} name="microphone" />`}
          ${task.queue === 0 && html`<span class="model">${task.served_by}</span>`}
        </span>
      </button>
      ${task.unit === "kws" && html`<${WakeButton} workId=${task.work_id} mayWake=${mayWake} onWake=${onWake} />`}
    </div>
  `;
}

/** A wake as if the word had been heard; says for a moment what came of it. */
function WakeButton({ workId, mayWake, onWake }) {
  const [outcome, setOutcome] = useState(null);
  useEffect(() => {
    if (!outcome) return undefined;
    const timer = setTimeout(() => setOutcome(null), OUTCOME_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const wake = async () => {
    try {
      await onWake();
      setOutcome({ word: "Woken", class: "woken" });
    } catch (error) {
      setOutcome({ word: "Not now", class: "refused", why: error.message });
    }
  };
  return html`
    <button
      class="wake ${outcome?.class ?? ""}"
      aria-label=${`Wake ${workId}`}
      disabled=${!mayWake}
      title=${outcome?.why ?? WAKE_TITLE}
      onClick=${wake}
    >
      <${Icon} name="wake" /><span class="word" aria-live="polite">${outcome?.word ?? "Wake"}</span>
    </button>
  `;
}

/** What the picture says, for those who do not see it. */
function inWords({ work_id: workId, served_by: model, state, queue, inputs_: inputs }) {
  const sources = inputs.filter(isTaskId);
  return [
    `${workId}, ${model}, ${state}`,
    queue > 0 && `${queue} waiting`,
    sources.length > 0 && `listens to ${sources.join(", ")}`,
    inputs.includes(BOARD_MICROPHONE) && "hears the board's microphone",
  ]
    .filter(Boolean)
    .join(", ");
}

const place = (x, y, width) => ({ transform: `translate(${x}px, ${y}px)`, width: `${width}px` });

const vacant = ({ x, y, width }) => ({ ...place(x, y + 41, width), height: `${NODE_HEIGHT}px` });

/** The width of an element, followed as the window changes. */
function useWidth() {
  const element = useRef(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
