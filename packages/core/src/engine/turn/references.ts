/**
 * Owns references: places in one call's arguments that are filled with another call's output.
 *
 * Invariant: only an object with exactly the keys `$from` and, optionally, `path` is a reference; strings are never searched, so that text from a user or a
 * model cannot become one.
 */
import { checkRule, refuse } from '../settings/check.ts';

/** Refers to the output of another call, or a part of it. */
export interface Reference {
  /** The id of the call whose output it refers to. */
  readonly $from: string;
  /** Path within the output: `offers.0.price`. Left out: the whole output. */
  readonly path?: string;
}

/** Refers to the output of another call of the plan, in whole or in part: `ref('flights', 'offers.0.price')`. @throws TypeError for an id or a path that is no string */
export function ref(callId: string, path?: string): Reference {
  if (typeof callId !== 'string' || callId === '') refuse('ref: callId', callId, 'the id of another call', '');
  if (path !== undefined) checkRule('string', path, 'ref: path');
  return path === undefined ? { $from: callId } : { $from: callId, path };
}

interface Found {
  readonly from: string;
}

function isReference(value: object): value is Reference {
  const keys = Object.keys(value);
  if (!keys.includes('$from') || keys.length > 2 || (keys.length === 2 && !keys.includes('path'))) return false;
  const { $from, path } = value as Partial<Reference>;
  return typeof $from === 'string' && (path === undefined || typeof path === 'string');
}

/** Values that are not searched: binary data, and mostly empty sparse arrays. */
function hasNoReference(part: object): boolean {
  return ArrayBuffer.isView(part) || (Array.isArray(part) && part.length > SHORT_LIST && part.length > 2 * Object.keys(part).length);
}

const SHORT_LIST = 100_000;

/** All references in a value. Every object is visited once, however often it occurs. */
export function findReferences(value: unknown): readonly Found[] {
  const found: Found[] = [];
  const seen = new Set<object>();
  const open: unknown[] = [value];
  for (let part = open.pop(); open.length > 0 || part !== undefined; part = open.pop()) {
    if (typeof part !== 'object' || part === null || seen.has(part)) continue;
    seen.add(part);
    if (hasNoReference(part)) continue;
    if (isReference(part)) found.push({ from: part.$from });
    else open.push(...Object.values(part).filter((item) => typeof item === 'object'));
  }
  return found;
}

/** The resolved value. `missing` lists paths that the outputs do not have. */
export interface Resolved {
  readonly value: unknown;
  readonly missing: readonly string[];
}

/** Replaces references with outputs. Returns the value itself when it holds none. */
export function resolveReferences(value: unknown, outputs: ReadonlyMap<string, unknown>): Resolved {
  const missing: string[] = [];
  const done = new Map<object, unknown>();
  const resolve = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    if (done.has(part)) return done.get(part);
    if (hasNoReference(part)) return part;
    // Until it is resolved, a cycle leads back to the original.
    done.set(part, part);
    const result = resolveObject(part);
    done.set(part, result);
    return result;
  };
  const resolveObject = (part: object): unknown => {
    if (isReference(part)) {
      const found = valueAtPath(outputs.get(part.$from), part.path);
      if (!found.ok) missing.push(part.path === undefined ? part.$from : `${part.$from}.${part.path}`);
      return found.value;
    }
    if (Array.isArray(part)) return mapUnlessSame(part, resolve);
    const entries = Object.entries(part);
    const resolved = entries.map(([key, item]) => [key, resolve(item)] as const);
    return resolved.every(([, item], index) => item === entries[index]?.[1]) ? part : Object.fromEntries(resolved);
  };
  return { value: resolve(value), missing };
}

function mapUnlessSame(items: readonly unknown[], map: (item: unknown) => unknown): readonly unknown[] {
  const result = items.map(map);
  return result.every((item, index) => item === items[index]) ? items : result;
}

function valueAtPath(output: unknown, path: string | undefined): { readonly ok: boolean; readonly value: unknown } {
  if (path === undefined || path === '') return { ok: true, value: output };
  let value = output;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return { ok: false, value: undefined };
    try {
      value = (value as Record<string, unknown>)[key];
    } catch {
      return { ok: false, value: undefined };
    }
  }
  return { ok: true, value };
}
