/**
 * Owns strict JSON, with an eye on numbers that JavaScript cannot hold: they come out as their digits, told apart from texts.
 *
 * Invariant: a number in the outcome is the number in the text, or the nearest one to a fraction.
 */

export interface ParsedJson {
  readonly value: unknown;
  /** Something in the text is a number that would have been rounded; in the value it is a string of its digits. */
  readonly bigIntegers: boolean;
}

/** The value of a strict JSON text, or `undefined`. */
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

/** The text with every number that would be rounded between quotes; `undefined` when there is none. */
function quoteRoundedNumbers(text: string): string | undefined {
  const parts: string[] = [];
  let from = 0;
  let index = 0;
  while (index < text.length) {
    const letter = text[index] ?? '';
    if (letter === '"') index = stringEnd(text, index);
    else if (letter === '-' || (letter >= '0' && letter <= '9')) {
      numberAt.lastIndex = index;
      const [digits = letter] = numberAt.exec(text) ?? [];
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

const longestInteger = 400;

function isExact(digits: string): boolean {
  const value = Number(digits);
  if (!Number.isFinite(value)) return false;
  return /[.eE]/.test(digits) || (digits.length < longestInteger && BigInt(digits) === BigInt(value));
}
