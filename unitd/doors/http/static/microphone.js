/**
 * The browser's microphone as the ear of tasks.
 *
 * The audio goes as raw 16-bit PCM to every task in `sinks`, whichever they are; it flows while there is one. For the
 * chat a speech-to-text task is set up and linked to the conversation's llm: what is heard becomes its prompt inside
 * the daemon, as with a board that has a microphone of its own.
 */

import { Store } from "./store.js";

// Two seconds of sound that a slow line has not taken: what comes after is lost rather than late.
const MOST_UNSENT_BYTES = 64_000;

/** Why this browser cannot be an ear here, or null when it can. */
export function obstacle() {
  if (!isSecureContext) {
    return (
      "Browsers hand the microphone only to pages that come over https or from localhost. " +
      `From this machine, ssh -L 8000:localhost:${location.port || 80} ${location.hostname} ` +
      "makes this page http://localhost:8000."
    );
  }
  if (!navigator.mediaDevices?.getUserMedia || !globalThis.AudioWorkletNode) {
    return "This browser cannot record sound.";
  }
  return null;
}

export class Microphone {
  /** {phase: "off" | "starting" | "on", level: 0 to 1, problem}. */
  state = new Store({ phase: "off", level: 0, problem: "" });
  /** The work_ids that hear. */
  sinks = new Store([]);
  /** The chat's own ear, null while it has none. */
  chatEar = new Store(null);

  #daemon;
  #conversation;
  #requests = new Map();
  #context = null;
  #stream = null;

  constructor(daemon, conversation) {
    this.#daemon = daemon;
    this.#conversation = conversation;
    daemon.connection.subscribe(({ phase }) => phase === "waiting" && this.#stop());
    daemon.tasks.subscribe((tasks) => tasks && this.#leaveEnded(tasks));
    conversation.workId.subscribe((workId) => workId === null && this.stopTalking());
  }

  /** Speaks to the chat: a task that hears, linked to the one that answers. */
  async talk() {
    if (!(await this.#start())) return;
    try {
      const llm = await this.#conversation.task();
      const ear = await this.#daemon.wire.setUp("asr", this.#earSetup(), () => {});
      this.chatEar.set(ear);
      await this.#daemon.act(llm, "link", ear);
      this.feed(ear, (reply) => this.#conversation.hear(reply.data.delta, reply.data.finish));
    } catch (error) {
      this.#fail(error);
    }
  }

  async stopTalking() {
    const ear = this.chatEar.value;
    if (!ear) return;
    this.chatEar.set(null);
    this.leave(ear);
    if (this.#daemon.isOpen) await this.#daemon.act(ear, "exit").catch((error) => console.debug(error));
  }

  /** Any task that takes audio from clients. */
  async hearWith(workId) {
    if (await this.#start()) this.feed(workId, () => {});
  }

  feed(workId, onOutput) {
    const requestId = this.#daemon.wire.listen((reply) => {
      if (reply.error.code === 0) return onOutput(reply);
      this.leave(workId);
      this.#fail(new Error(reply.error.message));
    });
    this.#requests.set(workId, requestId);
    this.sinks.set([...this.#requests.keys()]);
  }

  leave(workId) {
    this.#daemon.wire.forget(this.#requests.get(workId));
    this.#requests.delete(workId);
    this.sinks.set([...this.#requests.keys()]);
    if (this.#requests.size === 0) this.#stop();
  }

  /** The best ear that is installed: what somebody installed comes before what is bundled. */
  #earSetup() {
    const ears = (this.#daemon.models.value ?? []).filter((row) => row.type === "asr" && row.installed);
    return {
      model: ears[0]?.mode ?? "unitd-asr",
      response_format: "asr.utf-8.stream",
      input: "asr.base64",
      enoutput: true,
    };
  }

  async #start() {
    if (this.#context) return true;
    const problem = obstacle();
    if (problem) return this.#fail(new Error(problem));
    this.state.set({ phase: "starting", level: 0, problem: "" });
    try {
      const audio = { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true };
      this.#stream = await navigator.mediaDevices.getUserMedia({ audio });
      this.#context = new AudioContext();
      this.#context.resume();
      await this.#context.audioWorklet.addModule("/static/recorder.js");
    } catch (error) {
      return this.#fail(new Error(WORDS[error.name] ?? error.message));
    }
    const recorder = new AudioWorkletNode(this.#context, "recorder", { numberOfOutputs: 0 });
    recorder.port.onmessage = ({ data }) => this.#onChunk(data);
    this.#context.createMediaStreamSource(this.#stream).connect(recorder);
    this.state.set({ phase: "on", level: 0, problem: "" });
    return true;
  }

  #onChunk(buffer) {
    if (!this.#context) return;
    this.state.set({ ...this.state.value, level: loudness(new Int16Array(buffer)) });
    const wire = this.#daemon.wire;
    if (!this.#daemon.isOpen || wire.unsentBytes > MOST_UNSENT_BYTES) return;
    for (const [workId, requestId] of this.#requests) {
      const object = `${workId.split(".")[0]}.base64`;
      wire.sendBytes({ request_id: requestId, work_id: workId, action: "inference", object }, buffer);
    }
  }

  #leaveEnded(tasks) {
    for (const workId of this.#requests.keys()) {
      if (tasks.some((task) => task.work_id === workId)) continue;
      if (workId === this.chatEar.value) this.chatEar.set(null);
      this.leave(workId);
    }
  }

  #stop() {
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    this.#context?.close();
    this.#stream = this.#context = null;
    this.#requests.clear();
    this.sinks.set([]);
    this.chatEar.set(null);
    this.state.set({ phase: "off", level: 0, problem: this.state.value.problem });
  }

  #fail(error) {
    this.state.set({ ...this.state.value, problem: error.message });
    this.#stop();
    return false;
  }
}

const WORDS = {
  NotAllowedError: "The browser was told not to use the microphone; its address bar can change that.",
  NotFoundError: "There is no microphone on this machine.",
  NotReadableError: "Another program uses the microphone.",
};

/** From 0 to 1, in decibels from -60 to 0. */
function loudness(samples) {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  return Math.max(0, Math.min(1, 1 + (20 * Math.log10(Math.sqrt(power) / 32768 + 1e-6)) / 60));
}
