/**
 * The pictures that go with the next question, scaled down here: a phone's camera makes ten megabytes of what a model
 * looks at in a few hundred pixels.
 */

import { Store } from "./store.js";

const LONGEST_SIDE = 1024;
const JPEG_QUALITY = 0.85;
// As base64 a noisy picture of that size has 0.6 MB, and a message to the daemon may have 8 MiB.
const MOST_PICTURES = 8;

export class Attachments {
  /** {id, url}: each picture as a data: URL of a JPEG. */
  pictures = new Store([]);
  /** Why something was not attached, or "". */
  problem = new Store("");

  #number = 0;

  /** Takes files of pictures; of others it says that they are none. */
  async add(files) {
    this.problem.set("");
    for (const file of files) {
      try {
        const bitmap = await createImageBitmap(file);
        this.addPicture(bitmap, bitmap);
        bitmap.close();
      } catch (error) {
        console.debug(error);
        this.problem.set(`${file.name || "This"} is no picture that the browser can read.`);
      }
    }
  }

  /** Takes what can be drawn: a bitmap, or the present moment of a film. */
  addPicture(source, { width, height }) {
    if (this.pictures.value.length >= MOST_PICTURES) {
      this.problem.set(`${MOST_PICTURES} pictures go with one question.`);
      return;
    }
    const url = scaledDown(source, width, height);
    this.pictures.set([...this.pictures.value, { id: ++this.#number, url }]);
  }

  remove(id) {
    this.problem.set("");
    this.pictures.set(this.pictures.value.filter((picture) => picture.id !== id));
  }

  /** Returns the pictures; from then on there are none. */
  take() {
    const taken = this.pictures.value;
    this.pictures.set([]);
    this.problem.set("");
    return taken;
  }
}

/** The picture as a JPEG of at most LONGEST_SIDE, what is transparent on white. */
function scaledDown(source, width, height) {
  const factor = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * factor));
  canvas.height = Math.max(1, Math.round(height * factor));
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(source, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/jpeg", JPEG_QUALITY);
}

/** The files in what is dropped or pasted; none in a text. */
export function filesIn(transfer) {
  return [...(transfer?.files ?? [])];
}
