/** How the page stands with the daemon: a light, a banner while it is away, the key where one is needed. */

import { useEffect, useRef, useState } from "preact/hooks";

import { html } from "./html.js";
import { useRights } from "./rights.js";
import { useStore } from "./store.js";

const WORDS = { open: "Connected", connecting: "Connecting", waiting: "Not connected", refused: "Locked" };

export function ConnectionLight({ daemon }) {
  const { phase } = useStore(daemon.connection);
  const { role, mayAdminister, words } = useRights(daemon);
  return html`
    ${phase === "open" && !mayAdminister && html`<span class="chip" title=${words}>${role}</span>`}
    <span class="light ${phase}" role="status"><span class="dot" aria-hidden="true"></span>${WORDS[phase]}</span>
  `;
}

export function ConnectionBanner({ daemon }) {
  const { phase, retryAt, isRetry, reason } = useStore(daemon.connection);
  const seconds = useSecondsUntil(phase === "waiting" ? retryAt : null);
  const words = reason ? `The daemon does not let this page in: ${reason}.` : "The daemon does not answer.";
  if (phase !== "waiting" && !isRetry) return null;
  return html`
    <div class="banner">
      <span role="alert">${words}</span>
      <span>${seconds > 0 ? `Next try in ${seconds} s.` : "Trying again."}</span>
      <button onClick=${() => daemon.wire.retryNow()}>Try now</button>
    </div>
  `;
}

/** Asked for once; it stays in this tab, and goes only to this daemon. */
export function KeyDialog({ daemon }) {
  const { phase, reason, accepts } = useStore(daemon.connection);
  const [asked, setAsked] = useState("token");
  const dialog = useRef(null);
  const field = useRef(null);
  useEffect(() => {
    if (phase === "refused") setAsked(accepts.join(" "));
    if (phase === "refused") dialog.current.showModal();
    else if (phase !== "connecting") dialog.current.close();
  }, [phase]);
  const { title, label, origin } = ASKED[asked];
  const onSubmit = (event) => {
    event.preventDefault();
    daemon.enter(field.current.value);
  };
  return html`
    <dialog ref=${dialog} aria-labelledby="key-title" onCancel=${(event) => event.preventDefault()}>
      <form onSubmit=${onSubmit}>
        <h2 id="key-title">${title}</h2>
        ${origin}
        <input class="hidden" autocomplete="username" value="unitd" tabindex="-1" aria-hidden="true" readonly />
        <label>
          ${label}
          <input type="password" name="key" autocomplete="current-password" required autofocus ref=${field} />
        </label>
        ${phase === "refused" && daemon.hasKey && html`<p class="note failed" role="alert">${sentence(reason)}</p>`}
        <button class="primary" disabled=${phase === "connecting"}>Enter</button>
      </form>
    </dialog>
  `;
}

const TOKEN = html`<p>On the board, <code>unitd token new NAME</code> makes one and shows it once.</p>`;
const API_KEY = html`<p>The key is the <code>api_key</code> of the table <code>[http]</code> in its configuration.</p>`;

/** By what the daemon accepts. */
const ASKED = {
  token: { title: "This board asks for a token", label: "Token", origin: TOKEN },
  api_key: { title: "This board asks for a key", label: "Key", origin: API_KEY },
  "api_key token": { title: "This board asks for a key or a token", label: "Key or token", origin: [API_KEY, TOKEN] },
};

function sentence(words) {
  return words && `${words[0].toUpperCase()}${words.slice(1)}.`;
}

function useSecondsUntil(moment) {
  const left = () => Math.max(0, Math.ceil(((moment ?? 0) - Date.now()) / 1000));
  const [seconds, setSeconds] = useState(left());
  useEffect(() => {
    setSeconds(left());
    if (moment === null) return undefined;
    const timer = setInterval(() => setSeconds(left()), 500);
    return () => clearInterval(timer);
  }, [moment]);
  return seconds;
}
