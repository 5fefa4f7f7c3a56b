/** What the page knows of the daemon: a store for each thing it shows, filled over the wire while somebody looks. */

import { Store } from "./store.js";
import { afterEvent, inOrder, received } from "./timers.js";
import { Wire } from "./wire.js";

const TASKS_EVERY_MS = 1_000;
const BOARD_EVERY_MS = 2_000;
const MODELS_EVERY_MS = 30_000;
const PULLS_EVERY_MS = 1_000;

/** The window of the plots. */
export const WINDOW_SECONDS = 300;
const KEPT_LINES = 500;
const KEY = "unitd.key";

export class Daemon {
  /** {phase, retryAt, reason, …}, as the wire tells it. */
  connection = new Store({ phase: "connecting" });
  /** {name, role} of this client; an administrator's until the daemon has told. */
  grant = new Store({ name: "", role: "admin" });
  /** The rows of sys.lstask; null before the first answer. */
  tasks = new Store(null);
  /** The rows of sys.lsmode; null before the first answer. */
  models = new Store(null);
  /** The name of the chat model that "default" means; "" before the first answer. */
  usualModel = new Store("");
  /** Why a model could not be fetched or removed, by its name. */
  modelProblems = new Store({});
  /** The model that suits this board, {model, tokens_per_s, first_token_s}; null until it is asked for and measured. */
  suggestion = new Store(null);
  /** The rows of sys.lstools: the board's own tools; null before the first answer. */
  tools = new Store(null);
  /** The rows of sys.timer, each with `dueAt` by this page's clock, in the order in which they ring. */
  timers = new Store([]);
  /** Samples {at, cpu, memory, temperature, tokens}, oldest first; null where there is no value. */
  board = new Store([]);
  /** Lines {at, level, source, text, id}, oldest first. */
  log = new Store([]);

