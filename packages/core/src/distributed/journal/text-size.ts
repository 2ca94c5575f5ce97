/** Owns how many bytes a string takes in UTF-8, which is what journals limit. */

/** In UTF-8 one UTF-16 unit takes so many bytes, at most. */
const MOST_BYTES_A_UNIT = 3;

/** Whether the text takes no more than that; it is counted only where its length does not tell. */
export function fitsInto(text: string, mostBytes: number): boolean {
  return text.length <= mostBytes && (text.length * MOST_BYTES_A_UNIT <= mostBytes || bytesOf(text) <= mostBytes);
}

/** Texts that were made as JSON hold no half characters: each pair of units takes four bytes. */
export function bytesOf(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 || isHalf(unit) ? 1 : 2;
  }
  return bytes;
}

function isHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
