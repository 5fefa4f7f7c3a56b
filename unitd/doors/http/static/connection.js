/** How the page stands with the daemon: a light, a banner while it is away, the key where one is needed. */

import { useEffect, useRef, useState } from "preact/hooks";

import { html } from "./html.js";
import { useStore } from "./store.js";

const WORDS = { open: "Connected", connecting: "Connecting", waiting: "Not connected", refused: "Locked" };

export function ConnectionLight({ daemon }) {
  const { phase } = useStore(daemon.connection);
  return html`
    <span class="light ${phase}" role="status"><span class="dot" aria-hidden="true"></span>${WORDS[phase]}</span>
  `;
}

export function ConnectionBanner({ daemon }) {
  const { phase, retryAt, isRetry } = useStore(daemon.connection);
  const seconds = useSecondsUntil(phase === "waiting" ? retryAt : null);
  if (phase !== "waiting" && !isRetry) return null;
  return html`
    <div class="banner">
      <span role="alert">The daemon does not answer.</span>
      <span>${seconds > 0 ? `Next try in ${seconds} s.` : "Trying again."}</span>
      <button onClick=${() => daemon.wire.retryNow()}>Try now</button>
    </div>
  `;
}

/** Asked for once; it stays in this tab, and goes only to this daemon. */
export function KeyDialog({ daemon }) {
  const { phase } = useStore(daemon.connection);
  const dialog = useRef(null);
  const field = useRef(null);
  useEffect(() => {
    if (phase === "refused") dialog.current.showModal();
    else if (phase === "open") dialog.current.close();
  }, [phase]);
  const onSubmit = (event) => {
    event.preventDefault();
    daemon.enter(field.current.value);
  };
  return html`
    <dialog ref=${dialog} aria-labelledby="key-title" onCancel=${(event) => event.preventDefault()}>
      <form onSubmit=${onSubmit}>
        <h2 id="key-title">This daemon asks for a key</h2>
        <p>It is the <code>api_key</code> of the table <code>[http]</code> in its configuration.</p>
        <input class="hidden" autocomplete="username" value="unitd" tabindex="-1" aria-hidden="true" readonly />
        <label>Key<input type="password" name="key" autocomplete="current-password" required ref=${field} /></label>
        ${phase === "refused" && daemon.hasKey && html`<p class="note failed" role="alert">This is not the key.</p>`}
        <button class="primary" disabled=${phase === "connecting"}>Enter</button>
      </form>
    </dialog>
  `;
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
