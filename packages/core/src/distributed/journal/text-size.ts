/** Owns the size of a string in bytes of UTF-8, which journals limit. */

/** The maximum size of one UTF-16 code unit in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

/** Whether the text fits into the limit. Its bytes are counted only if its length does not decide it. */
export function fitsInto(text: string, maxBytes: number): boolean {
  return text.length <= maxBytes && (text.length * MAX_BYTES_PER_UNIT <= maxBytes || bytesOf(text) <= maxBytes);
}

/** Texts from `JSON.stringify` have no lone surrogates: each pair takes four bytes. */
export function bytesOf(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 || isSurrogate(unit) ? 1 : 2;
  }
  return bytes;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
