/** Speak instead of writing; where the browser cannot, the button says why. */

import { useId, useState } from "preact/hooks";

import { html, Icon } from "./html.js";
import { obstacle } from "./microphone.js";
import { useStore } from "./store.js";

export function MicrophoneButton({ microphone, isOpen }) {
  const { phase, level, problem } = useStore(microphone.state);
  const ear = useStore(microphone.chatEar);
  const [isExplaining, explain] = useState(false);
  const note = useId();
  const isOn = ear !== null;
  const words = problem || (isExplaining && obstacle());
  const onClick = () => {
    if (obstacle()) explain(!isExplaining);
    else if (isOn) microphone.stopTalking();
    else microphone.talk();
  };
  return html`
    <div class="microphone">
      <button
        type="button"
        class=${isOn ? "on" : ""}
        aria-pressed=${isOn}
        aria-describedby=${words ? note : undefined}
        disabled=${!isOpen || phase === "starting"}
        onClick=${onClick}
      >
        <${Icon} name="microphone" />${isOn ? "Listening" : "Talk"}
        ${isOn && html`<span class="level" style=${{ "--level": level }}></span>`}
      </button>
      ${words && html`<p class="note" id=${note} role="status">${words}</p>`}
    </div>
  `;
}
