/**
 * Owns how any JavaScript string is kept in a string column: PostgreSQL keeps UTF-8 without NUL, so a lone surrogate would be replaced, and a NUL is refused.
 * Such strings, and those that look like one of ours, are kept as marked JSON.
 */
const mark = '\u0001';
const unkeepable = /[\0\p{Surrogate}]/u;

export function toText(value: string): string {
  return value.startsWith(mark) || unkeepable.test(value) ? mark + JSON.stringify(value) : value;
}

export function fromText(value: string): string {
  return value.startsWith(mark) ? (JSON.parse(value.slice(mark.length)) as string) : value;
}
