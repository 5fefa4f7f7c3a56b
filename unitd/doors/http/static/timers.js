/** The board's timers as they count down, with what ends them; nothing is shown while there are none. */

import { useEffect, useState } from "preact/hooks";

import { html } from "./html.js";
import { useRights } from "./rights.js";
import { useStore } from "./store.js";

const TICK_MS = 250;
const DAY_SECONDS = 86_400;

export function Timers({ daemon }) {
  const timers = useStore(daemon.timers);
  useTicks(timers.length > 0);
  if (timers.length === 0) return null;
  return html`
    <section class="timers" aria-label="Timers">
      ${timers.map((timer) => html`<${Timer} key=${timer.id} ...${{ daemon, timer }} />`)}
    </section>
  `;
}

function Timer({ daemon, timer }) {
  const { mayUse, words } = useRights(daemon);
  const [problem, setProblem] = useState("");
  const ask = (data) => daemon.askTimer(data).then(() => setProblem(""), ({ message }) => setProblem(message));
  const isRinging = timer.state === "ringing";
  const button = (title, data) =>
    html`<button type="button" disabled=${!mayUse} title=${words} onClick=${() => ask(data)}>${title}</button>`;
  return html`
    <div class=${`timer ${timer.state}`} role="group" aria-label=${titleOf(timer)}>
      <span class="title">${titleOf(timer)}</span>
      <span class="number" role=${isRinging ? "alert" : "timer"}>${figureOf(timer)}</span>
      ${isRinging && !timer.command && button("Stop", { do: "stop", id: timer.id })}
      ${isRinging && !timer.command && button("Snooze", { do: "snooze", id: timer.id })}
      ${!isRinging && button("Cancel", { do: "cancel", id: timer.id })}
      ${problem && html`<span class="problem" role="status">${problem}</span>`}
    </div>
  `;
}

/** The rows after a frame of `sys.timer`. */
export function afterEvent(timers, { event, timer }) {
  const others = timers.filter(({ id }) => id !== timer.id);
  const isOver = ["cancelled", "missed"].includes(event) || (event === "stopped" && timer.state === "ringing");
  return isOver ? others : inOrder([...others, received(timer)]);
}

/** A row with the time of this page's clock at which it is due: the clock of the board may be another one. */
export function received(timer) {
  return { ...timer, dueAt: performance.now() / 1000 + timer.left };
}

export function inOrder(timers) {
  const isPaused = ({ state }) => state === "paused";
  return [...timers].sort((a, b) => isPaused(a) - isPaused(b) || a.dueAt - b.dueAt || a.id - b.id);
}

function titleOf({ kind, name, command, seconds, time, area }) {
  const what = name || command || (kind === "alarm" ? `Alarm ${time}` : `Timer of ${spelled(seconds)}`);
  return area ? `${what} (${area})` : what;
}

function figureOf({ state, left, dueAt, missed, command }) {
  if (state === "ringing") return command ? "is being done" : missed ? `rings, ${spelled(missed)} late` : "rings";
  if (state === "paused") return `${spelled(left)}, paused`;
  return spelled(dueAt - performance.now() / 1000);
}

/** 0:09, 12:00, 1:00:00, 3 days. */
function spelled(seconds) {
  const whole = Math.max(0, Math.ceil(seconds - 0.05));
  if (whole >= 2 * DAY_SECONDS) return `${Math.floor(whole / DAY_SECONDS)} days`;
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** Draws again several times a second, while there is something to count. */
function useTicks(isOn) {
  const [, setTick] = useState(0);
  useEffect(() => {
    if (!isOn) return undefined;
    const ticking = setInterval(() => setTick((tick) => tick + 1), TICK_MS);
    return () => clearInterval(ticking);
  }, [isOn]);
}
