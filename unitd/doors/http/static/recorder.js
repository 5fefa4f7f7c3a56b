/** Runs in the audio thread: the microphone as 16 kHz PCM, posted ten times a second. */

import { RATE, Resampler, toPcm } from "./resampler.js";

const CHUNK_SAMPLES = RATE / 10;

class Recorder extends AudioWorkletProcessor {
  #resampler = new Resampler(sampleRate);
  #chunk = new Int16Array(CHUNK_SAMPLES);
  #filled = 0;

  process([channels]) {
    if (channels.length > 0) this.#take(toPcm(this.#resampler.push(mono(channels))));
    return true;
  }

  #take(samples) {
    for (const sample of samples) {
      this.#chunk[this.#filled++] = sample;
      if (this.#filled === CHUNK_SAMPLES) {
        this.port.postMessage(this.#chunk.buffer, [this.#chunk.buffer]);
        this.#chunk = new Int16Array(CHUNK_SAMPLES);
        this.#filled = 0;
      }
    }
  }
}

function mono(channels) {
  if (channels.length === 1) return channels[0];
  return channels[0].map((_, at) => channels.reduce((sum, channel) => sum + channel[at], 0) / channels.length);
}

registerProcessor("recorder", Recorder);
