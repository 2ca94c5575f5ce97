/**
 * Owns the mends of a text that lose nothing: each takes away or writes out what can have one meaning only.
 * Does not own guesses; see `repair-syntax.ts`.
 *
 * Invariants
 * 1. A mend is kept only when strict JSON comes out of it; the caller tries after each.
 * 2. The time is proportional to the length of the text.
 */

import { parsed } from '../json.ts';

export interface Mend {
  /** Its name in reports. */
  readonly id: string;
  readonly apply: (text: string, toolName: string) => string;
}

/** In the order in which they are tried, each on what the ones before left. */
export const mends: readonly Mend[] = [
  { id: 'invisible-characters', apply: (text) => trimEnd(trimStart(text)) },
  { id: 'code-fence', apply: withoutFence },
  { id: 'special-tokens', apply: withoutTokens },
  { id: 'double-encoded', apply: unescaped },
  { id: 'raw-control-characters', apply: controlsWritten },
  { id: 'invalid-escapes', apply: escapesDoubled },
];

const invisible: ReadonlySet<string> = new Set(['\u0000', '\u200B', '\u2060', '\uFEFF']);

function trimStart(text: string): string {
  let first = 0;
  while (first < text.length && isUnseen(text[first] ?? '')) first += 1;
  return text.slice(first);
}

const isUnseen = (letter: string): boolean => invisible.has(letter) || letter.trim() === '';

const trimEnd = (text: string): string => text.slice(0, endOf(text, text.length));

/** The place behind the last letter that can be seen, before `end`. */
function endOf(text: string, end: number): number {
  let last = end;
  while (last > 0 && isUnseen(text[last - 1] ?? '')) last -= 1;
  return last;
}

/** One fence around everything; the closing one may be missing. */
function withoutFence(text: string): string {
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
function withoutTokens(text: string, toolName: string): string {
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
function unescaped(text: string): string {
  if (!/^\{\s*\\"/.test(text)) return text;
  const inner = parsed(`"${text}"`)?.value;
  return typeof inner === 'string' ? inner : text;
}

const written: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f' };

/** Line breaks and the like that stand in strings as they are. */
function controlsWritten(text: string): string {
  let inside = false;
  let from = 0;
  const parts: string[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index] ?? '';
    if (inside && letter === '\\' && (text[index + 1] ?? ' ') >= ' ') index += 1;
    else if (letter === '"') inside = !inside;
    else if (inside && letter < ' ') {
      const code = letter.charCodeAt(0).toString(16).padStart(4, '0');
      parts.push(text.slice(from, index), written[letter] ?? `\\u${code}`);
      from = index + 1;
    }
  }
  return from === 0 ? text : parts.join('') + text.slice(from);
}

/** `\d` is `\\d`, and `C:\Users` is `C:\\Users`; a `\n` in a path cannot be told from a line break. */
function escapesDoubled(text: string): string {
  return text.replace(/\\(["\\/bfnrt]|u[0-9a-fA-F]{4})|\\/g, (match, escaped: string | undefined) =>
    escaped === undefined ? '\\\\' : match,
  );
}

/** Beside an escape that JSON does not have, one that it has may be meant as letters: `C:\Users\new`. */
export const hasLetterEscapes = (text: string): boolean => /(?<!\\)(?:\\\\)*\\[bfnrt]/.test(text);
