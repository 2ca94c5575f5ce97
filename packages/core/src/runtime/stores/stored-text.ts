/**
 * Owns how a database column of text keeps any JavaScript string. Databases store UTF-8: they replace a lone surrogate, and refuse a NUL or cut the text off at it.
 * Such strings, and strings that begin with the mark, are kept as marked JSON.
 */
const mark = '\u0001';
const needsJson = /[\0\p{Surrogate}]/u;

/** Returns the string as a column can store it. */
export function toStoredText(value: string): string {
  return value.startsWith(mark) || needsJson.test(value) ? mark + JSON.stringify(value) : value;
}

/** Returns the string that `toStoredText` was given. */
export function fromStoredText(value: string): string {
  return value.startsWith(mark) ? (JSON.parse(value.slice(mark.length)) as string) : value;
}
