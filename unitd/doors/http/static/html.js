/** Markup in template literals: what every component is written in. */

import htm from "htm";
import { h } from "preact";

export const html = htm.bind(h);

/** The icons, drawn on a grid of 16 with the colour of the text beside them. */
const SHAPES = {
  wake: "M3.5 6.4v3.2M8 3v10M12.5 6.4v3.2",
  microphone: "M8 1.8a2 2 0 0 0-2 2v4a2 2 0 0 0 4 0v-4a2 2 0 0 0-2-2M3.6 7.4a4.4 4.4 0 0 0 8.8 0M8 11.8v2.4",
  send: "M8 13.2V3M3.8 7.2 8 3l4.2 4.2",
  pause: "M5.4 3.4v9.2M10.6 3.4v9.2",
  resume: "M5 3.2v9.6l7.4-4.8z",
  interrupt: "M4 4h8v8H4z",
  picture: "M2 3.2h12v9.6H2zM2 10.6l3.4-3.2 3 2.8 2.2-2 3.4 3M10.8 5.6v.4",
  camera: "M2 4.8h2.8l1.1-1.6h4.2l1.1 1.6H14v8H2zM8 6.4a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6",
  close: "M4 4l8 8M12 4l-8 8",
  light:
    "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.4v1.4M8 13.2v1.4M1.4 8h1.4M13.2 8h1.4" +
    "M3.3 3.3l1 1M11.7 11.7l1 1M3.3 12.7l1-1M11.7 4.3l1-1",
  dark: "M13 9.6A5.6 5.6 0 0 1 6.4 3 5.6 5.6 0 1 0 13 9.6",
  auto: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 2v12M10.6 2.8v10.4M12.8 4.6v6.8",
};

export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=${SHAPES[name]} /></svg>`;
}
