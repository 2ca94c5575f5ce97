import { describe, expect, it } from 'vitest';
import { createAdaptiveLimit, learnSuccess, type AdaptiveLimit } from '../../../src/engine/admission/adaptive-limit.ts';

/** Numbers in (0, 1) that look like chance, the same in every run. */
function createChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Durations with a mean of 200 ms; the slowest of a hundred takes `tail` times as long as the median one. */
function createDurations(tail: number, chance: () => number): () => number {
  const sigma = Math.log(tail) / 2.326;
  const median = 200 / Math.exp(sigma ** 2 / 2);
  return () => median * Math.exp(sigma * Math.sqrt(-2 * Math.log(chance())) * Math.cos(2 * Math.PI * chance()));
}

/** The share of answers at which no more than half of the calls were let through that the tool is asked for: sixteen at a time, and it takes twenty. */
function shareChoked(learned: AdaptiveLimit, tail: number, seed: number): number {
  const durationOf = createDurations(tail, createChance(seed));
  let choked = 0;
  let waiting = 0;
  let now = 0;
  const answers = 40_000;
  for (let nth = 0; nth < answers; nth += 1) {
    const load = Math.min(waiting > 0 ? 1_000 : 16, Math.floor(learned.limit), 20);
    now += 200 / load;
    waiting = Math.max(0, waiting + (16 - load) / load);
    learnSuccess(learned, durationOf(), load, Math.floor(waiting), now);
    if (load <= 8) choked += 1;
  }
  return choked / answers;
}

describe('a tool whose durations are skewed, and that is well', () => {
  it.each([2, 5, 20, 55])('is not choked, the slowest of a hundred taking %i times the median', (tail) => {
    for (const seed of [1, 7, 77, 777, 7_777]) expect(shareChoked(createAdaptiveLimit({}, 0), tail, seed)).toBeLessThan(0.03);
  });
});
