/**
 * Any sample rate to 16 kHz, block by block.
 *
 * A windowed sinc, cut off below the lower of both Nyquist frequencies, is laid at each wanted position; it is looked
 * up in a table of PHASES positions between two samples. Not every browser resamples a microphone by itself.
 */

export const RATE = 16_000;

const PHASES = 256;
const ZERO_CROSSINGS = 12;
// Of the lower Nyquist frequency: what the filter's slope needs.
const PASSED = 0.92;

export class Resampler {
  #step;
  #reach;
  #table;
  #pending = new Float32Array(0);
  #position;

  constructor(fromRate) {
    this.#step = fromRate / RATE;
    const cutoff = PASSED * Math.min(1, RATE / fromRate);
    this.#reach = Math.ceil(ZERO_CROSSINGS / cutoff);
    this.#table = kernels(cutoff, this.#reach);
    this.#position = this.#reach;
    this.#pending = new Float32Array(this.#reach);
  }

  /** Takes the next block; returns what it completes, the rest comes with the block after. */
  push(block) {
    const input = new Float32Array(this.#pending.length + block.length);
    input.set(this.#pending);
    input.set(block, this.#pending.length);
    const count = Math.max(0, Math.floor((input.length - this.#reach - 1 - this.#position) / this.#step) + 1);
    const output = new Float32Array(count);
    for (let each = 0; each < count; each++) output[each] = this.#at(input, this.#position + each * this.#step);
    this.#position += count * this.#step;
    const used = Math.floor(this.#position) - this.#reach;
    this.#pending = input.slice(used);
    this.#position -= used;
    return output;
  }

  #at(input, position) {
    const whole = Math.floor(position);
    const kernel = this.#table[Math.round((position - whole) * PHASES)];
    const start = whole - this.#reach + 1;
    let sum = 0;
    for (let tap = 0; tap < kernel.length; tap++) sum += input[start + tap] * kernel[tap];
    return sum;
  }
}

/** One kernel for each phase; the last is the first of the next sample. */
function kernels(cutoff, reach) {
  return Array.from({ length: PHASES + 1 }, (_, phase) => {
    const kernel = new Float32Array(2 * reach);
    for (let tap = 0; tap < kernel.length; tap++) {
      const distance = tap - reach + 1 - phase / PHASES;
      kernel[tap] = cutoff * sinc(cutoff * distance) * blackman(distance / reach);
    }
    return kernel;
  });
}

const sinc = (x) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

/** Blackman's, from -1 to 1. */
const blackman = (x) => (Math.abs(x) >= 1 ? 0 : 0.42 + 0.5 * Math.cos(Math.PI * x) + 0.08 * Math.cos(2 * Math.PI * x));

/** Samples from -1 to 1 as 16-bit PCM. */
export function toPcm(samples) {
  return Int16Array.from(samples, (value) => Math.round(Math.max(-1, Math.min(1, value)) * 32767));
}
