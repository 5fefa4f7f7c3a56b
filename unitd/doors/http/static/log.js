/** The last log lines; they follow as they are written, unless somebody has scrolled up to read. */

import { useFollowing } from "./following.js";
import { html } from "./html.js";
import { useRights } from "./rights.js";
import { useStore } from "./store.js";

export function Log({ daemon }) {
  const lines = useStore(daemon.log);
  const { mayAdminister } = useRights(daemon);
  const nothing = mayAdminister ? "Nothing has been logged yet." : "Only administrators see the log.";
  return html`
    <section class="panel log" id="log" aria-labelledby="log-title">
      <header class="panel-head"><h2 id="log-title">Log</h2></header>
      <ol class="scroll lines" tabindex="0" aria-label="Log lines" ...${useFollowing(lines)}>
        ${lines.length === 0 && html`<li class="none">${nothing}</li>`}
        ${lines.map(
          ({ id, at, level, source, text }) => html`
            <li key=${id} class=${level.toLowerCase()}>
              <time>${new Date(at * 1000).toLocaleTimeString([], { hour12: false })}</time>
              <span class="source">${source.replace(/^unitd\.?/, "") || "unitd"}</span>
              <span class="text">${level !== "INFO" && html`<b>${level}</b> `}${text}</span>
            </li>
          `,
        )}
      </ol>
    </section>
  `;
}
