/**
 * Owns parsing a large JSON text of a client in slices, with pauses in which other clients are served.
 *
 * Invariant: the value is that of `JSON.parse`, except that a text is refused if an object has too many names or is nested too deeply.
 */
import { parseInSlices } from '../parse-in-slices.ts';
import { Pauses } from '../pauses.ts';
import { unreadIn } from '../unread-part.ts';
import { countNames } from './repeats-name.ts';

/** What a large JSON text is read as: its value, or why it is not read. */
export type LargeJson =
  | {
      readonly value: unknown;
      /** Whether an object has a name twice: `JSON.parse` keeps the last value. */
      readonly repeatsName: () => Promise<boolean>;
      readonly problem?: undefined;
    }
  | { readonly problem: 'too_deep' }
  | { readonly problem: 'not_json' }
  /** `reason`: what the text has too much of. */
  | { readonly problem: 'too_large'; readonly reason: string; readonly value: unknown };

/** From this length on, parsing a text takes more than a few milliseconds. */
export { slicedChars as largeJsonChars } from '../parse-in-slices.ts';

/** `depth`: how many levels are allowed. Never rejects. */
export async function readLargeJson(text: string, depth: number): Promise<LargeJson> {
  const pauses = new Pauses();
  const members = await countMembers(text, depth, pauses);
  if (members === undefined) return { problem: 'too_deep' };
  const value = await parseInSlices(text);
  if (value === undefined) return { problem: 'not_json' };
  const parts = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  const reason = parts
    .map((part) => (typeof part === 'object' && part !== null ? unreadIn(part) : undefined))
    .find((each) => each !== undefined);
  if (reason !== undefined) return { problem: 'too_large', reason, value };
  return { value, repeatsName: async () => (await countNamesInSlices(value, pauses)) !== members };
}

const sliceChars = 16_384;
const [quote, backslash, colon] = ['"', '\\', ':'].map((char) => char.charCodeAt(0));
const opening = new Set(['{', '['].map((char) => char.charCodeAt(0)));
const closing = new Set(['}', ']'].map((char) => char.charCodeAt(0)));

/** Returns the number of members of all objects, each of which has a colon outside strings; `undefined` if the text is nested too deeply. */
async function countMembers(text: string, depth: number, pauses: Pauses): Promise<number | undefined> {
  let members = 0;
  let level = 0;
  for (let at = 0, due = sliceChars; at < text.length; at += 1) {
    if (at >= due) {
      due = at + sliceChars;
      if (pauses.isDue) await pauses.pause();
    }
    const code = text.charCodeAt(at);
    if (code === quote) at = await endOfString(text, at, pauses);
    else if (code === colon) members += 1;
    else if (opening.has(code)) {
      level += 1;
      if (level > depth) return undefined;
    } else if (closing.has(code)) level -= 1;
  }
  return members;
}

async function endOfString(text: string, start: number, pauses: Pauses): Promise<number> {
  for (let end = text.indexOf('"', start + 1), due = start + sliceChars; end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (first - 1 > start && text.charCodeAt(first - 1) === backslash) first -= 1;
    if ((end - first) % 2 === 0) return end;
    if (end < due) continue;
    due = end + sliceChars;
    if (pauses.isDue) await pauses.pause();
  }
  return text.length;
}

const partsPerSlice = 512;

async function countNamesInSlices(value: unknown, pauses: Pauses): Promise<number> {
  const pending = [value];
  let count = 0;
  while (pending.length > 0) {
    if (pauses.isDue) await pauses.pause();
    count += countNames(pending, partsPerSlice);
  }
  return count;
}
