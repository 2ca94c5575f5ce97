/**
 * Owns short deterministic hashes of strings: the same text gives the same hash on every machine.
 * Not for secrets: the hash is not cryptographic. Callers check for collisions.
 */

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Hashes a string to `length` letters and digits. */
export function digest(text: string, length: number): string {
  let hash = '';
  for (let round = 0; hash.length < length; round += 1) hash += fiveCharacters(text, round);
  return hash.slice(0, length);
}

function fiveCharacters(text: string, round: number): string {
  let rest = murmur(text, 0x9e3779b9 ^ Math.imul(round + 1, 0x85ebca6b));
  let characters = '';
  for (let index = 0; index < 5; index += 1) {
    characters += alphabet[rest % alphabet.length] ?? '0';
    rest = Math.floor(rest / alphabet.length);
  }
  return characters;
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