  #tokens = null;
  #lineNumber = 0;
  #nextList = 0;
  #looks = [
    [() => this.refreshTasks(), TASKS_EVERY_MS],
    [() => this.#measure(), BOARD_EVERY_MS],
    [() => this.#listModels(), MODELS_EVERY_MS],
  ];

  constructor() {
    this.wire = new Wire((state) => this.#onState(state));
    for (const [look, everyMs] of this.#looks) setInterval(() => this.#lookAt(look), everyMs);
    document.addEventListener("visibilitychange", () => this.#lookAtAll());
    this.wire.open(this.#key);
  }

  get isOpen() {
    return this.connection.value.phase === "open";
  }

  /** Connects with a key, which is kept for as long as this tab lives. */
  enter(key) {
    sessionStorage.setItem(KEY, key);
    this.wire.open(key);
  }

  /** True when a key was given, so a refusal means that it is wrong. */
  get hasKey() {
    return this.#key !== "";
  }

  /** One action on a task; the graph follows at once. */
  async act(workId, action, data) {
    const reply = await this.wire.ask(workId, action, data);
    await this.refreshTasks();
    return reply;
  }

  /** One request about timers; the frame that follows changes what is shown. */
  askTimer(data) {
    return this.wire.ask("sys", "timer", data);
  }

  async refreshTasks() {
    this.tasks.set((await this.wire.ask("sys", "lstask")).data);
  }

  /** Has the board measured, for who is about to fetch a model. */
  async suggest() {
    const { isMeasuring, model } = this.suggestion.value ?? {};
    if (isMeasuring || model || this.grant.value.role !== "admin") return;
    this.suggestion.set({ isMeasuring: true });
    try {
      this.suggestion.set((await this.wire.ask("sys", "suggest_model")).data);
    } catch (error) {
      this.suggestion.set({ model: null, problem: error.message });
    }
  }

  /** Fetches a model; the list shows how far it is. */
  pull(name) {
    const show = (download) => {
      const rows = this.models.value.map((row) => (row.mode === name ? { ...row, download } : row));
      this.models.set(rows);
    };
    return this.#changeModels(name, () => this.wire.follow("sys", "pull_model", name, show));
  }

  /** Deletes an installed model. */
  remove(name) {
    return this.#changeModels(name, () => this.wire.ask("sys", "rmmode", name));
  }

  async #changeModels(name, change) {
    this.modelProblems.set({ ...this.modelProblems.value, [name]: "" });
    try {
      await change();
    } catch (error) {
      this.modelProblems.set({ ...this.modelProblems.value, [name]: error.message });
    }
    await this.#lookAt(() => this.#listModels());
  }

  get #key() {
    return sessionStorage.getItem(KEY) ?? "";
  }

  #onState(state) {
    if (state.phase === "open") this.grant.set(state.grant);
    this.connection.set(state);
    if (state.phase !== "open") return;
    this.#tokens = null;
    if (this.grant.value.role === "admin") this.#followLog();
    this.#followTimers();
    this.#lookAt(() => this.#listTools());
    this.#lookAtAll();
  }

  #lookAtAll() {
    for (const [look] of this.#looks) this.#lookAt(look);
  }

  /** Only while somebody sees it. Each look asks anew, so a socket that has died is noticed by its silence. */
  async #lookAt(look) {
    if (document.hidden || !this.isOpen) return;
    this.wire.check();
    try {
      await look();
    } catch (error) {
      console.debug(error); // the connection is gone; the look is made again when it is back
    }
  }

  async #listModels() {
    clearTimeout(this.#nextList);
    const [{ data: rows }, listed] = await Promise.all([this.wire.ask("sys", "lsmode", "all"), this.#get("/v1/models")]);
    // Before the list: what the page says of the usual model follows from both.
    if (listed.ok) this.usualModel.set((await listed.json()).data[0]?.id ?? ""); // the configured one stands first
    this.models.set(rows);
    if (rows.some((row) => row.download)) {
      this.#nextList = setTimeout(() => this.#lookAt(() => this.#listModels()), PULLS_EVERY_MS);
    }
  }

  async #listTools() {
    this.tools.set((await this.wire.ask("sys", "lstools")).data);
  }

  /** The last lines, then the new ones as they are written. */
  #followLog() {
    this.log.set([]);
    const request = { work_id: "sys", action: "log", data: { lines: 200, subscribe: true } };
    this.wire.send(request, ({ data, error }) => {
      if (error.code) return;
      const lines = data.map((line) => ({ ...line, id: ++this.#lineNumber }));
      this.log.set([...this.log.value, ...lines].slice(-KEPT_LINES));
    });
  }

  /** All timers, then what becomes of them. */
  #followTimers() {
    this.wire.send({ work_id: "sys", action: "timer", data: { do: "subscribe" } }, ({ data, error }) => {
      if (error.code) return;
      this.timers.set(data.timers ? inOrder(data.timers.map(received)) : afterEvent(this.timers.value, data));
    });
  }

  async #measure() {
    const [{ data }, tokens] = await Promise.all([this.wire.ask("sys", "hwinfo"), this.#tokensPerSecond()]);
    const at = Date.now() / 1000;
    const sample = {
      at,
      cpu: data.cpu_loadavg,
      memory: data.mem,
      temperature: data.temperature ? data.temperature / 1000 : null,
      tokens,
    };
    this.board.set([...this.board.value.filter((each) => each.at > at - WINDOW_SECONDS), sample]);
  }

  #get(path) {
    return fetch(path, { headers: this.#key ? { "X-API-Key": this.#key } : {}, cache: "no-store" });
  }

  /** From two readings of the daemon's counters; null at the first. */
  async #tokensPerSecond() {
    const answer = await this.#get("/metrics");
    if (!answer.ok) return null;
    const now = { count: countTokens(await answer.text()), at: performance.now() };
    const before = this.#tokens;
    this.#tokens = now;
    return before && now.count >= before.count ? ((now.count - before.count) * 1000) / (now.at - before.at) : null;
  }
}

/** The pieces of answers that llm units have given so far: counted at once, tokens only when an answer ends. */
export function countTokens(metrics) {
  const counters = metrics.matchAll(/^unitd_deltas_total\{[^}]*unit="llm"[^}]*\} (\S+)/gm);
  return [...counters].reduce((sum, [, value]) => sum + Number(value), 0);
}
