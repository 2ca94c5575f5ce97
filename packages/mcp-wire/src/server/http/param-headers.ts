/**
 * Owns the headers a tool schema declares with `x-mcp-header`.
 *
 * Invariants
 * 1. Only schemas reached through a chain of `properties` are examined; each schema is read once.
 */
import { Buffer, isUtf8 } from 'node:buffer';
import { isJsonObject, type JsonObject } from '../../message.ts';

interface ParamHeader {
  readonly path: readonly string[];
  /** In lower case, as in Node's `request.headers`. */
  readonly header: string;
}

const read = new WeakMap<JsonObject, readonly ParamHeader[]>();
/** Declarations nested deeper than this are ignored. */
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

/** Whether a header has the same value as the body. */
export function isSame(header: string, value: unknown): boolean {
  const decoded = decodeHeader(header);
  if (decoded === undefined) return false;
  if (typeof value === 'number') return /^-?\d+(?:\.\d+)?$/.test(decoded) && Number(decoded) === value;
  return decoded === String(value);
}

const sentinel = /^=\?base64\?(.*)\?=$/s;
const canonicalBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Decodes a header's Base64 wrapping, if it has one; `undefined` if the wrapping is malformed. */
export function decodeHeader(header: string): string | undefined {
  const wrapped = sentinel.exec(header)?.[1];
  if (wrapped === undefined) return header;
  if (!canonicalBase64.test(wrapped)) return undefined;
  const bytes = Buffer.from(wrapped, 'base64');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
