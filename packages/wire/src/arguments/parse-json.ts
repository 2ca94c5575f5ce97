/**
 * Owns strict JSON parsing that preserves numbers JavaScript cannot represent: they are returned as strings of digits, with a flag.
 *
 * Invariant: an integer in the result is exactly the integer in the text; only fractions are rounded.
 */

export interface ParsedJson {
  readonly value: unknown;
  /** The text contains a number that would have been rounded; in the value it is a string of digits. */
  readonly bigIntegers: boolean;
}

/** Parses strict JSON; `undefined` if the text is not valid. */
export function parseJson(text: string): ParsedJson | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const exact = mayRound.test(text) ? quoteRoundedNumbers(text) : undefined;
    return exact === undefined ? { value, bigIntegers: false } : { value: JSON.parse(exact) as unknown, bigIntegers: true };
  } catch {
    return undefined;
  }
}

const mayRound = /\d{16}|\d[eE]\+?\d{2}/;
const numberAt = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Quotes every number in the text that would be rounded; `undefined` if there is none. */
function quoteRoundedNumbers(text: string): string | undefined {
  const parts: string[] = [];
  let from = 0;
  let index = 0;
  while (index < text.length) {
    const char = text[index] ?? '';
    if (char === '"') index = stringEnd(text, index);
    else if (char === '-' || (char >= '0' && char <= '9')) {
      numberAt.lastIndex = index;
      const [digits = char] = numberAt.exec(text) ?? [];
      if (!isExact(digits)) {
        parts.push(text.slice(from, index), `"${digits}"`);
        from = index + digits.length;
      }
      index += digits.length;
    } else index += 1;
  }
  return parts.length === 0 ? undefined : parts.join('') + text.slice(from);
}

function stringEnd(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index + 1;
}

const maxIntegerLength = 400;

function isExact(digits: string): boolean {
  const value = Number(digits);
  if (!Number.isFinite(value)) return false;
  return /[.eE]/.test(digits) || (digits.length < maxIntegerLength && BigInt(digits) === BigInt(value));
}
