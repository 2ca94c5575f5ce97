/**
 * Owns the output that is delivered: the tool's own value when it can be written as JSON and is not too large, otherwise a plain copy of it.
 *
 * Invariants
 * 1. Never throws and never loops, for any value: cycles, BigInt, functions, proxies, getters that throw, megabytes.
 * 2. A value that needs no change is delivered by reference.
 */
import { readSafely } from '../plain/read-safely.ts';

/** Why an output is not the tool's own value: it was cut to size, or converted to JSON. */
export type Alteration = 'truncated' | 'converted';

export interface DeliveredOutput {
  readonly output: unknown;
  /** Why the output is not the tool's own value. */
  readonly altered?: Alteration;
}

/** Nesting beyond this is cut. */
const MAX_DEPTH = 100;
/** Why a value has to be copied. */
type Finding = 'too_large' | 'not_json' | undefined;

/**
 * @param maxChars limit of the JSON text, without binary data
 * @param maxBytes limit of binary data (typed arrays, `DataView`, `Buffer`); in JSON every byte takes up to four characters
 */
export function deliverOutput(value: unknown, maxChars: number, maxBytes: number = maxChars / 4): DeliveredOutput {
  if (typeof value === 'number' || typeof value === 'boolean') return { output: value };
  let finding: Finding;
  try {
    finding = isOmitted(value) ? 'not_json' : new Inspection(maxChars, maxBytes).visit(value);
  } catch {
    finding = 'not_json';
  }
  if (finding === undefined) return { output: value };
  const output = readSafely(() => new Copier(maxChars).copy(value, 0));
  return { output, altered: finding === 'too_large' ? 'truncated' : 'converted' };
}

/** Functions and symbols have no JSON text: as parts they are left out, as `JSON.stringify` does. */
const isOmitted = (value: unknown): boolean => typeof value === 'function' || typeof value === 'symbol';

const hasToJson = (value: unknown): boolean => typeof (value as { readonly toJSON?: unknown }).toJSON === 'function';

/** Walks a value once, until a reason to copy is found. */
class Inspection {
  #left: number;
  #bytesLeft: number;
  /** The path from the root to the part being visited. */
  readonly #path: object[] = [];

  readonly #depth: number;

  /** @param depth that of a part of a value that is copied: in the copy, what JSON writes in another form is no JSON */
  constructor(maxChars: number, maxBytes: number, depth = 0) {
    this.#left = maxChars;
    this.#bytesLeft = maxBytes;
    this.#depth = depth;
  }

  get left(): number {
    return this.#left;
  }

  visit(part: unknown): Finding {
    switch (typeof part) {
      case 'string':
        return this.#take(part.length + 2);
      case 'number':
      case 'boolean':
      case 'undefined':
        return this.#take(4);
      case 'object':
        return part === null ? undefined : this.#visitObject(part);
      default:
        return this.#depth === 0 && isOmitted(part) && !hasToJson(part) ? this.#take(4) : 'not_json';
    }
  }

  #take(chars: number): Finding {
    this.#left -= chars;
    return this.#left < 0 ? 'too_large' : undefined;
  }

  #visitObject(part: object): Finding {
    if (this.#path.includes(part)) return 'not_json';
    if (this.#path.length + this.#depth >= MAX_DEPTH) return 'too_large';
    if (ArrayBuffer.isView(part)) return (this.#bytesLeft -= part.byteLength) < 0 ? 'too_large' : undefined;
    if (Array.isArray(part) && part.length > this.#left) return 'too_large';
    this.#path.push(part);
    const finding = this.#visitFields(part);
    this.#path.pop();
    return finding;
  }

  #visitFields(part: object): Finding {
    const { toJSON } = part as { readonly toJSON?: unknown };
    if (typeof toJSON === 'function') return this.#depth > 0 ? 'not_json' : this.visit(toJSON.call(part));
    if (Array.isArray(part)) return this.#visitItems(part);
    // Without a list of keys, which would take most of the time. Inherited fields are no part of the JSON.
    for (const key in part) {
      if (!Object.hasOwn(part, key)) continue;
      const finding = this.#take(key.length + 4) ?? this.visit((part as Record<string, unknown>)[key]);
      if (finding) return finding;
    }
    return undefined;
  }

  /** By index: the keys of an array are strings, which take long to make. */
  #visitItems(items: readonly unknown[]): Finding {
    for (let index = 0; index < items.length; index++) {
      const finding = this.#take(1) ?? this.visit(items[index]);
      if (finding) return finding;
    }
    return undefined;
  }
}

