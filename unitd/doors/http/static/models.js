/** What models there are: installed, being downloaded, and names that another model answers for. */

import { html } from "./html.js";
import { useStore } from "./store.js";

const ORDER = ["llm", "asr", "kws", "tts", "vad"];

export function Models({ daemon }) {
  const rows = useStore(daemon.models);
  return html`
    <section class="panel models" id="models" aria-labelledby="models-title">
      <header class="panel-head"><h2 id="models-title">Models</h2></header>
      <${ModelList} rows=${rows ?? []} />
    </section>
  `;
}

/** `rows` are those of sys.lsmode; one with `download: {bytes, of}` is on its way. */
export function ModelList({ rows }) {
  const { installed, coming, replaced } = sorted(rows);
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label="List of models">
      <ul class="rows">
        ${coming.map((row) => html`<${Download} key=${row.mode} ...${row} />`)}
        ${installed.map((row) => html`<${Installed} key=${row.mode} ...${row} />`)}
      </ul>
      ${
        replaced.length > 0 &&
        html`<details class="replaced">
        <summary>${replaced.length} more names are understood</summary>
        <ul class="rows">
          ${replaced.map(
            ({ mode, model }) =>
              html`<li key=${mode}><span class="name">${mode}</span><span class="faint">${model} answers</span></li>`,
          )}
        </ul>
      </details>`
      }
    </div>
  `;
}

function Installed({ mode, type, note }) {
  return html`
    <li>
      <span class="kind">${type}</span>
      <span class="name">${mode}${note && html`<small>${note}</small>`}</span>
    </li>
  `;
}

function Download({ mode, type, download: { bytes, of } }) {
  const percent = of > 0 ? Math.floor((bytes / of) * 100) : 0;
  return html`
    <li class="coming">
      <span class="kind">${type}</span>
      <span class="name">${mode}
        <progress max=${of} value=${bytes} aria-label=${`Download of ${mode}`}>${percent} %</progress>
      </span>
      <span class="number faint">${percent} % of ${megabytes(of)}</span>
    </li>
  `;
}

function sorted(rows) {
  const byKind = (one, other) => rank(one) - rank(other) || one.mode.localeCompare(other.mode);
  const isOwnName = (row) => row.installed && row.mode === row.model;
  return {
    coming: rows.filter((row) => row.download).sort(byKind),
    installed: rows.filter((row) => isOwnName(row) && !row.download).sort(byKind),
    replaced: rows.filter((row) => !isOwnName(row) && !row.download).sort(byKind),
  };
}

const rank = ({ type }) => (ORDER.includes(type) ? ORDER.indexOf(type) : ORDER.length);

const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;
