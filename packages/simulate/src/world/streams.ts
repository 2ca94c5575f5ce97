/**
 * Owns the randomness of a world: numbered streams drawn from (seed, name), so that every contender gets the same. A draw depends only on its stream and
 * numbers, never on the draws before it.
 */
import { avalanche, drawAt } from '@holdfast/core/internal';

/** A number in [0, 1) for two numbers. */
export type Stream = (first: number, second?: number) => number;

export function createStream(seed: string, name: string): Stream {
  const high = wordOf(seed, name, 'high');
  const low = wordOf(seed, name, 'low');
  return (first, second = 0) => {
    const mixed = avalanche(avalanche(first ^ high) + Math.imul(second, 0x9e3779b1) + low);
    const more = avalanche(mixed ^ low ^ Math.imul(first, 0x85ebca6b));
    return (mixed * 0x200000 + (more >>> 11)) / 0x20000000000000;
  };
}

function wordOf(seed: string, ...names: readonly string[]): number {
  return (drawAt(seed, ...names) * 0x100000000) >>> 0;
}

/** A hash of some numbers: 32 bits. */
export function keyOf(...numbers: readonly number[]): number {
  let key = 0x2f0b4a27;
  for (const number of numbers) key = avalanche(Math.imul(key, 0x9e3779b1) + number);
  return key;
}
