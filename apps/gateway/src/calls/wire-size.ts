/** Owns how large a value is on the wire, near enough, without writing it. */

/** No honest value is nested deeper, and nobody could write it. */
const deepest = 500;

/** Bytes of JSON, escapes left out. Stops counting beyond the limit. Infinite for what is nested too deeply. */
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
    else if (depth === deepest) this.#size = Infinity;
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

/** Counting short ones exactly costs more than it tells. */
const bytesOf = (text: string): number => (text.length < 64 ? text.length : Buffer.byteLength(text));
