/**
 * Owns how a string becomes the value of a header.
 */

/** As it is where that is safe; else in base64 with the marks that say so. */
export function headerValue(text: string): string {
  const isPlain = /^[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/.test(text) && !(text.startsWith('=?base64?') && text.endsWith('?='));
  return isPlain || text === '' ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
