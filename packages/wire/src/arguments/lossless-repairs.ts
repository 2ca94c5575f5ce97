/**
 * Owns the repairs of a string that lose nothing: each takes away or writes out what can have one meaning only.
 * Does not own guesses; see `repair-syntax.ts`.
 *
 * Invariants
 * 1. A fix is kept only when strict JSON comes out of it; the caller tries after each.
 * 2. The time is proportional to the length of the text.
 */

import { tryParse } from '../json.ts';

export interface LosslessRepair {
  /** Its name in reports. */
  readonly id: string;
  readonly apply: (text: string, toolName: string) => string;
}

/** In the order in which they are tried, each on what the ones before left. */
export const losslessRepairs: readonly LosslessRepair[] = [
  { id: 'invisible-characters', apply: (text) => trimEnd(trimStart(text)) },
  { id: 'code-fence', apply: removeFence },
  { id: 'special-tokens', apply: removeTokens },
  { id: 'double-encoded', apply: unescapeText },
  { id: 'raw-control-characters', apply: escapeControls },
  { id: 'invalid-escapes', apply: doubleBackslashes },
];

const invisible: ReadonlySet<string> = new Set(['\u0000', '\u200B', '\u2060', '\uFEFF']);

function trimStart(text: string): string {
  let first = 0;
  while (first < text.length && isInvisible(text[first] ?? '')) first += 1;
  return text.slice(first);
}

const isInvisible = (letter: string): boolean => invisible.has(letter) || letter.trim() === '';

const trimEnd = (text: string): string => text.slice(0, endOf(text, text.length));

/** The place behind the last letter that can be seen, before `end`. */
function endOf(text: string, end: number): number {
  let last = end;
  while (last > 0 && isInvisible(text[last - 1] ?? '')) last -= 1;
  return last;
}

/** One fence around everything; the closing one may be missing. */
function removeFence(text: string): string {
  const opening = /^```[\w-]{0,20}[ \t]*\r?\n?/.exec(text);
  if (!opening) return text;
  const inner = trimEnd(text.slice(opening[0].length));
  const body = inner.endsWith('```') ? trimEnd(inner.slice(0, -3)) : inner;
  return body.includes('```') ? text : body;
}

const tail = /(?:<[|｜][^<>\n]{1,60}[|｜]>|<\/?[A-Za-z_][\w:-]{0,40}>|\[\/[A-Z_]{2,30}\])$/;
const head = /^(?:<[|｜][^<>\n]{1,60}[|｜]>|<[A-Za-z_][\w:-]{0,40}>|\[[A-Z_]{2,30}\])\s{0,8}/;
const longestToken = 70;

/** Marks of chat templates behind and before the value, such as `<|endoftext|>`, and the name of the tool itself. */
function removeTokens(text: string, toolName: string): string {
  let end = text.length;
  for (;;) {
    const mark = tail.exec(text.slice(Math.max(0, end - longestToken), end));
    if (!mark) break;
    end = endOf(text, end - mark[0].length);
  }
  let start = 0;
  for (;;) {
    const mark = head.exec(text.slice(start, Math.min(end, start + longestToken)));
    if (!mark) break;
    start += mark[0].length;
  }
  const named = toolName !== '' && text.startsWith(toolName, start) && /^\s{0,8}\{/.test(text.slice(start + toolName.length, end));
  return text.slice(named ? start + toolName.length : start, end).trimStart();
}

/** Escaped like the content of a string, without its quotes: `{\\"a\\":1}`. */
function unescapeText(text: string): string {
  if (!/^\{\s*\\"/.test(text)) return text;
  const inner = tryParse(`"${text}"`)?.value;
  return typeof inner === 'string' ? inner : text;
}

const controlEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f' };

/** Line breaks and the like that stand in strings as they are. */
function escapeControls(text: string): string {
  let inside = false;
  let from = 0;
  const parts: string[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index] ?? '';
    if (inside && letter === '\\' && (text[index + 1] ?? ' ') >= ' ') index += 1;
    else if (letter === '"') inside = !inside;
    else if (inside && letter < ' ') {
      const code = letter.charCodeAt(0).toString(16).padStart(4, '0');
      parts.push(text.slice(from, index), controlEscapes[letter] ?? `\\u${code}`);
      from = index + 1;
    }
  }
  return from === 0 ? text : parts.join('') + text.slice(from);
}

/** `\d` is `\\d`, and `C:\Users` is `C:\\Users`; a `\n` in a path cannot be told from a line break. */
function doubleBackslashes(text: string): string {
  return text.replace(/\\(["\\/bfnrt]|u[0-9a-fA-F]{4})|\\/g, (match, escaped: string | undefined) =>
    escaped === undefined ? '\\\\' : match,
  );
}

/** Beside an escape that JSON does not have, one that it has may be meant as letters: `C:\Users\new`. */
export const hasLetterEscapes = (text: string): boolean => /(?<!\\)(?:\\\\)*\\[bfnrt]/.test(text);
