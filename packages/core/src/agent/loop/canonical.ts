/**
 * Owns a canonical key for arguments, the same for every order of keys and notation of numbers, at every depth. And a looser one for models that change only the
 * form of a failing call.
 *
 * Invariant: never throws, and the work is bounded for any value.
 */
import { nameAt } from '../../engine/backoff/random.ts';

const MAX_DEPTH = 32;
const MAX_CHARS = 100_000;
/** Longer keys are replaced by a hash. */
const MAX_KEY_CHARS = 256;

/** The keys of one call, made when they are needed: only failures are looked up by them. */
export class CallKeys {
  readonly #toolName: string;
  readonly #args: unknown;
  #exact: string | undefined;
  #near: string | undefined;

  /** @param args not changed by the call */
  constructor(toolName: string, args: unknown) {
    this.#toolName = toolName;
    this.#args = args;
  }

  /** Equal for every notation of the same call. */
  get exact(): string {
    return (this.#exact ??= `${this.#toolName} ${canonicalKey(this.#args)}`);
  }

  /** Equal for calls that differ only in form. */
  get near(): string {
    return (this.#near ??= `${this.#toolName} ${nearKey(this.#args)}`);
  }
}

/** Returns a key that is the same for every notation of a value. */
function canonicalKey(value: unknown): string {
  return keyOf(value, false);
}

/** Returns a key that also ignores form: fields that are `null` or empty, whitespace, numbers written as strings. */
function nearKey(value: unknown): string {
  return keyOf(value, true);
}

function keyOf(value: unknown, near: boolean): string {
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
        return JSON.stringify(near ? plainText(part) : part.normalize());
      case 'number':
        // -0 equals 0.
        return near ? JSON.stringify(String(part + 0)) : String(part + 0);
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
        return item === undefined || (near && (item === null || item === '')) ? [] : [`${JSON.stringify(key)}:${write(item, depth + 1)}`];
      });
      return `{${fields.join(',')}}`;
    } catch {
      return '[unreadable]';
    }
  };
  const text = write(value, 0);
  return text.length <= MAX_KEY_CHARS ? text : `${text.length} ${nameAt(text)}`;
}

/** `' 5.0 '` → `'5'`, `'a  b'` → `'a b'` */
function plainText(text: string): string {
  const plain = text.normalize().trim().replaceAll(/\s+/g, ' ');
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(plain) ? String(Number(plain) + 0) : plain;
}
