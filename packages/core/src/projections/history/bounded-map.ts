/**
 * Owns a map of bounded size.
 *
 * Invariant: it never holds more than `limit` entries; the least recently touched is evicted first.
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

  /** Returns the entry of `key`, created when missing, and makes it the most recently touched. */
  touch(key: string, create: () => Value): Value {
    const known = this.#entries.get(key);
    const value = known === undefined ? create() : known;
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

/** Removes the entry that was inserted first. */
export function forgetOldest<Key>(kept: Map<Key, unknown> | Set<Key>): void {
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    return;
  }
}
