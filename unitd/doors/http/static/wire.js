/**
 * The wire over a WebSocket: requests out, replies in, told apart by request_id.
 *
 * When the socket closes everything that waits fails, and a new one is tried after a while that doubles each time and
 * is never exactly the same, so that a hundred open pages do not fall upon a daemon that has just come back. A socket
 * that is refused for its key (1008) is not tried again until `open` is called with another one. A socket that answers
 * nothing for a while, as after a sleep of this machine or a change of its network, is given up. What the daemon says
 * before it closes a socket (a key that is not known, no seat) is told with the state that follows.
 */

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 10_000;
const CLOSED_FOR_KEY = 1008;
// The daemon answers in milliseconds, and looks at the board take a quarter of a second.
const LONGEST_SILENCE_MS = 8_000;

/** What the daemon answers instead of doing what it was asked; `code` is the wire's. */
export class WireError extends Error {
  constructor({ code, message }) {
    super(message || `error ${code}`);
    this.code = code;
  }
}

/** The socket closed before the answer came. */
export class ConnectionLost extends Error {
  constructor() {
    super("the connection to the daemon was lost");
  }
}

export class Wire {
  #socket = null;
  #number = 0;
  #attempt = 0;
  #retry = 0;
  #key = "";
  #waiting = new Map();
  #unansweredSince = null;
  #refusal = null;
  #onState;

  /**
   * `onState` is told {phase: "connecting" | "open" | "waiting" | "refused", retryAt, isRetry}; "open" comes with
   * `grant`, {name, role} as the daemon knows this client, the others with `reason`, why it let the page not in, in its
   * words, or "", and "refused" with what it `accepts`: "token", "api_key".
   */
  constructor(onState) {
    this.#onState = onState;
    addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => document.hidden || this.retryNow());
  }

  /** Connects, with a key where one is needed. */
  open(key) {
    this.#key = key;
    this.#connect();
  }

  /** Tries at once what would be tried later. */
  retryNow() {
    if (this.#retry) this.#connect();
  }

  /** Gives a dead socket up; to be called now and then. */
  check() {
    if (this.#unansweredSince === null || performance.now() - this.#unansweredSince < LONGEST_SILENCE_MS) return;
    const dead = this.#socket;
    this.#socket = null;
    dead?.close();
    this.#onClose({ code: 0 });
  }

  /** Sends one request; `onReply` gets every reply to it until `forget`. Returns the request_id. */
  send(fields, onReply) {
    if (this.#socket?.readyState !== WebSocket.OPEN) throw new ConnectionLost();
    const requestId = fields.request_id ?? String(++this.#number);
    if (onReply) this.#waiting.set(requestId, { onReply });
    this.#socket.send(JSON.stringify({ object: "None", data: "None", ...fields, request_id: requestId }));
    return requestId;
  }

  forget(requestId) {
    this.#waiting.delete(requestId);
  }

  /** Bytes behind their header; replies come to `onReply` of the request with the same id, if there is one. */
  sendBytes(fields, bytes) {
    this.send({ RAW: bytes.byteLength, ...fields });
    this.#socket.send(bytes);
  }

  /** Bytes that have not left yet. */
  get unsentBytes() {
    return this.#socket?.bufferedAmount ?? 0;
  }

  /** Hears the replies to requests that are sent with an id of one's own; returns the id. */
  listen(onReply) {
    const requestId = String(++this.#number);
    this.#waiting.set(requestId, { onReply });
    return requestId;
  }

  /** One request, its one reply; throws a WireError when the reply is one. */
  ask(workId, action, data = "None") {
    return this.#firstReply({ work_id: workId, action, data }, (requestId) => this.forget(requestId));
  }

  /** One request that is answered by many frames: returns behind the last, throws when one of them is an error. */
  follow(workId, action, data, onFrame) {
    return new Promise((resolve, reject) => {
      const requestId = this.send({ work_id: workId, action, data }, (reply) => {
        const isGood = reply.error.code === 0;
        if (isGood) onFrame(reply.data);
        if (isGood && !reply.data.finish) return;
        this.forget(requestId);
        if (isGood) resolve();
        else reject(new WireError(reply.error));
      });
      this.#waiting.get(requestId).onLost = reject;
    });
  }

  /** A new task: its work_id. What it says without being asked comes to `onOutput`. */
  async setUp(unit, data, onOutput) {
    const reply = await this.#firstReply({ work_id: unit, action: "setup", data }, (requestId, isGood) => {
      if (isGood) this.#waiting.set(requestId, { onReply: onOutput });
      else this.forget(requestId);
    });
    return reply.work_id;
  }

  #firstReply(fields, afterwards) {
    return new Promise((resolve, reject) => {
      const requestId = this.send(fields, (reply) => {
        const isGood = reply.error.code === 0;
        afterwards(requestId, isGood);
        if (isGood) resolve(reply);
        else reject(new WireError(reply.error));
      });
      this.#waiting.get(requestId).onLost = reject;
      this.#unansweredSince ??= performance.now();
    });
  }

  #connect() {
    clearTimeout(this.#retry);
    this.#retry = 0;
    this.#onState({ phase: "connecting", isRetry: this.#attempt > 0, reason: this.#refusal?.message ?? "" });
    this.#refusal = null;
    const address = new URL("/ws/units", location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    if (this.#key) address.searchParams.set("api_key", this.#key);
    const socket = (this.#socket = new WebSocket(address));
    socket.addEventListener("message", (event) => socket === this.#socket && this.#onMessage(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => socket === this.#socket && this.#onClose(event));
    socket.addEventListener("open", () => this.#onOpen(socket));
  }

  /** A socket is accepted before its key is looked at: only an answer tells that we are in, and as whom. */
  #onOpen(socket) {
    const hello = { request_id: "hello", work_id: "sys", action: "whoami", object: "None", data: "None" };
    socket.send(JSON.stringify(hello));
  }

  #onMessage(reply) {
    this.#unansweredSince = null;
    if (reply.type === "error") {
      this.#refusal = reply; // the socket is closed behind it
    } else if (reply.request_id === "hello" && reply.error.code) {
      this.#refusal = reply.error;
      this.#socket.close();
    } else if (reply.request_id === "hello") {
      this.#attempt = 0;
      this.#onState({ phase: "open", grant: reply.data });
    } else {
      this.#waiting.get(reply.request_id)?.onReply(reply);
    }
  }

  #onClose(event) {
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#unansweredSince = null;
    const { message: reason = "", accepts } = this.#refusal ?? {};
    // An open socket whose token was revoked is closed without a word; the next try is told why.
    if (event.code === CLOSED_FOR_KEY && this.#refusal) {
      this.#onState({ phase: "refused", reason, accepts });
    } else {
      const pause = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#attempt++) * (0.7 + 0.6 * Math.random());
      this.#retry = setTimeout(() => this.#connect(), pause);
      this.#onState({ phase: "waiting", retryAt: Date.now() + pause, reason });
    }
    for (const { onLost } of lost) onLost?.(new ConnectionLost());
  }
}
