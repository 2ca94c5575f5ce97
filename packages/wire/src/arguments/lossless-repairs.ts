/**
 * Owns the lossless repairs of a string: each removes or rewrites only what is unambiguous.
 * Does not own repairs by guessing; see `repair-syntax.ts`.
 *
 * Invariants
 * 1. The caller parses after each repair and stops as soon as the text is strict JSON.
 * 2. Takes time linear in the length of the text.
 */

import { parseJsonOrUndefined } from '../json.ts';

export interface LosslessRepair {
  /** Its name in reports. */
  readonly id: string;
  readonly apply: (text: string, toolName: string) => string;
}

/** In the order of application; each works on the output of the previous ones. */
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

const isInvisible = (char: string): boolean => invisible.has(char) || char.trim() === '';

const trimEnd = (text: string): string => text.slice(0, endOf(text, text.length));

/** The index after the last visible character before `end`. */
function endOf(text: string, end: number): number {
  let last = end;
  while (last > 0 && isInvisible(text[last - 1] ?? '')) last -= 1;
  return last;
}

/** Removes one code fence around the whole text; the closing fence may be missing. */
function removeFence(text: string): string {
  const opening = /^```[\w-]{0,20}[ \t]*\r?\n?/.exec(text);
  if (!opening) return text;
  const inner = trimEnd(text.slice(opening[0].length));
  const body = inner.endsWith('```') ? trimEnd(inner.slice(0, -3)) : inner;
  return body.includes('```') ? text : body;
}

const tail = /(?:<[|｜][^<>\n]{1,60}[|｜]>|<\/?[A-Za-z_][\w:-]{0,40}>|\[\/[A-Z_]{2,30}\])$/;
const head = /^(?:<[|｜][^<>\n]{1,60}[|｜]>|<[A-Za-z_][\w:-]{0,40}>|\[[A-Z_]{2,30}\])\s{0,8}/;
const maxTokenLength = 70;

/** Removes special tokens of chat templates around the value, such as `<|endoftext|>`, and a leading tool name. */
function removeTokens(text: string, toolName: string): string {
  let end = text.length;
  for (;;) {
    const mark = tail.exec(text.slice(Math.max(0, end - maxTokenLength), end));
    if (!mark) break;
    end = endOf(text, end - mark[0].length);
  }
  let start = 0;
  for (;;) {
    const mark = head.exec(text.slice(start, Math.min(end, start + maxTokenLength)));
    if (!mark) break;
    start += mark[0].length;
  }
  const named = toolName !== '' && text.startsWith(toolName, start) && /^\s{0,8}\{/.test(text.slice(start + toolName.length, end));
  return text.slice(named ? start + toolName.length : start, end).trimStart();
}

/** Unescapes text that is escaped like the content of a string but has no quotes around it: `{\\"a\\":1}`. */
function unescapeText(text: string): string {
  if (!/^\{\s*\\"/.test(text)) return text;
  const inner = parseJsonOrUndefined(`"${text}"`);
  return typeof inner === 'string' ? inner : text;
}

const controlEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f' };

/** Escapes line breaks and other control characters inside strings. */
function escapeControls(text: string): string {
  let inside = false;
  let from = 0;
  const parts: string[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index] ?? '';
    if (inside && char === '\\' && (text[index + 1] ?? ' ') >= ' ') index += 1;
    else if (char === '"') inside = !inside;
    else if (inside && char < ' ') {
      const code = char.charCodeAt(0).toString(16).padStart(4, '0');
      parts.push(text.slice(from, index), controlEscapes[char] ?? `\\u${code}`);
      from = index + 1;
    }
  }
  return from === 0 ? text : parts.join('') + text.slice(from);
}

/** `\d` becomes `\\d`, and `C:\Users` becomes `C:\\Users`; a `\n` in a path cannot be distinguished from a line break. */
function doubleBackslashes(text: string): string {
  return text.replace(/\\(["\\/bfnrt]|u[0-9a-fA-F]{4})|\\/g, (match, escaped: string | undefined) =>
    escaped === undefined ? '\\\\' : match,
  );
}

/** Next to an invalid escape, a valid one may be meant literally: `C:\Users\new`. */
export const hasLetterEscapes = (text: string): boolean => /(?<!\\)(?:\\\\)*\\[bfnrt]/.test(text);
