/**
 * Owns encoding a string as the value of a header.
 */

/** Returns the string itself if it is safe, else its base64 encoding with the markers of MCP. */
export function headerValue(text: string): string {
  const isPlain = /^[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/.test(text) && !(text.startsWith('=?base64?') && text.endsWith('?='));
  return isPlain || text === '' ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
