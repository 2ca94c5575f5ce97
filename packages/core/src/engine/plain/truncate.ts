/** Owns shortening texts. */

/** The start of a text, at most `maxChars` long, without half a surrogate pair at its end. */
export function headOf(text: string, maxChars: number): string {
  const end = Math.max(maxChars, 0);
  const last = text.charCodeAt(end - 1);
  const splits = end < text.length && last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splits ? end - 1 : end);
}

/** A text of at most `maxChars` unchanged; the start of a longer one, with a mark behind it. */
export function truncate(text: string, maxChars: number, mark = '…'): string {
  return text.length > maxChars ? `${headOf(text, maxChars)}${mark}` : text;
}
