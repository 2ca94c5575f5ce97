/** Owns how large a value is on the wire, near enough, without writing it. */

/** Bytes of JSON, escapes left out. Stops counting beyond the limit. */
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
    this.#visit(value);
    return this.#size;
  }

  #visit(value: unknown): void {
    if (typeof value === 'string') this.#size += bytesOf(value) + 2;
    else if (typeof value !== 'object' || value === null) this.#size += 5;
    else if (Array.isArray(value)) this.#visitItems(value);
    else this.#visitFields(value);
  }

  #visitItems(items: readonly unknown[]): void {
    this.#size += 2 + items.length;
    for (const item of items) {
      if (this.#size > this.#limit) return;
      this.#visit(item);
    }
  }

  #visitFields(fields: object): void {
    this.#size += 2;
    for (const key of Object.keys(fields)) {
      if (this.#size > this.#limit) return;
      this.#size += key.length + 4;
      this.#visit((fields as Readonly<Record<string, unknown>>)[key]);
    }
  }
}

/** Counting short ones exactly costs more than it tells. */
const bytesOf = (text: string): number => (text.length < 64 ? text.length : Buffer.byteLength(text));
