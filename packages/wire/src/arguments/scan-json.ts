/**
 * Owns looking over a string that should be JSON, in one pass and without an opinion: where its values end, what stands outside of its strings.
 *
 * Invariant: the time is proportional to the length of the text, whatever the text.
 */

export interface Scan {
  /** A string, list or object is still open at the end. */
  readonly open: boolean;
  /** What stands outside of strings; each string is one `"`. */
  readonly outside: string;
  /** Quotes that end a string although nothing that may follow one follows, or that stand where none may start. */
  readonly oddQuotes: number;
  /** The places behind each value at the top, where one closed. */
  readonly ends: readonly number[];
}

const closers: Readonly<Record<string, string>> = { '"': '"', "'": "'", '“': '”', '‘': '’', '`': '`' };

const strays = "'“”‘’`";

/** Where a string may start: behind an opening, a separator, or nothing. */
const beforeString = /[[{,:(]/;
/** What may stand behind a string. */
const afterString = /[\]},:)]/;

/** @param tolerant single and smart quotes make strings as well */
export function scanJson(text: string, tolerant: boolean): Scan {
  const ends: number[] = [];
  let depth = 0;
  let closer = '';
  let last = '';
  let oddQuotes = 0;
  let outside = '';
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index] ?? '';
    if (closer !== '') {
      if (letter === '\\') index += 1;
      else if (letter === closer) {
        closer = '';
        last = letter;
        if (!followsString(text, index + 1)) oddQuotes += 1;
      }
      continue;
    }
    if (opens(letter, last, tolerant)) {
      closer = closers[letter] ?? '"';
      outside += '"';
      continue;
    }
    outside += letter;
    if (strays.includes(letter)) oddQuotes += 1;
    if (letter === '{' || letter === '[') depth += 1;
    if (letter === '}' || letter === ']') {
      depth -= 1;
      if (depth === 0) ends.push(index + 1);
    }
    if (letter.trim() !== '') last = letter;
  }
  return { open: closer !== '' || depth > 0, outside, oddQuotes, ends };
}

const opens = (letter: string, last: string, tolerant: boolean): boolean =>
  letter === '"' || (tolerant && Object.hasOwn(closers, letter) && (last === '' || beforeString.test(last)));

function followsString(text: string, from: number): boolean {
  // More blanks than anybody writes between a string and what follows it count as something else.
  for (let index = from; index < Math.min(text.length, from + 64); index += 1) {
    const letter = text[index] ?? '';
    if (letter.trim() !== '') return afterString.test(letter);
  }
  return from >= text.length;
}
