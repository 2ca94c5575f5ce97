/** Owns estimating the size of a value on the wire without serializing it. */

/** Deeper values are not expected, and could not be serialized. */
const maxDepth = 500;

/** Returns the bytes of JSON, without escapes. Stops counting beyond the limit. `Infinity` if the value is nested too deeply. */
export function sizeWithin(value: unknown, limit: number): number {
  return new Scale(limit).weigh(value);
}

class Scale {
  readonly #limit: number;
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  weigh(value: unknown): number {
    this.#visit(value, 0);
    return this.#size;
  }

  #visit(value: unknown, depth: number): void {
    if (typeof value === 'string') this.#size += bytesOf(value) + 2;
    else if (typeof value !== 'object' || value === null) this.#size += 5;
    else if (depth === maxDepth) this.#size = Infinity;
    else if (Array.isArray(value)) this.#visitItems(value, depth + 1);
    else this.#visitFields(value, depth + 1);
  }

  #visitItems(items: readonly unknown[], depth: number): void {
    this.#size += 2 + items.length;
    for (const item of items) {
      if (this.#size > this.#limit) return;
      this.#visit(item, depth);
    }
  }

  #visitFields(fields: object, depth: number): void {
    this.#size += 2;
    for (const key of Object.keys(fields)) {
      if (this.#size > this.#limit) return;
      this.#size += key.length + 4;
      this.#visit((fields as Readonly<Record<string, unknown>>)[key], depth);
    }
  }
}

/** Exact counting is not worth its cost for short strings. */
const bytesOf = (text: string): number => (text.length < 64 ? text.length : Buffer.byteLength(text));
