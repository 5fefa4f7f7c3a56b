/** What models there are: installed, being fetched, to be had, and names that another model answers for. */

import { useState } from "preact/hooks";

import { html } from "./html.js";
import { useRights } from "./rights.js";
import { useStore } from "./store.js";

const ORDER = ["llm", "asr", "kws", "tts", "vad"];
const STATES = { waiting: "waits to begin", checking: "is checked", unpacking: "is unpacked" };

export function Models({ daemon }) {
  const rows = useStore(daemon.models);
  const problems = useStore(daemon.modelProblems);
  const suggestion = useStore(daemon.suggestion);
  const { mayAdminister, words } = useRights(daemon);
  const actions = {
    pull: mayAdminister && ((name) => daemon.pull(name)),
    remove: mayAdminister && ((name) => daemon.remove(name)),
    suggest: () => daemon.suggest(),
  };
  return html`
    <section class="panel models" id="models" aria-labelledby="models-title">
      <header class="panel-head"><h2 id="models-title">Models</h2></header>
      <${ModelList} rows=${rows ?? []} ...${{ problems, suggestion, ...actions }} obstacle=${words} />
    </section>
  `;
}

/** `rows` are those of sys.lsmode; one with `download` is on its way. `obstacle` says why none is pulled or removed. */
export function ModelList({ rows, problems = {}, suggestion, pull, remove, suggest, obstacle }) {
  const { installed, coming, available, replaced } = sorted(rows, suggestion?.model);
  const toFetch = available.filter(({ mode }) => !problems[mode]);
  const failed = available.filter(({ mode }) => problems[mode]);
  const about = { problems, suggestion, pull, remove, obstacle };
  const offer = (row) => html`<${Available} key=${row.mode} ...${row} ...${about} />`;
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label="List of models">
      <ul class="rows">
        ${coming.map((row) => html`<${Download} key=${row.mode} ...${row} ...${about} />`)}
        ${failed.map(offer)}
        ${installed.map((row) => html`<${Installed} key=${row.mode} ...${row} ...${about} />`)}
      </ul>
      <${Folded} name="available" title=${`${toFetch.length} more to fetch`} rows=${toFetch} onOpen=${suggest}>
        <${Advice} ...${{ suggestion, obstacle }} />
        ${toFetch.map(offer)}
      <//>
      <${Folded} name="replaced" title=${`${replaced.length} more names are understood`} rows=${replaced}>
        ${replaced.map(
          ({ mode, model }) =>
            html`<li key=${mode}><span class="name">${mode}</span><span class="faint">${model} answers</span></li>`,
        )}
      <//>
    </div>
  `;
}

function Folded({ name, title, rows, onOpen, children }) {
  if (rows.length === 0) return null;
  return html`
    <details class=${`folded ${name}`} onToggle=${(event) => event.target.open && onOpen?.()}>
      <summary>${title}</summary>
      <ul class="rows">${children}</ul>
    </details>
  `;
}

/** Above the list: that the board is measured, why no model is suggested, or why none can be fetched. */
function Advice({ suggestion, obstacle }) {
  if (!obstacle && (!suggestion || suggestion.model)) return null;
  const none = suggestion?.problem || "No language model would answer fluently on this board.";
  const words = obstacle || (suggestion.isMeasuring ? "This board is measured, to suggest a model." : none);
  return html`<li class="note" role="status">${words}</li>`;
}

function Installed({ mode, type, note, size, bundled, suggestion, remove, obstacle, problems }) {
  return html`
    <li>
      <span class="kind">${type}</span>
      <span class="name">
        ${mode}<${Suggested} name=${mode} suggestion=${suggestion} />
        ${note && html`<small>${note}</small>`}
        <${Problem} words=${problems[mode]} />
      </span>
      ${size > 0 && html`<span class="number faint">${sizeWords(size)}</span>`}
      ${!bundled && html`<${RemoveButton} name=${mode} remove=${remove} obstacle=${obstacle} />`}
    </li>
  `;
}

/** Asks back: what is gone has to be fetched again. */
function RemoveButton({ name, remove, obstacle }) {
  const [isAsking, setAsking] = useState(false);
  const onClick = () => (isAsking ? remove(name) : setAsking(true));
  return html`
    <button class=${isAsking ? "danger" : "quiet"} onClick=${onClick} onBlur=${() => setAsking(false)}
      disabled=${!remove} title=${obstacle}
      aria-label=${isAsking ? `Really remove ${name}` : `Remove ${name}`}>${isAsking ? "Really?" : "Remove"}</button>
  `;
}

/** Marks the model that suits the board, with what is to be expected of it; draws nothing for the others. */
function Suggested({ name, suggestion }) {
  if (suggestion?.model !== name) return null;
  const { tokens_per_s: speed, first_token_s: first } = suggestion;
  const words = `about ${shortNumber(speed)} tokens/s on this board, the first after ${shortNumber(first)} s`;
  return html` <span class="chip suggested">suggested</span><small>${words}</small>`;
}

function Available({ mode, type, description, size, fits, suggestion, pull, obstacle, problems }) {
  const about = [sizeWords(size), fits === false && "too large for this board", description].filter(Boolean);
  const onClick = (event) => {
    event.currentTarget.closest(".scroll").scrollTop = 0; // where its bar will be
    pull(mode);
  };
  return html`
    <li>
      <span class="kind">${type}</span>
      <span class="name">
        ${mode}<${Suggested} name=${mode} suggestion=${suggestion} />
        <small>${about.join(", ")}</small>
        <${Problem} words=${problems[mode]} />
      </span>
      <button disabled=${!pull} title=${obstacle} onClick=${onClick} aria-label=${`Fetch ${mode}`}>Fetch</button>
    </li>
  `;
}

function Problem({ words }) {
  return words ? html`<small class="note failed" role="alert">${words}</small>` : null;
}

function Download({ mode, type, download, remove, obstacle }) {
  const { bytes, total } = download;
  const percent = total > 0 ? Math.floor((bytes / total) * 100) : 0;
  return html`
    <li class="coming">
      <span class="kind">${type}</span>
      <span class="name">${mode}
        <progress max=${total || 1} value=${bytes} aria-label=${`Download of ${mode}`}>${percent} %</progress>
        <small class="number">${wordsOf(download)}</small>
      </span>
      <button
        class="quiet"
        disabled=${!remove}
        title=${obstacle}
        onClick=${() => remove(mode)}
        aria-label=${`Cancel the download of ${mode}`}
      >
        Cancel
      </button>
    </li>
  `;
}

function wordsOf({ state, bytes, total, bytes_per_s: speed, seconds_left: left }) {
  if (STATES[state]) return STATES[state];
  const size = total > 0 ? `${sizeWords(bytes)} of ${sizeWords(total)}` : sizeWords(bytes);
  return speed > 0 ? `${size}, ${sizeWords(speed)}/s, ${timeWords(left)} left` : size;
}

/** Each list by kinds and names, the suggested model before all others. */
function sorted(rows, suggested) {
  const isLater = ({ mode }) => mode !== suggested;
  const byKind = (one, other) =>
    isLater(one) - isLater(other) || rank(one) - rank(other) || one.mode.localeCompare(other.mode);
  const isOwnName = (row) => row.mode === row.card;
  const here = rows.filter((row) => isOwnName(row) && !row.download);
  return {
    coming: rows.filter((row) => row.download).sort(byKind),
    installed: here.filter((row) => row.installed).sort(byKind),
    available: here.filter((row) => !row.installed && row.size > 0).sort(byKind),
    replaced: rows.filter((row) => row.mode !== row.model && !row.download).sort(byKind),
  };
}

const rank = ({ type }) => (ORDER.includes(type) ? ORDER.indexOf(type) : ORDER.length);

/** With two digits: 33, 4.2, 0.35. */
function shortNumber(value) {
  return value >= 10 ? Math.round(value) : Number(value.toPrecision(2));
}

/** 428 MB, 1.9 GB. */
function sizeWords(size) {
  const [unit, name] = size < 999.5e6 ? (size < 999.5e3 ? [1e3, "kB"] : [1e6, "MB"]) : [1e9, "GB"];
  const number = size / unit;
  return `${number < 9.95 ? number.toFixed(1) : Math.round(number)} ${name}`;
}

/** 20 s, 3 min, 2 h 10 min. */
function timeWords(seconds) {
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
