import { describe, expect, it } from 'vitest';
import {
  circuitClosed,
  circuitOpened,
  createAdaptiveLimit,
  learnSuccess,
  type AdaptiveLimit,
} from '../../../src/engine/admission/adaptive-limit.ts';

interface Load {
  readonly callers: number;
  readonly usualMs: number;
  readonly seconds: number;
  /** @default as many as anybody asks for */
  readonly servers?: number;
}

/** So many callers, each of whom asks again as soon as it is answered; who does not fit waits. */
function serve(learned: AdaptiveLimit, { callers, usualMs, seconds, servers = Infinity }: Load, from: number): void {
  const end = from + seconds * 1_000;
  for (let now = from; now < end;) {
    const load = Math.min(Math.floor(learned.limit), callers);
    const durationMs = usualMs * Math.max(1, load / servers);
    for (let nth = 1; nth <= load; nth += 1)
      learnSuccess(learned, durationMs, load, callers > load ? callers - load : 0, now + (durationMs * nth) / load);
    now += durationMs;
  }
}

describe('a tool that gets slower', () => {
  const factors = [1.8, 4.5];
  const callers = [4, 5, 6, 8, 10, 12, 16, 20, 24, 36, 100];
  it.each(factors.flatMap((factor) => callers.map((many) => [factor, many] as const)))(
    '%f times, for reasons of its own, is asked as much as before by %i callers within two minutes',
    (factor, many) => {
      const learned = createAdaptiveLimit({}, 0);
      serve(learned, { callers: many, usualMs: 200, seconds: 60 }, 0);
      serve(learned, { callers: many, usualMs: 200 * factor, seconds: 120 }, 60_000);
      expect(learned.limit).toBeGreaterThanOrEqual(many);
      expect(learned.baselineMs).toBeGreaterThan(200 * factor * 0.7);
    },
  );

  it.each([1, 2, 4, 12])('because its %i servers are asked for too much is not', (servers) => {
    const learned = createAdaptiveLimit({}, 0);
    serve(learned, { callers: 1, usualMs: 200, seconds: 60, servers }, 0);
    serve(learned, { callers: 200, usualMs: 200, seconds: 120, servers }, 60_000);
    expect(learned.limit).toBeGreaterThanOrEqual(Math.max(2, servers));
    expect(learned.limit).toBeLessThanOrEqual(4 * servers + 4);
  });
});

it('what drains from a queue when a circuit has opened is slow for a few, and is not what is usual', () => {
  const learned = createAdaptiveLimit({}, 0);
  serve(learned, { callers: 20, usualMs: 200, seconds: 60 }, 0);
  for (let nth = 0; nth < 100; nth += 1) learnSuccess(learned, 350, 72, 300, 60_000 + 10 * nth);
  expect(learned.limit).toBeGreaterThan(20);
  for (let nth = 0; nth < 200; nth += 1) learnSuccess(learned, 500, 3, 300, 61_000 + nth);
  expect(learned.baselineMs).toBeLessThan(300);
});

describe('the largest limit', () => {
  it.each([
    ['an outage', 60_000],
    ['a false alarm', 500],
  ])('holds after %s, too', (_what, openForMs) => {
    const learned = createAdaptiveLimit({ maxLimit: 4, initialLimit: 4 }, 0);
    circuitOpened(learned, 0);
    circuitClosed(learned, 3, openForMs);
    expect(learned.limit).toBeLessThanOrEqual(4);
    for (let nth = 0; nth < 10; nth += 1) {
      learnSuccess(learned, 100, 4, 9, openForMs + 100 * nth);
      expect(learned.limit).toBeLessThanOrEqual(4);
    }
  });
});
