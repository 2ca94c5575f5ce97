/**
 * Owns replacing values that are not valid JSON or well-formed text: dates, big integers, circular references, lone surrogates.
 *
 * Invariants
 * 1. A valid value is returned as the same object.
 * 2. Binary data is left alone, since clients encode it.
 * 3. Values nested deeper than `maxDepth` are cut off. No input makes this throw, except through a throwing getter.
 */
import { isList } from '../json.ts';
import type { RuleId } from '../rules.ts';

const maxDepth = 200;
const loneSurrogates = /\p{Surrogate}/gu;

/** Uses the native method of ES2024 engines, which is faster. */
export function isWellFormed(text: string): boolean {
  const { isWellFormed: known } = text as { readonly isWellFormed?: () => boolean };
  return known ? known.call(text) : !/\p{Surrogate}/u.test(text);
}

export type OnEdit = (rule: RuleId, path: string, before: unknown, after: unknown) => void;

export interface PlainOptions {
  readonly path: string;
  readonly onEdit: OnEdit;
  /** Also replace values JSON.stringify converts itself: dates, `undefined` in lists, NaN. */
  readonly strict: boolean;
}

/** Returns the value as plain JSON with well-formed texts. */
export function plainValue(value: unknown, options: PlainOptions): unknown {
  if (typeof value === 'string') return plainText(value, options.path, options.onEdit);
  if (typeof value !== 'object' || value === null) return plainScalar(value, options.path, options);
  return isPlain(value, options.strict, 0) ? value : new Plain(options).object(value, undefined, 0);
}

/** Fast path that allocates nothing. Circular references end at the depth limit. */
export function isPlain(value: unknown, strict: boolean, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return isWellFormed(value);
    case 'boolean':
      return true;
    case 'number':
      return !strict || Number.isFinite(value);
    case 'undefined':
      return !strict;
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (depth > maxDepth) return false;
  if (isList(value)) {
    for (const item of value) if (!isPlain(item, strict, depth + 1)) return false;
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    if (item !== undefined && !isPlain(item, strict, depth + 1)) return false;
  }
  return true;
}

function plainText(text: string, path: string, onEdit: OnEdit): string {
  if (isWellFormed(text)) return text;
  const after = text.replace(loneSurrogates, '\uFFFD');
  onEdit('unicode', path, text, after);
  return after;
}

function plainScalar(value: unknown, path: string, { onEdit, strict }: PlainOptions): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'undefined' && !strict) return value;
  if (typeof value === 'number' && (!strict || Number.isFinite(value))) return value;
  const after = typeof value === 'bigint' ? String(value) : null;
  onEdit('json-value', path, describeValue(value), after);
  return after;
}

/** Describes a non-JSON value for the report. */
function describeValue(value: unknown): unknown {
  return typeof value === 'bigint' || typeof value === 'number' ? String(value) : `[${typeof value}]`;
}

/** The keys that lead to a value; converted to a string only when reported. */
interface Trail {
  readonly before: Trail | undefined;
  readonly key: string | number;
}

class Plain {
  readonly #options: PlainOptions;
  readonly #open = new Set<object>();

  constructor(options: PlainOptions) {
    this.#options = options;
  }

  object(value: object, trail: Trail | undefined, depth: number): unknown {
    if (ArrayBuffer.isView(value)) return value;
    if (depth > maxDepth || this.#open.has(value)) return this.#onEdit(trail, `[${depth > maxDepth ? 'deep' : 'circular'}]`, '[left out]');
    this.#open.add(value);
    const plain = isList(value) ? this.#list(value, trail, depth) : this.#record(value, trail, depth);
    this.#open.delete(value);
    return plain;
  }

  #list(list: readonly unknown[], trail: Trail | undefined, depth: number): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index];
      const plain = this.#value(item, trail, index, depth);
      if (plain !== item) (copy ??= [...list])[index] = plain;
    }
    return copy ?? list;
  }

  #record(value: object, trail: Trail | undefined, depth: number): unknown {
    const special = this.#special(value, trail, depth);
    if (special) return special.value;
    let copy: Record<string, unknown> | undefined;
    for (const key of Object.keys(value)) {
      const item = (value as Record<string, unknown>)[key];
      // JSON.stringify leaves out properties that are `undefined`.
      if (item === undefined) continue;
      if (typeof item === 'function' || typeof item === 'symbol') {
        copy ??= { ...value };
        this.#onEdit({ before: trail, key }, `[${typeof item}]`, undefined);
        delete copy[key];
        continue;
      }
      const plain = this.#value(item, trail, key, depth);
      if (plain !== item) (copy ??= { ...value })[key] = plain;
    }
    return copy ?? value;
  }

  /** Converts dates, maps, sets and class instances. */
  #special(value: object, trail: Trail | undefined, depth: number): { readonly value: unknown } | undefined {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === null || prototype === Object.prototype) return undefined;
    const toJson = (value as { readonly toJSON?: unknown }).toJSON;
    const tag = Object.prototype.toString.call(value);
    if (!this.#options.strict && (typeof toJson === 'function' || (tag === '[object Object]' && !hasNoOwnKeys(value)))) return undefined;
    const plain =
      typeof toJson === 'function'
        ? (Reflect.apply(toJson, value, []) as unknown)
        : tag === '[object Map]'
          ? Object.fromEntries(value as Map<string, unknown>)
          : tag === '[object Set]'
            ? [...(value as Set<unknown>)]
            : { ...value };
    const inner = typeof plain === 'object' && plain !== null ? this.object(plain, trail, depth + 1) : plain;
    return { value: this.#onEdit(trail, tag, inner) };
  }

  #value(item: unknown, before: Trail | undefined, key: string | number, depth: number): unknown {
    if (typeof item === 'object' && item !== null) return this.object(item, { before, key }, depth + 1);
    if (typeof item === 'string') return isWellFormed(item) ? item : plainText(item, this.#path({ before, key }), this.#options.onEdit);
    if (item === null || typeof item === 'boolean') return item;
    return plainScalar(item, typeof item === 'number' && Number.isFinite(item) ? '' : this.#path({ before, key }), this.#options);
  }

  #onEdit(trail: Trail | undefined, before: unknown, after: unknown): unknown {
    this.#options.onEdit('json-value', this.#path(trail), before, after);
    return after;
  }

  #path(trail: Trail | undefined): string {
    let path = '';
    for (let step = trail; step; step = step.before) path = `.${step.key}${path}`;
    return this.#options.path + path;
  }
}

const hasNoOwnKeys = (value: object): boolean => Object.keys(value).length === 0;
