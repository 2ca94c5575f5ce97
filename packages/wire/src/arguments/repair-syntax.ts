/**
 * Owns guessing at texts that are not valid JSON: jsonrepair does the repair, and its output is accepted only if it has the same content as the text.
 *
 * Invariants
 * 1. A text that looks truncated is never repaired.
 * 2. The result is one object. No word, number or symbol of the text is lost or added, and every string in the result occurs verbatim in the text.
 * 3. The time is bounded: texts that would take jsonrepair long are refused.
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
/** jsonrepair rescans a string for each ambiguous quote. */
const maxOddQuotes = 16;

export function repairSyntax(text: string): SyntaxRepair {
  const scan = scanJson(text, true);
  if (scan.open) return { kind: 'cut-off' };
  if (!scan.outside.includes('{')) return refused;
  const alone = objectInText(text);
  if (alone) return { kind: 'repaired', parsed: alone, id: 'surrounding-text' };
  if (text.length > maxRepairLength || scan.oddQuotes > maxOddQuotes || isAmbiguous(text, scan.outside)) return refused;
  const kept = keepBackslashes(text);
  const repaired = attempt(kept);
  if (repaired === undefined || !hasSameContent(kept, repaired)) return refused;
  const parsed = parseJson(repaired);
  return parsed && isRecord(parsed.value) && isContainedIn(parsed.value, kept) ? { kind: 'repaired', parsed, id: 'json-syntax' } : refused;
}

/** Doubles the backslashes of unknown escapes, which jsonrepair would drop. */
const keepBackslashes = (text: string): string =>
  text.replace(/\\(["'`\\/bfnrt]|u[0-9a-fA-F]{4})|\\/g, (match, escaped: string | undefined) => (escaped === undefined ? '\\\\' : match));

function attempt(text: string): string | undefined {
  try {
    return jsonrepair(text);
  } catch {
    return undefined;
  }
}

/** Finds one complete object surrounded by prose. */
function objectInText(text: string): ParsedJson | undefined {
  const start = text.indexOf('{');
  const [end, ...more] = scanJson(text.slice(start), false).ends;
  if (end === undefined || more.length > 0) return undefined;
  const around = text.slice(0, start) + text.slice(start + end);
  if (around.trim() === '' || /[{}[\]"]/.test(around)) return undefined;
  return parseJson(text.slice(start, start + end));
}

const truncatedLiteral = /[:,[]\s?(?:tr?u?|fa?l?s?|nu?l?)\s?[,}\]]/;

/** Python's triple-quoted strings, statements, ellipses, truncated literals and NaN: jsonrepair has been scan to change the meaning of each. */
const isAmbiguous = (text: string, outside: string): boolean =>
  text.includes('"""') || text.includes("'''") || /;|\.\.\.|…|\bNaN\b|\bInfinity\b/.test(outside) || truncatedLiteral.test(outside);

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** The text with its escape sequences decoded. */
const decodedText = (text: string): string =>
  text.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (match, code: string | undefined, char: string | undefined) =>
    code === undefined
      ? (escapes[char ?? ''] ?? (/["'`\\/]/.test(char ?? '') ? (char ?? '') : match))
      : String.fromCharCode(Number.parseInt(code, 16)),
  );

const literals: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null', undefined: 'null' };

/** The text without whitespace, quotes and structural characters. */
const contentOf = (text: string): string =>
  decodedText(removeComments(text))
    .replace(/\b(?:True|False|None|undefined)\b/g, (word) => literals[word] ?? word)
    .replaceAll(/[\s"'`“”‘’{}[\](),:]/g, '');

const comment = /(^|[\s,{}[\]"'])(?:\/\/[^\n]*|\/\*[^*]*\*\/)/g;
const removeComments = (text: string): string => text.replace(comment, '$1');

/** Removes a function call around the object: `run({…})`. */
const removeCall = (text: string): string => {
  const trimmed = text.trim();
  const call = /^[A-Za-z_][\w.]{0,60}\(/.exec(trimmed);
  return call && trimmed.endsWith(')') ? trimmed.slice(call[0].length, -1) : text;
};

const hasSameContent = (text: string, repaired: string): boolean => {
  const content = contentOf(repaired);
  return contentOf(text) === content || contentOf(removeCall(text)) === content;
};

/** Whether every string of the value, including property names, occurs in the source. */
function isContainedIn(value: unknown, text: string): boolean {
  const source = decodedText(text);
  const pending: unknown[] = [value];
  let from = 0;
  while (pending.length > 0) {
    const part = pending.pop();
    if (typeof part === 'string') {
      // Strings usually occur in source order; only integer-like property names are sorted first in an object.
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
