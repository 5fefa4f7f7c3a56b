/**
 * Where the tasks and their links are drawn. Pure: rows of sys.lstask and a width in, coordinates out.
 *
 * A layer holds the tasks of units that do the same step of a spoken turn. Layers stand side by side where there is
 * room, else one below the other. A link to the next layer is a curve; one that passes a layer runs in the free lane
 * above the tasks; in a stack, every link that is not to the very next task runs in the margin. So none disappears
 * behind a task, and none seems to come out of one that it only passes.
 */

import { isTaskId } from "./links.js";

const LAYERS = [
  { title: "Wake word", units: ["kws"] },
  { title: "Voice activity", units: ["vad"], isOptional: true },
  { title: "Speech to text", units: ["asr", "whisper"] },
  { title: "Camera", units: ["camera"], isOptional: true },
  { title: "Language model", units: ["llm", "vlm"] },
  { title: "Voice", units: ["tts", "melotts"] },
  { title: "Other units", units: null, isOptional: true },
];
const KNOWN = LAYERS.flatMap((layer) => layer.units ?? []);

export const NODE_HEIGHT = 58;
const ROW_GAP = 30;
const TITLE_HEIGHT = 26;
const MOST_NODE_WIDTH = 208;
const LEAST_COLUMN = 148;
const LEAST_GAP = 36;
const STACKED_GAP = 16;
/** Free stripes for long links, in the gap above a row or in the margin of a stack. */
const LANES = 3;
const LANE = 6;
const MARGIN = 30;

/** {nodes: [{task, x, y, width}], edges: [{from, to, path}], titles, height, width, isStacked}. */
export function layout(tasks, width) {
  const layers = layersOf(tasks);
  const isStacked = width < layers.length * (LEAST_COLUMN + LEAST_GAP);
  const field = isStacked ? stack(layers, width) : spread(layers, width);
  const places = new Map(field.nodes.map((node) => [node.task.work_id, node]));
  const lanes = new Map();
  const edges = field.nodes.flatMap((target) =>
    target.task.inputs_
      .filter((source) => isTaskId(source) && places.has(source))
      .map((source) => edge(places.get(source), target, isStacked, lanes)),
  );
  return { ...field, edges, width, isStacked };
}

function layersOf(tasks) {
  const belongs = (task, { units }) => (units ? units.includes(task.unit) : !KNOWN.includes(task.unit));
  return LAYERS.map((layer) => ({ ...layer, tasks: tasks.filter((task) => belongs(task, layer)) }))
    .filter((layer) => !layer.isOptional || layer.tasks.length > 0)
    .map((layer, index) => ({ ...layer, index }));
}

/** Columns from left to right; a task stands in the row of what it listens to, where that is free. */
function spread(layers, width) {
  const pitch = width / layers.length;
  const nodeWidth = Math.min(MOST_NODE_WIDTH, pitch - LEAST_GAP);
  const rows = new Map();
  const nodes = layers.flatMap((layer) => {
    const x = layers.length === 1 ? 0 : (layer.index * (width - nodeWidth)) / (layers.length - 1);
    return inRows(layer.tasks, rows).map(({ task, row }) => ({
      task,
      x,
      y: TITLE_HEIGHT + ROW_GAP / 2 + row * (NODE_HEIGHT + ROW_GAP),
      width: nodeWidth,
      layer: layer.index,
    }));
  });
  const titles = layers.map((layer) => ({
    ...layer,
    x: (layer.index * (width - nodeWidth)) / Math.max(1, layers.length - 1),
    y: 0,
    width: nodeWidth,
  }));
  const count = Math.max(1, ...[...rows.values()].map((row) => row + 1));
  return { nodes, titles, height: TITLE_HEIGHT + count * (NODE_HEIGHT + ROW_GAP) };
}

