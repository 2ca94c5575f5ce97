/**
 * Owns guesses at texts that are no JSON: the repairing is jsonrepair's, and what comes out of it is believed only when it says what the text said.
 *
 * Invariants
 * 1. A string that looks cut off is never repaired.
 * 2. The outcome is one object. No word, number or sign of the text is lost, none is added, and every text in it stands in the text letter by letter.
 * 3. The time is bounded: what would take jsonrepair long is not given to it.
 */
import { jsonrepair } from 'jsonrepair';
import { isRecord } from '../json.ts';
import { parseJson, type ParsedJson } from './parse-json.ts';
import { scanJson } from './scan-json.ts';

export type SyntaxRepair =
  | { readonly kind: 'repaired'; readonly parsed: ParsedJson; readonly id: 'json-syntax' | 'surrounding-text' }
  | { readonly kind: 'cut-off' }
  | { readonly kind: 'refused' };

const refused: SyntaxRepair = { kind: 'refused' };
const maxRepairLength = 32_768;
/** jsonrepair looks at a string anew for each quote whose meaning is open. */
const maxOddQuotes = 16;

export function repairSyntax(text: string): SyntaxRepair {
  const seen = scanJson(text, true);
  if (seen.open) return { kind: 'cut-off' };
  if (!seen.outside.includes('{')) return refused;
  const alone = objectInText(text);
  if (alone) return { kind: 'repaired', parsed: alone, id: 'surrounding-text' };
  if (text.length > maxRepairLength || seen.oddQuotes > maxOddQuotes || isAmbiguous(text, seen.outside)) return refused;
  const kept = keepBackslashes(text);
  const repaired = attempt(kept);
  if (repaired === undefined || !hasSameContent(kept, repaired)) return refused;
  const parsed = parseJson(repaired);
  return parsed && isRecord(parsed.value) && isContainedIn(parsed.value, kept) ? { kind: 'repaired', parsed, id: 'json-syntax' } : refused;
}

/** jsonrepair drops the backslash of an escape that it does not know. */
const keepBackslashes = (text: string): string =>
  text.replace(/\\(["'`\\/bfnrt]|u[0-9a-fA-F]{4})|\\/g, (match, escaped: string | undefined) => (escaped === undefined ? '\\\\' : match));

function attempt(text: string): string | undefined {
  try {
    return jsonrepair(text);
  } catch {
    return undefined;
  }
}

/** One whole object with words around it. */
function objectInText(text: string): ParsedJson | undefined {
  const start = text.indexOf('{');
  const [end, ...more] = scanJson(text.slice(start), false).ends;
  if (end === undefined || more.length > 0) return undefined;
  const around = text.slice(0, start) + text.slice(start + end);
  if (around.trim() === '' || /[{}[\]"]/.test(around)) return undefined;
  return parseJson(text.slice(start, start + end));
}

const halfWord = /[:,[]\s?(?:tr?u?|fa?l?s?|nu?l?)\s?[,}\]]/;

/** Python's long texts, statements, omissions, halves of words and numbers that are none: each has been seen to become something else. */
const isAmbiguous = (text: string, outside: string): boolean =>
  text.includes('"""') || text.includes("'''") || /;|\.\.\.|…|\bNaN\b|\bInfinity\b/.test(outside) || halfWord.test(outside);

const signs: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** The text with its escapes carried out. */
const decodedText = (text: string): string =>
  text.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (match, code: string | undefined, sign: string | undefined) =>
    code === undefined
      ? (signs[sign ?? ''] ?? (/["'`\\/]/.test(sign ?? '') ? (sign ?? '') : match))
      : String.fromCharCode(Number.parseInt(code, 16)),
  );

const literals: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null', undefined: 'null' };

/** Everything but blanks, quotes and the signs that structure a value. */
const contentOf = (text: string): string =>
  decodedText(removeComments(text))
    .replace(/\b(?:True|False|None|undefined)\b/g, (word) => literals[word] ?? word)
    .replaceAll(/[\s"'`“”‘’{}[\](),:]/g, '');

const comment = /(^|[\s,{}[\]"'])(?:\/\/[^\n]*|\/\*[^*]*\*\/)/g;
const removeComments = (text: string): string => text.replace(comment, '$1');

/** A call around the object is left out: `run({…})`. */
const removeCall = (text: string): string => {
  const word = text.trim();
  const call = /^[A-Za-z_][\w.]{0,60}\(/.exec(word);
  return call && word.endsWith(')') ? word.slice(call[0].length, -1) : text;
};

const hasSameContent = (text: string, repaired: string): boolean => {
  const said = contentOf(repaired);
  return contentOf(text) === said || contentOf(removeCall(text)) === said;
};

/** Whether every text of the value, names included, stands in the source. */
function isContainedIn(value: unknown, text: string): boolean {
  const source = decodedText(text);
  const pending: unknown[] = [value];
  let from = 0;
  while (pending.length > 0) {
    const part = pending.pop();
    if (typeof part === 'string') {
      // Nearly always in the order of the text; names that are numbers come first in an object.
      const next = source.indexOf(part, from);
      const at = next === -1 ? source.indexOf(part) : next;
      if (at === -1) return false;
      from = at + part.length;
    } else if (typeof part === 'object' && part !== null) {
      const inside = Array.isArray(part) ? (part as readonly unknown[]) : Object.entries(part).flat();
      for (let index = inside.length - 1; index >= 0; index -= 1) pending.push(inside[index]);
    }
  }
  return true;
}
