/**
 * Owns scanning a string that should be JSON, in one pass and without validating it: where its values end, and what lies outside its strings.
 *
 * Invariant: takes time linear in the length of the text, for any text.
 */

export interface Scan {
  /** Whether a string, list or object is unclosed at the end. */
  readonly open: boolean;
  /** The text outside strings; each string is replaced by one `"`. */
  readonly outside: string;
  /** Number of closing quotes not followed by a valid character, and of quotes where no string may start. */
  readonly oddQuotes: number;
  /** The index after each complete top-level value. */
  readonly ends: readonly number[];
}

const closers: Readonly<Record<string, string>> = { '"': '"', "'": "'", '“': '”', '‘': '’', '`': '`' };

const strays = "'“”‘’`";

/** Characters after which a string may start. */
const beforeString = /[[{,:(]/;
/** Characters that may follow a string. */
const afterString = /[\]},:)]/;

/** @param tolerant single and typographic quotes delimit strings as well */
export function scanJson(text: string, tolerant: boolean): Scan {
  const ends: number[] = [];
  let depth = 0;
  let closer = '';
  let last = '';
  let oddQuotes = 0;
  let outside = '';
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index] ?? '';
    if (closer !== '') {
      if (char === '\\') index += 1;
      else if (char === closer) {
        closer = '';
        last = char;
        if (!followsString(text, index + 1)) oddQuotes += 1;
      }
      continue;
    }
    if (opens(char, last, tolerant)) {
      closer = closers[char] ?? '"';
      outside += '"';
      continue;
    }
    outside += char;
    if (strays.includes(char)) oddQuotes += 1;
    if (char === '{' || char === '[') depth += 1;
    if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) ends.push(index + 1);
    }
    if (char.trim() !== '') last = char;
  }
  return { open: closer !== '' || depth > 0, outside, oddQuotes, ends };
}

const opens = (char: string, last: string, tolerant: boolean): boolean =>
  char === '"' || (tolerant && Object.hasOwn(closers, char) && (last === '' || beforeString.test(last)));

function followsString(text: string, from: number): boolean {
  // Whitespace longer than this is not plausible after a string and counts as a mismatch.
  for (let index = from; index < Math.min(text.length, from + 64); index += 1) {
    const char = text[index] ?? '';
    if (char.trim() !== '') return afterString.test(char);
  }
  return from >= text.length;
}