function inRows(tasks, rows) {
  const wished = tasks.map((task) => {
    const sources = task.inputs_.filter((each) => rows.has(each)).map((each) => rows.get(each));
    return { task, wish: sources.length ? Math.round(sources.reduce((sum, row) => sum + row, 0) / sources.length) : 0 };
  });
  wished.sort((one, other) => one.wish - other.wish);
  let free = 0;
  return wished.map(({ task, wish }) => {
    const row = Math.max(free, wish);
    free = row + 1;
    rows.set(task.work_id, row);
    return { task, row };
  });
}

/** Every task in a row of its own, layers one below the other. */
function stack(layers, width) {
  let y = 0;
  let order = 0;
  const nodes = [];
  const titles = [];
  for (const layer of layers) {
    titles.push({ ...layer, x: MARGIN, y, width: width - MARGIN });
    y += TITLE_HEIGHT;
    for (const task of layer.tasks) {
      nodes.push({ task, x: MARGIN, y, width: width - MARGIN, layer: layer.index, order: order++ });
      y += NODE_HEIGHT + STACKED_GAP;
    }
    if (layer.tasks.length === 0) y += NODE_HEIGHT + STACKED_GAP;
  }
  return { nodes, titles, height: y };
}

function edge(from, to, isStacked, lanes) {
  const isLong = isStacked ? to.order - from.order !== 1 : Math.abs(to.layer - from.layer) > 1;
  const lane = isLong ? claimLane(lanes, from.task.work_id) : 0;
  const draw = isStacked ? (isLong ? stackedLong : stackedShort) : isLong ? spreadLong : spreadShort;
  return {
    from: from.task,
    to: to.task,
    path: draw(from, to, lane),
  };
}

/** All long links of one task share a lane: they are one message to several. */
function claimLane(lanes, workId) {
  if (!lanes.has(workId)) lanes.set(workId, lanes.size % LANES);
  return lanes.get(workId);
}

function spreadShort(from, to) {
  const [x1, y1, x2, y2] = [from.x + from.width, from.y + NODE_HEIGHT / 2, to.x, to.y + NODE_HEIGHT / 2];
  const bend = (x2 - x1) / 2;
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 1} ${y2}`;
}

/** Up from the source and along its lane; into a task of the same row from above, of another row from the left. */
function spreadLong(from, to, lane) {
  const goes = Math.sign(to.x - from.x);
  const r = 6;
  const x1 = from.x + from.width - 22;
  const laneY = from.y - 9 - lane * (LANE - 2);
  const start = `M${x1} ${from.y}V${laneY + r}Q${x1} ${laneY} ${x1 + r * goes} ${laneY}`;
  if (from.y === to.y) {
    const x2 = to.x + 22;
    return `${start}H${x2 - r * goes}Q${x2} ${laneY} ${x2} ${laneY + r}V${to.y - 1}`;
  }
  const x2 = to.x - 14;
  const y2 = to.y + NODE_HEIGHT / 2 - 12;
  const falls = Math.sign(y2 - laneY);
  const turn = `H${x2 - r * goes}Q${x2} ${laneY} ${x2} ${laneY + r * falls}`;
  return `${start}${turn}V${y2 - r * falls}Q${x2} ${y2} ${x2 + r} ${y2}H${to.x - 1}`;
}

/** At the right, where no layer's title stands. */
function stackedShort(from, to) {
  const x = from.x + from.width * 0.75;
  return `M${x} ${from.y + NODE_HEIGHT}V${to.y - 1}`;
}

/** Out at the left, along the margin, and in again a little higher than others go out. */
function stackedLong(from, to, lane) {
  const x = MARGIN - 12 - lane * LANE;
  const r = 5;
  const [y1, y2] = [from.y + NODE_HEIGHT - 16, to.y + 18];
  const falls = Math.sign(y2 - y1);
  const start = `M${from.x} ${y1}H${x + r}Q${x} ${y1} ${x} ${y1 + r * falls}`;
  return `${start}V${y2 - r * falls}Q${x} ${y2} ${x + r} ${y2}H${to.x - 1}`;
}
