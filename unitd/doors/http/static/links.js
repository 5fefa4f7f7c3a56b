/** What one task does with another one's output, in words; the daemon's own table is in docs/protocol.md. */

const EFFECTS = {
  "kws llm": "a wake interrupts it",
  "kws tts": "a wake silences it",
  "kws asr": "a wake opens its ears",
  "kws vad": "a wake opens its ears",
  "vad asr": "the end of speech ends the utterance",
  "asr llm": "what was heard is the next prompt",
  "camera llm": "its newest frame goes with every question",
  "llm tts": "the answer is spoken while it is written",
};

const SERVED_BY = { vlm: "llm", whisper: "asr", melotts: "tts" };

export function unitOf(workId) {
  return workId.split(".")[0];
}

export function isTaskId(text) {
  return /^[^.]+\.\d+$/.test(text);
}

export function effectOf(source, target) {
  const [from, to] = [source, target].map((workId) => SERVED_BY[unitOf(workId)] ?? unitOf(workId));
  return EFFECTS[`${from} ${to}`] ?? "";
}

/** True for links that stop something instead of feeding it. */
export function isInterrupt(source, target) {
  return unitOf(source) === "kws" && ["llm", "vlm", "tts", "melotts"].includes(unitOf(target));
}

/** True when clients may send the task their own audio. */
export function hearsClients({ unit, inputs_: inputs }) {
  return ["kws", "asr", "whisper", "vad"].includes(unit) && inputs.some((each) => isOwnInput(each, unit));
}

function isOwnInput(entry, unit) {
  return !isTaskId(entry) && [unit, SERVED_BY[unit]].includes(unitOf(entry));
}
