/**
 * Owns parsing large JSON in slices, with pauses in which the event loop serves others.
 *
 * Invariants
 * 1. The value is that of `JSON.parse`; a text that is not JSON is `undefined`.
 * 2. No slice takes longer than a few milliseconds, however many values the text has. What is nested deeper than any answer is parsed at once.
 */

import { Pauses } from './pauses.ts';

/** Shorter texts are parsed at once: the slowest take a few milliseconds. */
export const slicedChars = 131_072;

const sliceChars = 16_384;
const maxDepth = 500;

/** Never rejects. */
export async function parseInSlices(text: string): Promise<unknown> {
  try {
    const pauses = new Pauses();
    // To receive so long a text has taken long already.
    await pauses.pause();
    const root = await new Scan(text, pauses).run();
    if (root === undefined) return undefined;
    const value = root === 'whole' ? (JSON.parse(text) as unknown) : await build(text, root, pauses);
    if (pauses.isDue) await pauses.pause();
    return value;
  } catch {
    return undefined;
  }
}

/** Neighbouring members that are parsed together, or one member that is too large for that. */
type Part = { readonly from: number; readonly to: number } | { readonly key: string | undefined; readonly value: Large };

/** A container that is put together from its parts. */
interface Large {
  readonly isArray: boolean;
  readonly parts: readonly Part[];
}

class Open {
  readonly start: number;
  readonly isArray: boolean;
  readonly parts: Part[] = [];
  /** Where the members begin that are in no part yet. */
  from: number;
  /** Where the present member begins. */
  member: number;
  /** Whether the present member is a part already: only a comma or the end may follow. */
  isTaken = false;

  constructor(start: number, isArray: boolean) {
    this.start = start;
    this.isArray = isArray;
    this.from = start + 1;
    this.member = start + 1;
  }
}

/** Finds the large containers of a text, and where they can be divided. */
class Scan {
  readonly #text: string;
  readonly #pauses: Pauses;
  readonly #open: Open[] = [];
  /** Open containers that are nested too deeply to be divided. */
  #deeper = 0;
  #root: Large | undefined;
  /** Where the root ends. */
  #end = 0;

  constructor(text: string, pauses: Pauses) {
    this.#text = text;
    this.#pauses = pauses;
  }

  /** Returns `undefined` for a text that is not JSON; `whole` for one that cannot be divided. */
  async run(): Promise<Large | 'whole' | undefined> {
    const text = this.#text;
    for (let at = 0, due = sliceChars; at < text.length; at += 1) {
      if (at >= due) {
        due = at + sliceChars;
        if (this.#pauses.isDue) await this.#pauses.pause();
      }
      const char = text.charCodeAt(at);
      if (char === quote) at = endOfString(text, at);
      else if (char === comma) {
        if (this.#deeper === 0) this.#separate(at);
      } else if (char === openBracket || char === openBrace) {
        if (!this.#begin(at, char === openBracket)) return undefined;
      } else if ((char === closeBracket || char === closeBrace) && !this.#close(at, char === closeBracket)) return undefined;
    }
    if (this.#open.length > 0) return undefined;
    if (this.#root === undefined) return 'whole';
    this.#expectBlank(this.#end, text.length);
    return this.#root;
  }

  #begin(at: number, isArray: boolean): boolean {
    if (this.#root !== undefined) return false;
    if (this.#open.length === 0) this.#expectBlank(0, at);
    if (this.#open.length === maxDepth) this.#deeper += 1;
    else this.#open.push(new Open(at, isArray));
    return true;
  }

  #separate(at: number): void {
    const container = this.#open.at(-1);
    if (container === undefined) throw notJson;
    if (container.isTaken) {
      this.#expectBlank(container.from, at);
      container.isTaken = false;
      container.from = at + 1;
    } else if (at - container.from >= sliceChars) {
      container.parts.push({ from: container.from, to: at });
      container.from = at + 1;
    }
    container.member = at + 1;
  }

  /** Whether it closes what was opened last. */
  #close(at: number, isArray: boolean): boolean {
    if (this.#deeper > 0) {
      this.#deeper -= 1;
      return true;
    }
    const container = this.#open.pop();
    if (container?.isArray !== isArray) return false;
    const parent = this.#open.at(-1);
    if (parent !== undefined && container.parts.length === 0 && at - container.start < sliceChars) return true;
    if (container.isTaken) this.#expectBlank(container.from, at);
    else if (container.parts.length > 0 || this.#text.slice(container.from, at).trim() !== '')
      container.parts.push({ from: container.from, to: at });
    const value: Large = { isArray, parts: container.parts };
    if (parent !== undefined) this.#take(parent, container.start, value, at);
    else [this.#root, this.#end] = [value, at + 1];
    return true;
  }

  #take(parent: Open, start: number, value: Large, at: number): void {
    if (parent.isTaken) throw notJson;
    if (parent.member > parent.from) parent.parts.push({ from: parent.from, to: parent.member - 1 });
    const key = this.#text.slice(parent.member, start).trim();
    if (parent.isArray && key !== '') throw notJson;
    parent.parts.push({ key: parent.isArray ? undefined : keyOf(key), value });
    parent.from = at + 1;
    parent.isTaken = true;
  }

  #expectBlank(from: number, to: number): void {
    if (this.#text.slice(from, to).trim() !== '') throw notJson;
  }
}

const notJson = new SyntaxError('Not JSON');
const [quote, comma, openBracket, closeBracket, openBrace, closeBrace, backslash] = [34, 44, 91, 93, 123, 125, 92] as const;

function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) throw notJson;
    let escapes = end;
    while (text.charCodeAt(escapes - 1) === backslash) escapes -= 1;
    if ((end - escapes) % 2 === 0) return end;
  }
}

/** Written as the name of a member, with its colon. */
function keyOf(text: string): string {
  if (!text.endsWith(':')) throw notJson;
  const key: unknown = JSON.parse(text.slice(0, -1));
  if (typeof key !== 'string') throw notJson;
  return key;
}

async function build(text: string, { isArray, parts }: Large, pauses: Pauses): Promise<unknown> {
  const items: unknown[] = [];
  const fields: Record<string, unknown> = {};
  for (const part of parts) {
    if (pauses.isDue) await pauses.pause();
    if ('value' in part) {
      const value = await build(text, part.value, pauses);
      if (isArray) items.push(value);
      else setField(fields, part.key ?? '', value);
      continue;
    }
    const members = text.slice(part.from, part.to);
    if (isArray) addItems(items, JSON.parse(`[${members}]`) as readonly unknown[]);
    else addFields(fields, JSON.parse(`{${members}}`) as Readonly<Record<string, unknown>>);
  }
  return isArray ? items : fields;
}

/** Between two commas there is a member. */
function addItems(items: unknown[], some: readonly unknown[]): void {
  if (some.length === 0) throw notJson;
  for (const item of some) items.push(item);
}

function addFields(fields: Record<string, unknown>, some: Readonly<Record<string, unknown>>): void {
  const keys = Object.keys(some);
  if (keys.length === 0) throw notJson;
  for (const key of keys) setField(fields, key, some[key]);
}

function setField(fields: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true });
  else fields[key] = value;
}
