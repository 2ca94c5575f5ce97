/**
 * Owns what models and servers write around arguments: invisible characters, a code fence, special tokens, the name of the tool, the escapes of a string.
 * Does not own prose: a value is never taken out of a sentence, which may say that it must not be used.
 *
 * Invariants
 * 1. Only what has no meaning of its own is removed; the value inside stays as it is.
 * 2. Takes time linear in the length of the text.
 */
import { parseJsonOrUndefined } from '../json.ts';

export interface Unframed {
  readonly text: string;
  /** What was removed, as named in reports. */
  readonly repairs: readonly string[];
}

type Removal = readonly [id: string, apply: (text: string, toolName: string) => string];

/** In the order of application; each works on the output of the previous ones. */
const removals: readonly Removal[] = [
  ['code-fence', removeFence],
  ['special-tokens', removeTokens],
  ['double-encoded', unescapeText],
];

export function removeFraming(text: string, toolName: string): Unframed {
  let clean = trim(text);
  // Blanks around a value belong to JSON.
  const repairs = /^[ \t\r\n]*$/.test(around(text, clean)) ? [] : ['invisible-characters'];
  for (const [id, apply] of removals) {
    const next = apply(clean, toolName);
    if (next !== clean) repairs.push(id);
    clean = next;
  }
  return { text: clean, repairs };
}

const invisible: ReadonlySet<string> = new Set(['\u0000', '\u200B', '\u2060', '\uFEFF']);

const isInvisible = (char: string): boolean => invisible.has(char) || char.trim() === '';

function trim(text: string): string {
  let first = 0;
  while (first < text.length && isInvisible(text[first] ?? '')) first += 1;
  return text.slice(first, Math.max(first, endOf(text, text.length)));
}

/** What a part of a text, found at its first place, leaves of it. */
function around(text: string, part: string): string {
  const start = text.indexOf(part);
  return text.slice(0, start) + text.slice(start + part.length);
}

/** The index after the last visible character before `end`. */
function endOf(text: string, end: number): number {
  let last = end;
  while (last > 0 && isInvisible(text[last - 1] ?? '')) last -= 1;
  return last;
}

/** A fence for data or a call. Other words after a fence may say something about the value. */
const fence = /^```(?:json[5c]?|js|javascript|python|py|tool_(?:call|code))?(?![\w-])[ \t]*\r?\n?/i;

/** Removes one code fence around the whole text; the closing fence may be missing. */
function removeFence(text: string): string {
  const opening = fence.exec(text);
  if (!opening) return text;
  const inner = trim(text.slice(opening[0].length));
  const body = inner.endsWith('```') ? trim(inner.slice(0, -3)) : inner;
  // Fences in a string of the value are its own.
  return body.includes('```') && parseJsonOrUndefined(body) === undefined ? text : body;
}

/** The words in the marks of chat templates. A mark with any other word, such as `<|user|>` or `<|dry_run|>`, says something about the value. */
const words =
  'im|begin|start|end|stop|eo[tmsah]|bos|pad|sep|of|text|sentence|turn|token|id|tools?|calls?|section|arguments?|return|message|python|tag|assistant|chatbot|action|plugin|functions?|header|role|constrain|json';
const mark = `[|｜](?!tools?[|｜])/?(?:(?:${words})[ _▁-]?)+[|｜]`;
const tag = 's|[be]os|pad|(?:start|end)_of_(?:turn|text)|tool_calls?|tool_use|function(?:_calls?)?|arguments|parameters|invoke|json';
/** What ends a turn is not removed before the value: the value is then of another turn. */
const head = new RegExp(
  `^(?:<(?![|｜]?/|eos|[^<>]{0,60}(?:\\b|[_▁])(?:end|stop|eo[tmsah]))(?:${mark}|${tag})>|\\[TOOL_(?:CALLS?|REQUEST)\\])\\s{0,8}`,
  'i',
);
const tail = new RegExp(`(?:<(?:${mark}|/?(?:${tag}))>|\\[/?(?:END_)?TOOL_(?:CALLS?|REQUEST)\\])$`, 'i');
const maxTokenLength = 70;

/** Removes special tokens of chat templates around the value, such as `<|endoftext|>`, and the name of the called tool before it. */
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

/**
 * Unescapes text that is escaped like the content of a string but has no quotes around it: `{\"a\":1}`.
 * With other backslashes, only the quotes may have been escaped, so that the text has two meanings.
 */
function unescapeText(text: string): string {
  if (!/^\{\s*\\"/.test(text) || text.replaceAll('\\"', '').includes('\\')) return text;
  const inner = parseJsonOrUndefined(`"${text}"`);
  return typeof inner === 'string' ? inner : text;
}
