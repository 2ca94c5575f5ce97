/**
 * Owns estimating the work of reading a plan from its text: reading takes time for each part, and blocks everything else meanwhile.
 */
import type { BodyKind } from '../body.ts';

/** Returns the approximate number of values, keys and empty lines; a long string counts as one, in YAML once per line. */
export function partsOf(text: string, kind: BodyKind): number {
  let parts = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (kind === 'json' && character === quote) quoted = !quoted;
    else if (quoted) index += character === backslash ? 1 : 0;
    else if (character === comma || character === colon || character === openBracket || character === openBrace) parts += 1;
    else if (kind === 'yaml' && isMark(text, index, character)) parts += 1;
  }
  return parts;
}

/** The end of a line, or an entry of a list. */
function isMark(text: string, index: number, character: number): boolean {
  return character === newline || (character === dash && (text.charCodeAt(index + 1) === space || text.charCodeAt(index + 1) === newline));
}

const [quote, backslash, comma, colon, openBracket, openBrace] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x7b] as const;
const [newline, dash, space] = [0x0a, 0x2d, 0x20] as const;
