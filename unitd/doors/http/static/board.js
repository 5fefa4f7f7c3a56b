/** CPU, memory, temperature and tokens per second over the last minutes. */

import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";

import { WINDOW_SECONDS } from "./daemon.js";
import { html } from "./html.js";
import { useStore } from "./store.js";
import { look } from "./theme-choice.js";

const PLOT_HEIGHT = 44;
const LEAST_SECONDS = 60;
// Nothing is measured while nobody looks; a line across that time would be invented.
const GAP_SECONDS = 7;

const PLOTS = [
  { field: "cpu", title: "CPU", unit: "%", range: () => [0, 100] },
  { field: "memory", title: "Memory", unit: "%", range: () => [0, 100] },
  { field: "temperature", title: "Temperature", unit: "°C", range: () => [20, 100], absent: "no sensor" },
  { field: "tokens", title: "Tokens", unit: "/s", range: (_, least, most) => [0, Math.max(10, most * 1.15)] },
];

export function Board({ daemon }) {
  const samples = withGaps(useStore(daemon.board));
  return html`
    <section class="board" id="board" aria-label="The board over the last five minutes">
      ${PLOTS.map((plot) => html`<${Plot} key=${plot.field} ...${plot} samples=${samples} />`)}
    </section>
  `;
}

function Plot({ field, title, unit, range, absent, samples }) {
  const [pointed, setPointed] = useState(null);
  const shown = samples[pointed ?? samples.length - 1];
  const value = shown?.[field] ?? null;
  const isAbsent = absent && samples.length > 0 && samples.every((sample) => sample[field] === null);
  const figure = isAbsent ? absent : value === null ? "–" : `${Math.round(value)}`;
  const ago = pointed !== null && shown ? `${Math.round(samples.at(-1).at - shown.at)} s ago` : "";
  return html`
    <div class="panel plot">
      <header>
        <h2>${title}</h2>
        ${ago && html`<span class="ago">${ago}</span>`}
        <p class=${isAbsent ? "figure absent" : "figure number"}>
          ${figure}${!isAbsent && value !== null && html`<small>${unit}</small>`}
        </p>
      </header>
      <${Line} ...${{ field, title, range, samples, isAbsent }} onPoint=${setPointed} />
    </div>
  `;
}

function Line({ field, title, range, samples, isAbsent, onPoint }) {
  const place = useRef(null);
  const plot = useRef(null);
  const seen = useStore(look);
  useEffect(() => {
    plot.current = new uPlot(options(place.current, range, onPoint), [[], []], place.current);
    const observer = new ResizeObserver(([{ contentRect }]) =>
      plot.current.setSize({ width: Math.floor(contentRect.width), height: PLOT_HEIGHT }),
    );
    observer.observe(place.current);
    return () => {
      observer.disconnect();
      plot.current.destroy();
    };
  }, [seen]);
  useEffect(() => {
    plot.current.setData([samples.map(({ at }) => at), samples.map((sample) => sample[field])]);
  }, [samples, seen]);
  const marks = isAbsent ? "line-plot absent" : "line-plot";
  return html`<div class=${marks} ref=${place} role="img" aria-label=${`${title}, the last five minutes`}></div>`;
}

function options(place, range, onPoint) {
  const colour = getComputedStyle(place).color;
  return {
    width: place.clientWidth || 100,
    height: PLOT_HEIGHT,
    padding: [3, 0, 1, 0],
    legend: { show: false },
    axes: [{ show: false }, { show: false }],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 5, fill: colour } },
    scales: {
      x: { time: false, range: shownRange },
      y: { range },
    },
    series: [
      {},
      {
        stroke: colour,
        width: 1.5,
        fill: colour.replace("rgb(", "rgba(").replace(")", ", 0.12)"),
        points: { show: false },
      },
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.left >= 0 ? (cursor.idx ?? null) : null)] },
  };
}

/** The last minute at first, more as there is more to show. */
function shownRange(_, first, last) {
  const seconds = Math.min(WINDOW_SECONDS, Math.max(LEAST_SECONDS, (last ?? 0) - (first ?? 0)));
  return [(last ?? 0) - seconds, last ?? 0];
}

/** A sample without values wherever nobody looked for a while. */
function withGaps(samples) {
  return samples.flatMap((sample, at) => {
    const before = samples[at - 1];
    if (!before || sample.at - before.at < GAP_SECONDS) return [sample];
    return [{ at: before.at + 1, cpu: null, memory: null, temperature: null, tokens: null }, sample];
  });
}
