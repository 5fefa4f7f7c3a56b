/** A value that components are drawn from: who uses it is drawn again when it is set. */

import { useEffect, useState } from "preact/hooks";

export class Store {
  #value;
  #listeners = new Set();

  constructor(value) {
    this.#value = value;
  }

  get value() {
    return this.#value;
  }

  set(value) {
    if (value === this.#value) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener(value);
  }

  /** Calls back at every change; returns what ends that. */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The store's value inside a component. */
export function useStore(store) {
  const [value, setValue] = useState(store.value);
  useEffect(() => {
    setValue(store.value);
    return store.subscribe((now) => setValue(now));
  }, [store]);
  return value;
}
