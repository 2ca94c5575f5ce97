/**
 * Owns parsing large JSON in slices, with pauses in which the event loop serves others.
 *
 * Invariants
 * 1. The value is that of `JSON.parse`, except for parts that are not read: an `UnreadPart` is in the place of each, and is noted for the message.
 * 2. A text that is not JSON is `undefined`, unless what is wrong is within a part that is not read.
 * 3. No slice takes longer than a few milliseconds, however many values, names and levels the text has and however long its strings are.
 */

import { Pauses } from './pauses.ts';
import { noteUnread, UnreadPart } from './unread-part.ts';

/** Shorter texts are parsed at once: the slowest take a few milliseconds. */
export const slicedChars = 131_072;

const sliceChars = 16_384;
/** Longer strings are parsed in pieces. */
const longChars = 65_536;
/** What is nested deeper is not read. */
const maxDepth = 500;
/** An object with more names is not read: to list them takes long, whatever they are needed for. */
const maxNames = 50_000;

/** Never rejects. */
export async function parseInSlices(text: string): Promise<unknown> {
  try {
    const pauses = new Pauses();
    // To receive so long a text has taken long already.
    await pauses.pause();
    const value = await new Parser(text, pauses).run();
    if (pauses.isDue) await pauses.pause();
    return value;
  } catch {
    return undefined;
  }
}

/** A container that has not ended yet. */
class Open {
  readonly start: number;
  readonly isArray: boolean;
  /** Where the members begin that are not parsed yet. */
  from: number;
  /** Where the present member begins. */
  member: number;
  /** Whether the present member is parsed already: only a comma or the end may follow. */
  isTaken = false;
  /** What is parsed; `undefined` while the container is small, because it is parsed together with its neighbours. */
  value: unknown[] | Record<string, unknown> | UnreadPart | undefined;
  names = 0;

  constructor(start: number, isArray: boolean) {
    this.start = start;
    this.isArray = isArray;
    this.from = start + 1;
    this.member = start + 1;
  }

  add(key: string, value: unknown): void {
    this.value ??= this.isArray ? [] : {};
    if (this.value instanceof UnreadPart) return;
    if (Array.isArray(this.value)) this.value.push(value);
    else if ((this.names += 1) > maxNames) this.value = new UnreadPart(`has an object with more than ${maxNames} names`);
    else setField(this.value, key, value);
  }
}

class Parser {
  readonly #text: string;
  readonly #pauses: Pauses;
  readonly #open: Open[] = [];
  /** Open containers that are nested too deeply, and where the outermost begins. */
  #deeper = 0;
  #deepStart = 0;
  /** Where the present string begins. */
  #string = -1;
  #root: { readonly value: unknown; readonly end: number } | undefined;
  #unread: UnreadPart | undefined;

  constructor(text: string, pauses: Pauses) {
    this.#text = text;
    this.#pauses = pauses;
  }

