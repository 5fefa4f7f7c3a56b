/**
 * One conversation with an llm task, as a list of turns.
 *
 * The task is set up with the first question and ends with the page or by `end`. A question that comes while an answer
 * is being said takes its place. What a linked ear hears becomes a prompt inside the daemon; its answer arrives as
 * output of the task itself and is a turn like every other.
 */

import { Store } from "./store.js";
import { ConnectionLost, WireError } from "./wire.js";

const SYSTEM_PROMPT = "You are a helpful assistant.";
const USUAL_QUESTION = "What do you see?";
const NO_SUCH_TASK = [-4, -6];
const TOOL_CALL = "llm.tool_call";
// The daemon's default of 127 cuts half of the bundled model's stories; of 20 none needs more than 150.
const MOST_TOKENS = 512;

export class Conversation {
  /**
   * {id, who: "you" | "unit", text, pictures, calls, note, figures,
   * state: hearing, waiting, speaking, held, done or failed};
   * `calls` are those of the board's tools, in words, `pictures` data: URLs.
   */
  turns = new Store([]);
  /** The llm task of this conversation, null before the first question. */
  workId = new Store(null);
  /** The name of the model that the next task is set up with. */
  model = new Store("default");

  #daemon;
  #settingUp = null;
  #number = 0;
  #running = null;
  #heard = null;

  constructor(daemon) {
    this.#daemon = daemon;
    daemon.connection.subscribe(({ phase }) => phase === "waiting" && this.#onLost());
    daemon.tasks.subscribe((tasks) => this.#follow(tasks));
  }

  /** Asks, in place of what is still being answered, with pictures as data: URLs. */
  async ask(question, pictures = []) {
    try {
      if (this.#running) await this.#makeWay();
      this.#add({ who: "you", text: question, pictures, state: "done" });
      await this.#send(question || USUAL_QUESTION, pictures);
    } catch (error) {
      this.#fail(error);
    }
  }

  interrupt() {
    return this.#act("cancel");
  }

  async pause() {
    await this.#act("pause");
    if (this.#running) this.#change(this.#running, { state: "held" });
  }

  async resume() {
    if (this.#running) this.#change(this.#running, { state: this.#stateOfRunning() });
    await this.#act("work");
  }

  /** Ends the task and begins anew. */
  async end() {
    const workId = this.workId.value;
    this.#forgetTask();
    this.turns.set([]);
    if (workId) await this.#daemon.act(workId, "exit");
  }

  /** The task, for whoever wants to link to it. */
  task() {
    this.#settingUp ??= this.#setUp().catch((error) => {
      this.#settingUp = null;
      throw error;
    });
    return this.#settingUp;
  }

  /** What an ear has understood so far; at the end of the utterance the daemon makes it a prompt. */
  hear(text, isFinal) {
    if (!text.trim()) return;
    this.#heard ??= this.#add({ who: "you", text, state: "hearing" });
    this.#change(this.#heard, { text, state: isFinal ? "done" : "hearing" });
    if (isFinal) this.#heard = null;
  }

  async #setUp() {
    const data = {
      model: this.model.value,
      response_format: "llm.utf-8.stream",
      input: "llm.utf-8",
      enoutput: true,
      prompt: SYSTEM_PROMPT,
      max_token_len: MOST_TOKENS,
      history: true,
      usage: true,
      tools: "auto", // the board's own; without any the model is told so, and claims nothing
    };
    const workId = await this.#daemon.wire.setUp("llm", data, (reply) => this.#onUnasked(reply));
    this.workId.set(workId);
    await this.#daemon.refreshTasks();
    return workId;
  }

  async #send(question, pictures, isSecondTry = false) {
    const answer = this.#begin();
    const workId = await this.task();
    const fields = { work_id: workId, action: "inference", object: "llm.utf-8", data: question };
    if (pictures.length > 0) fields.options = { images: pictures.map((url) => ({ image: url.split(",")[1] })) };
    const requestId = this.#daemon.wire.send(fields, (reply) => {
      const isGone = NO_SUCH_TASK.includes(reply.error.code) && !isSecondTry;
      if (!isGone) {
        this.#onFrame(answer, reply);
        if (isLast(reply)) this.#daemon.wire.forget(requestId);
        return;
      }
      // Somebody ended the task behind our back: a new one answers.
      this.#daemon.wire.forget(requestId);
      this.#forgetTask();
      this.#remove(answer);
      this.#send(question, pictures, true).catch((error) => this.#fail(error));
    });
  }

  /** The running answer ends, also a held one; its last frame comes before the reply. */
  async #makeWay() {
    await this.interrupt();
    const row = this.#daemon.tasks.value?.find((task) => task.work_id === this.workId.value);
    if (row?.state === "paused") await this.#act("work");
    this.#running = null;
  }

  async #act(action) {
    const workId = this.workId.value;
    if (!workId) return;
    try {
      await this.#daemon.act(workId, action);
    } catch (error) {
      if (!(error instanceof WireError) && !(error instanceof ConnectionLost)) throw error;
      if (this.#running) this.#change(this.#running, { note: error.message });
    }
  }

  /** Output that no request of ours asked for: the answer to something heard. */
  #onUnasked(reply) {
    if (!this.#running || this.#running.isAsked) this.#running = this.#begin({ isAsked: false });
    this.#onFrame(this.#running, reply);
  }

  #begin({ isAsked = true } = {}) {
    const turn = this.#add({ who: "unit", text: "", state: "waiting" });
    this.#running = { ...turn, isAsked, askedAt: performance.now(), firstAt: 0 };
    return this.#running;
  }

  #onFrame(answer, { object, data, error }) {
    if (error.code) {
      this.#finish(answer, { state: "failed", note: error.message });
      return;
    }
    if (object === TOOL_CALL) {
      answer.calls = [...answer.calls, inWords(data)];
      answer.understood ||= understanding(data);
      this.#change(answer, { calls: answer.calls });
      return;
    }
    if (data.delta) {
      answer.firstAt ||= performance.now();
      answer.lastAt = performance.now();
      answer.text += data.delta;
    }
    if (data.finish) {
      this.#finish(answer, { text: answer.text, state: "done", ...ending(answer, data) });
    } else {
      this.#change(answer, { text: answer.text, state: data.paused ? "held" : answer.text ? "speaking" : "waiting" });
    }
  }

  #finish(answer, fields) {
    if (this.#running === answer) this.#running = null;
    this.#change(answer, fields);
  }

  /** Others may pause and resume our task too. */
  #follow(tasks) {
    const row = tasks?.find((task) => task.work_id === this.workId.value);
    if (!row || !this.#running) return;
    this.#change(this.#running, { state: row.state === "paused" ? "held" : this.#stateOfRunning() });
  }

  #stateOfRunning() {
    return this.#running.text ? "speaking" : "waiting";
  }

  /** Our tasks have ended with the socket. */
  #onLost() {
    if (this.#running) this.#finish(this.#running, { state: "failed", note: "The connection was lost." });
    this.#forgetTask();
  }

  #forgetTask() {
    this.#settingUp = null;
    this.#running = null;
    this.#heard = null;
    this.workId.set(null);
  }

  #fail(error) {
    if (this.#running) this.#finish(this.#running, { state: "failed", note: error.message });
    else this.#add({ who: "unit", text: "", state: "failed", note: error.message });
  }

  #add(fields) {
    const turn = { id: ++this.#number, pictures: [], calls: [], note: "", figures: "", ...fields };
    this.turns.set([...this.turns.value, turn]);
    return turn;
  }

  #change({ id }, fields) {
    this.turns.set(this.turns.value.map((turn) => (turn.id === id ? { ...turn, ...fields } : turn)));
  }

  #remove({ id }) {
    this.turns.set(this.turns.value.filter((turn) => turn.id !== id));
  }
}

