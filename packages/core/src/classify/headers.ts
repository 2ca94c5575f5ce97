/**
 * Owns finding a header in whatever a client keeps headers in: `Headers`, `Map`, plain objects of any case, gRPC metadata,
 * lists of pairs, flat lists. Does not own what headers mean.
 *
 * 1. Total and bounded, like all reading here.
 */
import { call, firstOf, hasMethod, isList, read } from './reading.ts';

const headersLimit = 256;

/** A header's value as a string, the first when there are several. */
export type HeaderLookup = (name: string) => string | undefined;

/** Looks headers up in a carrier; names are lower case. Spelling is only searched when the lower case is not there. */
export function headersIn(carrier: object): HeaderLookup {
  const isFlat = isList(carrier);
  const hasGet = hasMethod(carrier, 'get');
  const valueOf = (name: string): string | undefined => asHeader(hasGet ? call(carrier, 'get', name) : read(carrier, name));
  let spellings: ReadonlyMap<string, string> | undefined;
  return (name) => {
    if (isFlat) return listedHeader(carrier, name);
    const direct = valueOf(name);
    if (direct !== undefined) return direct;
    spellings ??= new Map(keysOf(carrier).map((key) => [key.toLowerCase(), key]));
    const spelling = spellings.get(name);
    return spelling === undefined || spelling === name ? undefined : valueOf(spelling);
  };
}

function asHeader(value: unknown): string | undefined {
  const first = typeof value === 'object' && value !== null && isList(value) ? firstOf(value, 1)[0] : value;
  if (typeof first === 'string') return first.length <= 256 ? first.trim() : undefined;
  return typeof first === 'number' ? String(first) : undefined;
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
