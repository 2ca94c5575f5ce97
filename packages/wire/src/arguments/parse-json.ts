/**
 * Owns strict JSON parsing that preserves numbers JavaScript cannot represent: they are returned as strings of digits, with a flag.
 *
 * Invariants
 * 1. An integer in the result is exactly the integer in the text; only fractions are rounded.
 * 2. A text with a name twice in one object is not valid: `JSON.parse` would keep the last value.
 */
import { repeatsName } from '@holdfast/core/internal/plain';
import { parseTolerant } from './parse-tolerant.ts';

export interface ParsedJson {
  readonly value: unknown;
  /** The text contains a number that would have been rounded; in the value it is a string of digits. */
  readonly bigIntegers: boolean;
}

/** Texts without these contain no number that could be rounded. */
const mayRound = /\d{15}|\d[eE][+-]?\d/;

/** Parses strict JSON; `undefined` if the text is not valid. */
export function parseJson(text: string): ParsedJson | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (repeatsName(text, value)) return undefined;
    if (!mayRound.test(text)) return { value, bigIntegers: false };
    const exact = parseTolerant(text);
    return exact.kind === 'values' ? exact.values[0] : undefined;
  } catch {
    return undefined;
  }
}
