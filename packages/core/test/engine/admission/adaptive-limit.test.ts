import { expect, it } from 'vitest';
import {
  circuitClosed,
  circuitOpened,
  createAdaptiveLimit,
  hasRoom,
  learnSuccess,
  type AdaptiveLimit,
} from '../../../src/engine/admission/adaptive-limit.ts';

/** A tool with so many servers, asked by as many as may ask at once: each second's answers, all taking what that load makes of them. */
function serve(
  learned: AdaptiveLimit,
  { seconds, servers, usualMs, callers }: { seconds: number; servers: number; usualMs: number; callers: number },
): void {
  const begin = Math.max(learned.lastCutAt, 0);
  for (let second = 1; second <= seconds; second += 1) {
    const load = Math.min(Math.floor(learned.limit), callers);
    const durationMs = usualMs * Math.max(1, load / servers);
    const answers = Math.round((load * 1_000) / durationMs);
    for (let nth = 0; nth < answers; nth += 1)
      learnSuccess(learned, durationMs, load, callers > load ? 1 : 0, begin + second * 1_000 + (nth * 1_000) / answers);
  }
}

it('begins open, and a tool that is hardly asked never lowers it, however long some of its answers take', () => {
  const learned = createAdaptiveLimit({}, 0);
  for (let nth = 0; nth < 2_000; nth += 1) learnSuccess(learned, nth % 50 === 0 ? 60_000 : 100 + (nth % 7) * 50, 2, 0, nth * 2_000);
  expect(learned.limit).toBe(1_000);
});

it('falls to what the tool can serve when more is asked, and is given back when that is over', () => {
  const learned = createAdaptiveLimit({}, 0);
  serve(learned, { seconds: 10, servers: 30, usualMs: 200, callers: 20 });
  expect(learned.limit).toBe(1_000);
  serve(learned, { seconds: 60, servers: 12, usualMs: 200, callers: 400 });
  expect(learned.limit).toBeGreaterThan(8);
  expect(learned.limit).toBeLessThan(60);
  serve(learned, { seconds: 20, servers: 30, usualMs: 200, callers: 4 });
  expect(learned.limit).toBe(1_000);
});

it('slowness that fewer calls do not fix becomes the usual', () => {
  const learned = createAdaptiveLimit({}, 0);
  serve(learned, { seconds: 10, servers: 1_000, usualMs: 200, callers: 40 });
  serve(learned, { seconds: 60, servers: 1_000, usualMs: 900, callers: 40 });
  expect(learned.baselineMs).toBeGreaterThan(600);
  expect(learned.limit).toBeGreaterThanOrEqual(39);
});

it('starts slowly after an outage, at once after a false alarm', () => {
  const learned = createAdaptiveLimit({}, 0);
  serve(learned, { seconds: 10, servers: 100, usualMs: 200, callers: 50 });
  circuitOpened(learned, 20_000);
  circuitClosed(learned, 3, 60_000);
  expect(learned.limit).toBe(3 + Math.ceil(0.75 * 50));
  expect(hasRoom(learned, 40, 5, 60_000)).toBe(true);
  expect(hasRoom(learned, 41, 5, 60_000)).toBe(false);
  for (let nth = 0; nth < 30; nth += 1) learnSuccess(learned, 200, 11, 5, 60_000 + nth);
  expect(learned.limit).toBeGreaterThanOrEqual(50);
  circuitOpened(learned, 70_000);
  circuitClosed(learned, 3, 70_500);
  expect(learned.limit).toBeGreaterThan(30);
});