  async run(): Promise<unknown> {
    const text = this.#text;
    for (let at = 0, due = sliceChars; at < text.length; at += 1) {
      if (at >= due) {
        due = at + sliceChars;
        if (this.#pauses.isDue) await this.#pauses.pause();
      }
      if (this.#string !== -1) {
        at = this.#nextQuote(at);
        if (!this.#isEscaped(at)) await this.#endString(at);
        continue;
      }
      const char = text.charCodeAt(at);
      if (char === quote) this.#string = at;
      else if (char === comma) {
        if (this.#deeper === 0) this.#separate(at);
      } else if (char === openBracket || char === openBrace) this.#begin(at, char === openBracket);
      else if (char === closeBracket || char === closeBrace) this.#close(at, char === closeBracket);
    }
    if (this.#open.length > 0 || this.#string !== -1) throw notJson;
    // A number, a word or a short string.
    if (this.#root === undefined) return JSON.parse(text);
    this.#expectBlank(this.#root.end, text.length);
    return this.#noted(this.#root.value);
  }

  #noted(root: unknown): unknown {
    const { reason } = this.#unread ?? {};
    if (reason === undefined || typeof root !== 'object' || root === null) return root;
    for (const message of Array.isArray(root) ? (root as readonly unknown[]) : [root])
      if (typeof message === 'object' && message !== null) noteUnread(message, reason);
    return root;
  }

  #nextQuote(from: number): number {
    const found = this.#text.indexOf('"', from);
    if (found === -1) throw notJson;
    return found;
  }

  #isEscaped(at: number): boolean {
    return backslashesBefore(this.#text, at, this.#string) % 2 === 1;
  }

  async #endString(end: number): Promise<void> {
    const start = this.#string;
    this.#string = -1;
    if (end - start < longChars || this.#deeper > 0 || this.#isName(end)) return;
    this.#take(start, await this.#longString(start + 1, end), end);
  }

  #isName(end: number): boolean {
    return /^\s*:/.test(this.#text.slice(end + 1, end + 64));
  }

  async #longString(start: number, end: number): Promise<string> {
    const pieces: string[] = [];
    for (let from = start; from < end;) {
      const to = pieceEnd(this.#text, from, end);
      pieces.push(JSON.parse(`"${this.#text.slice(from, to)}"`) as string);
      if (this.#pauses.isDue) await this.#pauses.pause();
      from = to;
    }
    return pieces.join('');
  }

  #begin(at: number, isArray: boolean): void {
    if (this.#root !== undefined) throw notJson;
    if (this.#open.length === 0) this.#expectBlank(0, at);
    if (this.#open.length < maxDepth) this.#open.push(new Open(at, isArray));
    else if ((this.#deeper += 1) === 1) this.#deepStart = at;
  }

  #separate(at: number): void {
    const container = this.#open.at(-1);
    if (container === undefined) throw notJson;
    if (container.isTaken) {
      this.#expectBlank(container.from, at);
      container.isTaken = false;
      container.from = at + 1;
    } else if (at - container.from >= sliceChars) {
      this.#parse(container, container.from, at);
      container.from = at + 1;
    }
    container.member = at + 1;
  }

  #close(at: number, isArray: boolean): void {
    if (this.#deeper > 0) {
      this.#deeper -= 1;
      if (this.#deeper === 0) this.#take(this.#deepStart, new UnreadPart(`is nested more than ${maxDepth} levels deep`), at);
      return;
    }
    const container = this.#open.pop();
    if (container?.isArray !== isArray) throw notJson;
    if (this.#open.length > 0 && container.value === undefined && at - container.start < sliceChars) return;
    if (container.isTaken) this.#expectBlank(container.from, at);
    else if (container.value !== undefined || this.#text.slice(container.from, at).trim() !== '')
      this.#parse(container, container.from, at);
    this.#take(container.start, container.value ?? (isArray ? [] : {}), at);
  }

  /** Adds a value that is not parsed together with its neighbours. */
  #take(start: number, value: unknown, end: number): void {
    if (value instanceof UnreadPart) this.#unread = value;
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      if (this.#root !== undefined) throw notJson;
      this.#expectBlank(0, Math.min(start, this.#text.length));
      this.#root = { value, end: end + 1 };
      return;
    }
    if (parent.isTaken) throw notJson;
    if (parent.member > parent.from) this.#parse(parent, parent.from, parent.member - 1);
    const name = this.#text.slice(parent.member, start).trim();
    if (parent.isArray && name !== '') throw notJson;
    parent.add(parent.isArray ? '' : keyOf(name), value);
    parent.from = end + 1;
    parent.isTaken = true;
  }

  /** Between two commas there is a member. */
  #parse(container: Open, from: number, to: number): void {
    if (container.value instanceof UnreadPart) return;
    const members = this.#text.slice(from, to);
    const some = JSON.parse(container.isArray ? `[${members}]` : `{${members}}`) as object;
    const keys = Object.keys(some);
    if (keys.length === 0) throw notJson;
    for (const key of keys) container.add(key, (some as Readonly<Record<string, unknown>>)[key]);
  }

  #expectBlank(from: number, to: number): void {
    if (this.#text.slice(from, to).trim() !== '') throw notJson;
  }
}

const notJson = new SyntaxError('Not JSON');
const [quote, comma, openBracket, closeBracket, openBrace, closeBrace, backslash] = [34, 44, 91, 93, 123, 125, 92] as const;

function backslashesBefore(text: string, at: number, start: number): number {
  let first = at;
  while (first - 1 > start && text.charCodeAt(first - 1) === backslash) first -= 1;
  return at - first;
}

/** Where a piece of a long string ends: not within an escape. */
function pieceEnd(text: string, from: number, end: number): number {
  const to = from + longChars;
  if (to >= end) return end;
  // The longest escape has six characters.
  const last = text.slice(to - 5, to).lastIndexOf('\\');
  const at = to - 5 + last;
  if (last === -1 || backslashesBefore(text, at, from - 1) % 2 === 1) return to;
  return at + (text[at + 1] === 'u' ? 6 : 2) > to ? at : to;
}

/** Written as the name of a member, with its colon. */
function keyOf(text: string): string {
  if (!text.endsWith(':')) throw notJson;
  const key: unknown = JSON.parse(text.slice(0, -1));
  if (typeof key !== 'string') throw notJson;
  return key;
}

function setField(fields: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true });
  else fields[key] = value;
}
