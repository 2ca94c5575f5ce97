/**
 * Owns the headers that a tool's `x-mcp-header` asks for.
 *
 * Invariants
 * 1. Only what stands at a chain of `properties` is looked at; a schema is read once.
 */
import { Buffer, isUtf8 } from 'node:buffer';
import { isJsonObject, type JsonObject } from '../../message.ts';

interface ParamHeader {
  readonly path: readonly string[];
  /** In lower case, as Node gives it. */
  readonly header: string;
}

const read = new WeakMap<JsonObject, readonly ParamHeader[]>();
/** Schemas that nest deeper have no headers there. */
const maxDepth = 16;
const token = /^[\w!#$%&'*+\-.^`|~]+$/;

export function paramHeaders(schema: JsonObject): readonly ParamHeader[] {
  let headers = read.get(schema);
  if (headers === undefined) {
    headers = collect(schema, []);
    read.set(schema, headers);
  }
  return headers;
}

function collect(schema: JsonObject, path: readonly string[]): readonly ParamHeader[] {
  const properties = schema['properties'];
  if (!isJsonObject(properties) || path.length >= maxDepth) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isJsonObject(property)) return [];
    const here = [...path, name];
    const header = property['x-mcp-header'];
    const own = typeof header === 'string' && token.test(header) ? [{ path: here, header: `mcp-param-${header.toLowerCase()}` }] : [];
    return [...own, ...collect(property, here)];
  });
}

export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((at, name) => (isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), value);
}

/** Whether a header says what the body says. */
export function isSame(header: string, value: unknown): boolean {
  const said = decodeHeader(header);
  if (said === undefined) return false;
  if (typeof value === 'number') return /^-?\d+(?:\.\d+)?$/.test(said) && Number(said) === value;
  return said === String(value);
}

const sentinel = /^=\?base64\?(.*)\?=$/s;
const canonicalBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A header's value, taken out of its Base64 wrapping; `undefined` where the wrapping is broken. */
export function decodeHeader(header: string): string | undefined {
  const wrapped = sentinel.exec(header)?.[1];
  if (wrapped === undefined) return header;
  if (!canonicalBase64.test(wrapped)) return undefined;
  const bytes = Buffer.from(wrapped, 'base64');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
