/**
 * Owns the one text that all spellings of the same arguments share: whatever the order of keys and the way numbers were written, at every depth.
 *
 * Invariant: never throws, and its work is bounded, whatever the value is.
 */
import { nameAt } from '../retry/random.ts';

const MAX_DEPTH = 32;
const MAX_CHARS = 100_000;
/** Longer texts are remembered by their name. */
const LONG = 256;

export function canonicalKey(value: unknown): string {
  let left = MAX_CHARS;
  const write = (part: unknown, depth: number): string => {
    if (left <= 0 || depth > MAX_DEPTH) return '…';
    const text = writePart(part, depth);
    left -= text.length;
    return text;
  };
  const writePart = (part: unknown, depth: number): string => {
    switch (typeof part) {
      case 'string':
        return JSON.stringify(part.normalize());
      case 'number':
        // -0 and 0 are one number.
        return String(part + 0);
      case 'object':
        return part === null ? 'null' : container(part, depth);
      case 'bigint':
        return String(part);
      case 'boolean':
        return String(part);
      default:
        return typeof part;
    }
  };
  const container = (part: object, depth: number): string => {
    try {
      if (Array.isArray(part)) return part.length > left ? `[${part.length}]` : `[${part.map((item) => write(item, depth + 1)).join(',')}]`;
      const { toJSON } = part as { readonly toJSON?: unknown };
      if (typeof toJSON === 'function') return write(toJSON.call(part), depth + 1);
      const keys = Object.keys(part).toSorted();
      const fields = keys.flatMap((key) => {
        const item = (part as Record<string, unknown>)[key];
        return item === undefined ? [] : [`${JSON.stringify(key)}:${write(item, depth + 1)}`];
      });
      return `{${fields.join(',')}}`;
    } catch {
      return '[unreadable]';
    }
  };
  const text = write(value, 0);
  return text.length <= LONG ? text : `${text.length} ${nameAt(text)}`;
}