/** Parts at this depth are not checked as wholes before they are copied. */
const MAX_KEPT_DEPTH = 3;

/** Makes a JSON-safe copy of at most about `maxChars` characters. */
class Copier {
  #left: number;
  #mayKeep = true;
  /** Objects whose parts are being copied. */
  readonly #open = new Set<object>();

  constructor(maxChars: number) {
    this.#left = maxChars;
  }

  copy(part: unknown, depth: number): unknown {
    switch (typeof part) {
      case 'string':
        return this.#text(part);
      case 'bigint':
        return this.#text(String(part));
      case 'function':
        return depth > 0 ? undefined : this.#text(`[function ${part.name}]`);
      case 'symbol':
        return depth > 0 ? undefined : this.#text(String(part));
      case 'object':
        return part === null ? null : this.#container(part, depth);
      default:
        this.#left -= 4;
        return part;
    }
  }

  /** Keeps a part that needs no change: to copy a million small objects takes six times as long as to check them. */
  #part(part: unknown, depth: number): unknown {
    if (!this.#mayKeep || depth >= MAX_KEPT_DEPTH || typeof part !== 'object' || part === null) return this.copy(part, depth);
    const inspection = new Inspection(this.#left, 0, depth);
    const finding = inspection.visit(part);
    // What has parts that are no JSON probably has many of them.
    if (finding === 'not_json') this.#mayKeep = false;
    if (finding !== undefined) return this.copy(part, depth);
    this.#left = inspection.left;
    return part;
  }

  #text(full: string): string {
    const kept = full.length <= this.#left ? full : `${full.slice(0, Math.max(this.#left, 0))}… [truncated, ${full.length} characters]`;
    this.#left -= kept.length;
    return kept;
  }

  #container(part: object, depth: number): unknown {
    if (this.#open.has(part)) return '[circular]';
    if (depth >= MAX_DEPTH || this.#left <= 0) return '[truncated]';
    if (ArrayBuffer.isView(part)) return this.#text(`[binary, ${part.byteLength} bytes]`);
    this.#open.add(part);
    const result = Array.isArray(part) ? this.#items(part, depth) : this.#fields(part, depth);
    this.#open.delete(part);
    return result;
  }

  #items(part: readonly unknown[], depth: number): readonly unknown[] {
    const kept: unknown[] = [];
    for (let index = 0; index < part.length; index++) {
      if (this.#left <= 0) return [...kept, `[truncated, ${part.length} items]`];
      kept.push(readSafely(() => this.#part(part[index], depth + 1)));
      this.#left -= 1;
    }
    return kept;
  }

  #fields(part: object, depth: number): unknown {
    const toJSON = readSafely(() => (part as { readonly toJSON?: unknown }).toJSON);
    if (typeof toJSON === 'function') return readSafely(() => this.copy(toJSON.call(part), depth + 1));
    const kept: [string, unknown][] = [];
    const keys = readSafely(() => Object.keys(part));
    if (!Array.isArray(keys)) return '[unreadable]';
    for (const key of keys as readonly string[]) {
      if (this.#left <= 0) {
        kept.push(['[truncated]', true]);
        break;
      }
      this.#left -= key.length + 4;
      kept.push([key, readSafely(() => this.#part((part as Record<string, unknown>)[key], depth + 1))]);
    }
    return Object.fromEntries(kept);
  }
}
