/**
 * Owns how a limited space is shared by owners: values by key, each with a size and an owner.
 *
 * Invariants
 * 1. The sizes never exceed the limit in all.
 * 2. The owner with the largest part makes room, with its oldest values first. So no owner removes values of one who has less.
 */
export interface Placed<Value> {
  readonly owner: string | undefined;
  readonly size: number;
  readonly value: Value;
}

export class SharedSpace<Value> {
  readonly #placed = new Map<string, Placed<Value>>();
  readonly #parts = new Map<string | undefined, { size: number; readonly keys: Set<string> }>();
  #size = 0;

  /** The sum of all sizes. */
  get size(): number {
    return this.#size;
  }

  get count(): number {
    return this.#placed.size;
  }

  get(key: string): Value | undefined {
    return this.#placed.get(key)?.value;
  }

  /** All values, the oldest first. */
  entries(): IterableIterator<[string, Placed<Value>]> {
    return this.#placed.entries();
  }

  /** Replaces the value of the key. Returns what was removed to make room; `undefined`: there is none for it, and the others remain. */
  put(key: string, placed: Placed<Value>, limit: number): readonly (readonly [string, Value])[] | undefined {
    this.delete(key);
    const removed = this.#victims(placed, limit);
    if (removed === undefined) return undefined;
    for (const [each] of removed) this.delete(each);
    const part = this.#parts.get(placed.owner) ?? { size: 0, keys: new Set() };
    this.#parts.set(placed.owner, part);
    part.keys.add(key);
    part.size += placed.size;
    this.#size += placed.size;
    this.#placed.set(key, placed);
    return removed;
  }

  delete(key: string): boolean {
    const placed = this.#placed.get(key);
    if (placed === undefined) return false;
    const part = this.#parts.get(placed.owner);
    this.#placed.delete(key);
    this.#size -= placed.size;
    if (part === undefined) return true;
    part.keys.delete(key);
    part.size -= placed.size;
    if (part.keys.size === 0) this.#parts.delete(placed.owner);
    return true;
  }

  #victims({ owner, size }: Placed<Value>, limit: number): readonly (readonly [string, Value])[] | undefined {
    let excess = this.#size + size - limit;
    if (excess <= 0) return [];
    // The part of the new value's owner is the first, so it makes room among equals.
    const own = { size: size + (this.#parts.get(owner)?.size ?? 0), keys: this.#keysOf(owner) };
    const others = [...this.#parts.keys()].filter((other) => other !== owner);
    const parts = [own, ...others.map((other) => ({ size: this.#parts.get(other)?.size ?? 0, keys: this.#keysOf(other) }))];
    const victims: [string, Value][] = [];
    while (excess > 0) {
      const largest = parts.reduce((most, part) => (part.size > most.size ? part : most));
      const { value: key } = largest.keys.next();
      const victim = key === undefined ? undefined : this.#placed.get(key);
      if (key === undefined || victim === undefined) return undefined;
      victims.push([key, victim.value]);
      largest.size -= victim.size;
      excess -= victim.size;
    }
    return victims;
  }

  #keysOf(owner: string | undefined): Iterator<string, undefined> {
    return (this.#parts.get(owner)?.keys ?? new Set<string>()).values();
  }
}