function isLast({ data, error }) {
  return error.code !== 0 || data.finish === true;
}

/** A call as people read it, the device first: set_brightness kitchen light 40. */
function inWords({ name, arguments: { entity, ...others } }) {
  return [name, entity, ...Object.values(others)].filter((each) => each !== undefined).join(" ");
}

/** By which way the board understood what a call is about, and after how long: recognised in 14 ms. */
function understanding({ by, ms }) {
  if (!by) return "";
  return by === "intent" ? `recognised in ${ms} ms` : `understood by the model in ${ms} ms`;
}

const NOTES = { interrupted: "Interrupted.", length: "Cut at the longest answer allowed." };

/** What is told under an answer that is over. */
function ending(answer, data) {
  const tokens = data.usage?.completion_tokens ?? 0;
  const figures = answer.understood ? [answer.understood] : [];
  if (answer.firstAt && answer.isAsked) figures.push(`first word ${Math.round(answer.firstAt - answer.askedAt)} ms`);
  if (tokens) figures.push(`${tokens} token${tokens === 1 ? "" : "s"}`);
  const seconds = (answer.lastAt - answer.firstAt) / 1000;
  if (tokens > 1 && seconds > 0.05) figures.push(`${Math.round((tokens - 1) / seconds)} tokens/s`);
  return { note: NOTES[data.finish_reason] ?? "", figures: figures.join(" · ") };
}
