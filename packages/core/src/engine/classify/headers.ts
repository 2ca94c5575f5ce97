/**
 * Owns reading headers from any container a client uses: `Headers`, `Map`, plain objects of any case, gRPC metadata,
 * lists of pairs, flat lists. Does not own what headers mean.
 *
 * 1. Total and bounded, like all reading in this folder.
 */
import type { Layer } from './layer.ts';
import { call, isList, keysOf, read } from './reading.ts';
import { isObject } from '../plain/is-object.ts';

const headersLimit = 512;

/** Values by lower-case name; the first value where there are several. */
export type HeaderMap = ReadonlyMap<string, string>;

/** The headers that a carrier holds. */
export function headersIn(carrier: object): HeaderMap {
  const headers = new Map<string, string>();
  addHeaders(carrier, headers);
  return headers;
}

/** All headers of a layer, read once. */
export function headersOf(layer: Layer): HeaderMap {
  if (layer.headers === undefined) {
    layer.headers = new Map();
    for (const carrier of layer.carriers) addHeaders(carrier, layer.headers);
  }
  return layer.headers;
}

/** Whether an answer's headers came with the error. */
export function hasHeaders(layers: readonly Layer[]): boolean {
  return layers.some((layer) => headersOf(layer).size > 0);
}

function addHeaders(carrier: object, headers: Map<string, string>): void {
  const entries = isList(carrier) ? carrier : (call(carrier, 'entries') ?? call(carrier, 'getMap') ?? carrier);
  if (!isObject(entries)) return;
  addHeader('retry-after', call(carrier, 'get', 'retry-after'), headers); // the only accessor that some containers offer
  if (typeof read(entries, Symbol.iterator) !== 'function') {
    for (const name of keysOf(entries).slice(0, headersLimit)) addHeader(name, read(entries, name), headers);
    return;
  }
  let name: unknown;
  let left = headersLimit;
  try {
    for (const entry of entries as Iterable<unknown>) {
      if (isObject(entry)) addHeader(read(entry, 0), read(entry, 1), headers);
      else if (left % 2 === 0) name = entry;
      else addHeader(name, entry, headers);
      left -= 1;
      if (left === 0) return;
    }
  } catch {} // values read before an iterator throws are kept
}

function addHeader(name: unknown, value: unknown, headers: Map<string, string>): void {
  const first = isObject(value) && isList(value) ? read(value, 0) : value;
  if (typeof name !== 'string' || headers.has(name.toLowerCase())) return;
  if ((typeof first === 'string' && first.length <= 256) || typeof first === 'number')
    headers.set(name.toLowerCase(), String(first).trim());
}
