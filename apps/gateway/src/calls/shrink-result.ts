/** Owns shortening a structured result: long strings and long arrays are truncated. */
import { headOf } from '@holdfast/core/internal/plain';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { sizeWithin } from './wire-size.ts';

const maxDepth = 50;

/** Returns a value of at most about `limit` bytes; `undefined` if that is not possible. `mark` is appended to each truncated string. */
export function shrinkToFit(value: JsonObject, limit: number, mark: string): JsonObject | undefined {
  for (let texts = limit; texts >= 256; texts = Math.floor(texts / 4)) {
    const small = shrink(value, { texts, items: Math.max(Math.floor(texts / 16), 8), mark }, 0) as JsonObject;
    if (sizeWithin(small, limit) <= limit) return small;
  }
  return undefined;
}

interface Bounds {
  readonly texts: number;
  readonly items: number;
  readonly mark: string;
}

function shrink(value: unknown, bounds: Bounds, depth: number): unknown {
  if (typeof value === 'string')
    return value.length <= bounds.texts ? value : `${headOf(value, bounds.texts - bounds.mark.length)}${bounds.mark}`;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return null;
  if (Array.isArray(value)) return value.slice(0, bounds.items).map((item) => shrink(item, bounds, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, shrink(field, bounds, depth + 1)]));
}
