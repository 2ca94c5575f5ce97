/** Owns shortening a structured result: long strings and long arrays are truncated. */
import { headOf } from '@holdfast/core/internal/plain';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { sizeWithin } from './wire-size.ts';

const maxDepth = 50;

/** Returns a value of at most about `limit` bytes; `undefined` if that is not possible. `mark` is appended to each truncated string. */
export function shrinkToFit(value: JsonObject, limit: number, mark: string): JsonObject | undefined {
  for (let texts = limit; texts >= 256; texts = Math.floor(texts / 4)) {
    const bounds = { texts, items: Math.max(Math.floor(texts / 16), 8), mark };
    // To measure takes a fraction of the time: most of a copy is garbage collection.
    const measuring = new Shrinking(bounds, limit, false);
    measuring.shrink(value, 0);
    // Names are never left out.
    if (measuring.hasTooManyNames) return undefined;
    if (measuring.isOver) continue;
    const small = new Shrinking(bounds, limit, true).shrink(value, 0) as JsonObject;
    if (sizeWithin(small, limit) <= limit) return small;
  }
  return undefined;
}

interface Bounds {
  readonly texts: number;
  readonly items: number;
  readonly mark: string;
}

/** Counts as `sizeWithin` does. Stops as soon as the copy is too large, whatever remains of the value. `copies`: whether there is a copy; otherwise its size is measured. */
class Shrinking {
  readonly #copies: boolean;
  readonly #bounds: Bounds;
  readonly #limit: number;
  #left: number;
  hasTooManyNames = false;

  constructor(bounds: Bounds, limit: number, copies: boolean) {
    this.#copies = copies;
    this.#bounds = bounds;
    this.#limit = limit;
    this.#left = limit;
  }

  get isOver(): boolean {
    return this.#left < 0;
  }

  shrink(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null || this.isOver) {
      this.#left -= 5;
      return value;
    }
    this.#left -= 2;
    if (depth >= maxDepth) return null;
    return Array.isArray(value) ? this.#items(value, depth) : this.#fields(value, depth);
  }

  #text(value: string): string {
    const { texts, mark } = this.#bounds;
    this.#left -= Math.min(value.length, texts) + 2;
    return value.length <= texts || !this.#copies ? value : `${headOf(value, texts - mark.length)}${mark}`;
  }

  #items(value: readonly unknown[], depth: number): readonly unknown[] {
    const kept: unknown[] = [];
    const end = Math.min(value.length, this.#bounds.items);
    for (let index = 0; index < end && !this.isOver; index += 1) {
      const item = this.shrink(value[index], depth + 1);
      if (this.#copies) kept.push(item);
      this.#left -= 1;
    }
    return kept;
  }

  #fields(value: object, depth: number): object {
    const keys = Object.keys(value);
    // A name takes at least its quotes, its colon and a value.
    if (keys.length * 5 > this.#limit) {
      this.hasTooManyNames = true;
      this.#left = -1;
      return {};
    }
    const kept: [string, unknown][] = [];
    for (const key of keys) {
      if (this.isOver) break;
      this.#left -= key.length + 4;
      const field = this.shrink((value as Readonly<Record<string, unknown>>)[key], depth + 1);
      if (this.#copies) kept.push([key, field]);
    }
    return this.#copies ? Object.fromEntries(kept) : value;
  }
}
