/** Pictures for the chat: buttons for a file and for the camera, what is attached, and what is in the way of it. */

import { useEffect, useId, useRef, useState } from "preact/hooks";

import { html, Icon } from "./html.js";
import { useStore } from "./store.js";

const VISION = "vision";

/** Returns why the conversation's model cannot be shown pictures; "" when it can, or while that is not known. */
export function useBlindness(daemon, conversation) {
  const models = useStore(daemon.models);
  const usual = useStore(daemon.usualModel);
  const chosen = useStore(conversation.model);
  const name = chosen === "default" ? usual : chosen;
  const row = models?.find(({ type, mode }) => type === "llm" && mode === name);
  if (!row || row.capabilities.includes(VISION)) return "";
  const others = models.some((other) => other.type === "llm" && other.installed && other.capabilities.includes(VISION));
  return `${name} sees no pictures. ${others ? "Choose a model that does." : "Those do whose card names vision."}`;
}

/** Returns why this browser has no camera for the page, or "". */
function obstacle() {
  if (!isSecureContext) return "Browsers hand the camera only to pages that come over https or from localhost.";
  return navigator.mediaDevices?.getUserMedia ? "" : "This browser has no camera for pages.";
}

export function PictureButtons({ attachments, blindness, isOpen }) {
  const [hint, setHint] = useState("");
  const [isFilming, film] = useState(false);
  const input = useRef(null);
  const note = useId();
  const problem = useStore(attachments.problem);
  useEffect(() => (setHint(""), attachments.problem.set("")), [blindness]);
  const words = problem || hint;
  const press = (reason, go) => () => (reason ? setHint(hint ? "" : reason) : (setHint(""), go()));
  const onChange = ({ target }) => {
    attachments.add([...target.files]);
    target.value = ""; // the same file may be chosen again
  };
  return html`
    <div class="picture-buttons">
      <input ref=${input} type="file" accept="image/*" multiple hidden aria-label="Picture file" onChange=${onChange} />
      <button
        type="button"
        class="quiet square"
        aria-label="Picture"
        title="Shows the model a picture; dropped and pasted ones are taken too"
        aria-describedby=${words ? note : undefined}
        disabled=${!isOpen}
        onClick=${press(blindness, () => input.current.click())}
      >
        <${Icon} name="picture" />
      </button>
      <button
        type="button"
        class="quiet square"
        aria-label="Camera"
        title="Shows the model what the camera sees"
        aria-describedby=${words ? note : undefined}
        disabled=${!isOpen}
        onClick=${press(blindness || obstacle(), () => film(true))}
      >
        <${Icon} name="camera" />
      </button>
      ${words && html`<p class="note" id=${note} role="status">${words}</p>`}
      ${isFilming && html`<${CameraDialog} attachments=${attachments} onClose=${() => film(false)} />`}
    </div>
  `;
}

/** What goes with the next question. */
export function Thumbnails({ attachments }) {
  const pictures = useStore(attachments.pictures);
  if (pictures.length === 0) return null;
  return html`
    <ul class="thumbnails" aria-label="Attached pictures">
      ${pictures.map(
        ({ id, url }, at) => html`
          <li key=${id}>
            <img src=${url} alt=${`Picture ${at + 1}`} />
            <button type="button" aria-label=${`Remove picture ${at + 1}`} onClick=${() => attachments.remove(id)}>
              <${Icon} name="close" />
            </button>
          </li>
        `,
      )}
    </ul>
  `;
}

/** The camera's film, and a button that takes a picture of it; the camera is on while this is open. */
function CameraDialog({ attachments, onClose }) {
  const dialog = useRef(null);
  const film = useRef(null);
  const [problem, setProblem] = useState("");
  const [isOn, setOn] = useState(false);
  useEffect(() => {
    dialog.current.showModal();
    return filmInto(film.current, setProblem);
  }, []);
  const onTake = () => {
    const { videoWidth: width, videoHeight: height } = film.current;
    attachments.addPicture(film.current, { width, height });
    onClose();
  };
  return html`
    <dialog ref=${dialog} class="camera" aria-label="Camera" onClose=${onClose}>
      <video ref=${film} autoplay muted playsinline onLoadedData=${() => setOn(true)}></video>
      ${problem && html`<p class="note failed" role="status">${problem}</p>`}
      <div class="camera-buttons">
        <button type="button" onClick=${() => dialog.current.close()}>Cancel</button>
        <button type="button" class="primary" disabled=${!isOn} onClick=${onTake}>Take picture</button>
      </div>
    </dialog>
  `;
}

/** Shows what the camera sees; returns what ends that, also while the browser still asks whether it may. */
function filmInto(film, tell) {
  let isOver = false;
  const opening = navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment", width: { ideal: 1280 } } });
  const stop = (stream) => stream.getTracks().forEach((track) => track.stop());
  opening.then(
    (stream) => (isOver ? stop(stream) : (film.srcObject = stream)),
    (error) => isOver || tell(`There is no camera: ${error.message}.`),
  );
  return () => {
    isOver = true;
    if (film.srcObject) stop(film.srcObject);
  };
}
