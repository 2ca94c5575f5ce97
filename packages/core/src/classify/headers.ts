/**
 * Owns finding a header in whatever a client keeps headers in: `Headers`, `Map`, plain objects of any case, gRPC metadata,
 * lists of pairs, flat lists. Does not own what headers mean.
 *
 * 1. Total and bounded, like all reading here.
 */
import { call, firstOf, hasMethod, isList, read } from './reading.ts';

const headersLimit = 256;

/** A header's value as a string, the first when there are several. */
export function headerOf(carrier: object, name: string): string | undefined {
  const direct = asHeader(hasMethod(carrier, 'get') ? call(carrier, 'get', name) : read(carrier, name));
  if (direct !== undefined) return direct;
  if (isList(carrier)) return listedHeader(carrier, name);
  const key = keysOf(carrier).find((each) => each.toLowerCase() === name);
  return key === undefined ? undefined : asHeader(hasMethod(carrier, 'get') ? call(carrier, 'get', key) : read(carrier, key));
}

function asHeader(value: unknown): string | undefined {
  if (typeof value === 'string') return value.length <= 256 ? value.trim() : undefined;
  if (typeof value === 'number') return String(value);
  return typeof value === 'object' && value !== null && isList(value) && value.length > 0 ? asHeader(firstOf(value, 1)[0]) : undefined;
}

function keysOf(carrier: object): readonly string[] {
  try {
    const keys = hasMethod(carrier, 'keys') ? call(carrier, 'keys', undefined) : Object.keys(carrier);
    const found: string[] = [];
    let left = headersLimit;
    for (const key of keys as Iterable<unknown>) {
      if (typeof key === 'string') found.push(key);
      left -= 1;
      if (left === 0) break;
    }
    return found;
  } catch {
    return [];
  }
}

function listedHeader(list: readonly unknown[], name: string): string | undefined {
  const items = firstOf(list, headersLimit * 2);
  const isNamed = (item: unknown): boolean => typeof item === 'string' && item.toLowerCase() === name;
  const pair = items.find((item): item is readonly unknown[] => isList(item) && isNamed(read(item, 0)));
  if (pair) return asHeader(read(pair, 1));
  const at = items.findIndex((item, index) => index % 2 === 0 && isNamed(item));
  return at < 0 ? undefined : asHeader(items[at + 1]);
}
