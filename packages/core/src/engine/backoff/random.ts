/**
 * Owns reproducible randomness: one number per (seed, keys), with no state between draws.
 *
 * Invariants
 * 1. The same seed and keys give the same number on every machine; nothing else influences it, in particular not the order of draws
 *    (docs/specification.md#s2-principles).
 * 2. Draws of different keys are independent for all practical purposes (tested for dispersion and correlation).
 */

/** FNV-1a over UTF-16 units, in two lanes, so that keys of any length give 64 bits. */
function fnv1a(high: number, low: number, text: string): readonly [number, number] {
  let first = high;
  let second = low;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second ^ (unit + index), 0x85ebca6b) ^ (second >>> 13);
  }
  // A separator, so that ('ab', 'c') and ('a', 'bc') differ.
  return [Math.imul(first ^ 0xff, 0x01000193), Math.imul(second ^ 0x1ff, 0xc2b2ae35)];
}

/** The finalizer of MurmurHash3: every input bit reaches every output bit. */
export function avalanche(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function hash(keys: readonly string[]): readonly [number, number] {
  let high = 0x811c9dc5;
  let low = 0x2f0b4a27;
  for (const key of keys) [high, low] = fnv1a(high, low, key);
  return [avalanche(high ^ Math.imul(low, 0x9e3779b1)), avalanche(low ^ Math.imul(high, 0x7feb352d))];
}

/** A number in [0, 1) that depends only on the seed and the keys. 53 bits. */
export function drawAt(seed: string, ...keys: readonly string[]): number {
  const [high, low] = hash([seed, ...keys]);
  return (high * 0x200000 + (low >>> 11)) / 0x20000000000000;
}

/** A name of 16 hexadecimal digits that depends only on the seed and the keys. */
export function nameAt(seed: string, ...keys: readonly string[]): string {
  return hash([seed, ...keys])
    .map((word) => word.toString(16).padStart(8, '0'))
    .join('');
}
