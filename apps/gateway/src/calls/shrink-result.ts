/** Owns making a structured answer small in its own form: long texts are cut, long lists end sooner. */
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { sizeWithin } from './wire-size.ts';

const deepest = 50;

/** At most about so many bytes; `undefined` where that cannot be. `mark` ends each text that was cut. */
export function shrunk(value: JsonObject, limit: number, mark: string): JsonObject | undefined {
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
  if (depth >= deepest) return null;
  if (Array.isArray(value)) return value.slice(0, bounds.items).map((item) => shrink(item, bounds, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, shrink(field, bounds, depth + 1)]));
}

/** The beginning of a string, without half a character at its end. */
export function headOf(text: string, length: number): string {
  const end = Math.max(length, 0);
  const last = text.charCodeAt(end - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end);
}
