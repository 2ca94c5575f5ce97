/**
 * Owns a map that forgets.
 *
 * Invariant: it never holds more than `limit` entries; anyone who was touched longest ago goes first.
 */
export class BoundedMap<Value> {
  readonly #limit: number;
  readonly #entries = new Map<string, Value>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  /** The entry of `key`, made where there is none; it is the one touched last. */
  touch(key: string, make: () => Value): Value {
    const known = this.#entries.get(key);
    const value = known === undefined ? make() : known;
    if (known !== undefined) this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#trim();
    return value;
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#trim();
  }

  delete(key: string): boolean {
    return this.#entries.delete(key);
  }

  keys(): IterableIterator<string> {
    return this.#entries.keys();
  }

  values(): IterableIterator<Value> {
    return this.#entries.values();
  }

  #trim(): void {
    if (this.#entries.size > this.#limit) forgetOldest(this.#entries);
  }
}

/** Takes out what was put in first. */
export function forgetOldest<Key>(kept: Map<Key, unknown> | Set<Key>): void {
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    return;
  }
}
