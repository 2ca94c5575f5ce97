/**
 * Owns short names made of long ones: the same text gives the same letters, on every machine and at every time.
 * Not for secrets: the hash is not cryptographic. Callers check for collisions.
 */

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` letters and digits that stand for a string. */
export function digest(text: string, length: number): string {
  let letterText = '';
  for (let round = 0; letterText.length < length; round += 1) letterText += fiveLetters(text, round);
  return letterText.slice(0, length);
}

function fiveLetters(text: string, round: number): string {
  let rest = murmur(text, 0x9e3779b9 ^ Math.imul(round + 1, 0x85ebca6b));
  let word = '';
  for (let index = 0; index < 5; index += 1) {
    word += letters[rest % letters.length] ?? '0';
    rest = Math.floor(rest / letters.length);
  }
  return word;
}

function murmur(text: string, seed: number): number {
  let state = seed ^ text.length;
  for (let index = 0; index < text.length; index += 1) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x5bd1e995);
    state ^= state >>> 15;
  }
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
