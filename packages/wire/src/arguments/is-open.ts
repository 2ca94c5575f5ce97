/** Owns whether a text of arguments ends inside a value. */
import { parseJson } from './parse-json.ts';
import { parseTolerant } from './parse-tolerant.ts';

/** Whether arguments are text that was cut off. */
export const looksTruncated = (given: unknown): boolean => typeof given === 'string' && parseJson(given) === undefined && isOpen(given);

/** Whether a text that is not JSON was cut off: a string, list or object is unclosed at its end. Takes time linear in the length of the text. */
function isOpen(text: string): boolean {
  const parsed = parseTolerant(text);
  return parsed.kind === 'cut-off' || (parsed.kind !== 'values' && hasOpenBracket(text));
}

/** Whether a text that no grammar describes has an unclosed double quote or bracket. */
export function hasOpenBracket(text: string): boolean {
  let depth = 0;
  let inside = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index] ?? '';
    if (char === '"') inside = !inside;
    else if (inside && char === '\\') index += 1;
    else if (!inside && (char === '{' || char === '[')) depth += 1;
    else if (!inside && (char === '}' || char === ']')) depth -= 1;
  }
  return inside || depth > 0;
}
