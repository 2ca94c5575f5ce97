import { describe, expect, it } from 'vitest';
import { advance, attemptBegan } from '../../../src/engine/admission/in-flight-ages.ts';
import {
  circuitClosed,
  circuitOpened,
  createAdaptiveLimit,
  hasRoom,
  learnAnswer,
  learnSuccess,
  loadOf,
  nextUnloadAt,
  applyLimitSettings,
  noteThrottled,
  type AdaptiveLimit,
} from '../../../src/engine/admission/adaptive-limit.ts';

/** So many answers at one moment, all after the same time. */
function succeed(learned: AdaptiveLimit, many: number, { ms = 200, load = 20, waiting = 0, now = 0 }): void {
  for (let nth = 0; nth < many; nth += 1) learnSuccess(learned, ms, load, waiting, now);
}

/** A tool that usually takes 200 ms, with twenty calls side by side. */
function usual(settings: Parameters<typeof createAdaptiveLimit>[0] = {}): AdaptiveLimit {
  const learned = createAdaptiveLimit(settings, 0);
  for (let window = 0; window < 20; window += 1) succeed(learned, 20, { now: window * 1_000 });
  return learned;
}

describe('the adaptive limit falls', () => {
  it('once per round trip at most', () => {
    const learned = usual();
    const seen: number[] = [];
    for (let nth = 0; nth < 500; nth += 1) {
      succeed(learned, 1, { ms: 4_000, load: 20, waiting: 5, now: 30_000 });
      seen.push(learned.limit);
    }
    // To three tenths of the load at the lowest, however slow it was.
    expect(Math.min(...seen)).toBeGreaterThanOrEqual(6);
    expect(Math.min(...seen)).toBeLessThan(20);
  });

  it('to the least at the lowest', () => {
    const learned = usual({ minLimit: 15 });
    const seen: number[] = [];
    for (let nth = 0; nth < 200; nth += 1) {
      succeed(learned, 1, { ms: 20_000, load: Math.min(20, Math.floor(learned.limit)), waiting: 50, now: 30_000 + nth * 100 });
      seen.push(learned.limit);
    }
    expect(Math.min(...seen)).toBe(15);
  });

  it('not for one answer that takes very long', () => {
    const learned = usual();
    for (let window = 0; window < 20; window += 1) {
      succeed(learned, 19, { now: 30_000 + window * 1_000 });
      succeed(learned, 1, { ms: 60_000, now: 30_000 + window * 1_000 });
    }
    expect(learned.limit).toBe(1_000);
  });

  it('not where three calls side by side are slow: none of them is for our load', () => {
    const learned = usual();
    for (let window = 0; window < 20; window += 1) succeed(learned, 20, { ms: 5_000, load: 3, waiting: 1, now: 30_000 + window * 5_000 });
    expect(learned.limit).toBe(1_000);
  });
});

describe('errors', () => {
  const answer = (learned: AdaptiveLimit, errors: number, { usualShare = 0, waiting = 1 } = {}): void => {
    for (let nth = 0; nth < 20; nth += 1) learnAnswer(learned, nth < errors, usualShare, 20, waiting, 60_000);
  };

  it('beyond what is usual, while somebody waits, lower it', () => {
    const learned = usual();
    answer(learned, 7);
    expect(learned.limit).toBeCloseTo(14);
    answer(learned, 20);
    expect(learned.limit).toBeCloseTo(14);
  });

  it.each([
    ['few of them', 6, {}],
    ['while nobody waits', 20, { waiting: 0 }],
    ['from a tool that fails as often usually', 12, { usualShare: 0.5 }],
    ['from a tool that fails a little less usually', 9, { usualShare: 0.25 }],
  ])('%s do not', (_what, errors, more) => {
    const learned = usual();
    answer(learned, errors, more);
    expect(learned.limit).toBe(1_000);
  });
});

describe('the adaptive limit rises', () => {
  it('while somebody waits and the tool is as fast as usual', () => {
    const learned = usual({ initialLimit: 4 });
    learned.limit = 4;
    for (let window = 1; window <= 30; window += 1)
      succeed(learned, 20, { load: Math.floor(learned.limit), waiting: 100, now: 20_000 + window * 200 });
    expect(learned.limit).toBeGreaterThan(60);
    expect(learned.limit).toBeLessThanOrEqual(1_000);
  });

  it('not on the word of calls that do not fill it', () => {
    const learned = usual();
    learned.limit = 100;
    for (let window = 1; window <= 30; window += 1) succeed(learned, 20, { load: 10, waiting: 1, now: 20_000 + window * 200 });
    expect(learned.limit).toBe(100);
  });

  it('to where it began, half a minute after the last cut, once nobody waits', () => {
    const learned = usual();
    succeed(learned, 60, { ms: 1_000, load: 20, waiting: 5, now: 30_000 });
    const cutTo = Math.floor(learned.limit);
    expect(hasRoom(learned, cutTo, 0, 59_999)).toBe(false);
    expect(hasRoom(learned, cutTo, 1, 60_000)).toBe(false);
    expect(hasRoom(learned, cutTo, 0, 60_000)).toBe(true);
    expect(learned.limit).toBe(1_000);
  });
});

describe('after an outage', () => {
  it('grows past what was before once the slow start is over', () => {
    const learned = usual();
    circuitOpened(learned, 20_000);
    circuitClosed(learned, 0, 60_000);
    expect(learned.limit).toBe(15);
    for (let window = 1; window <= 40; window += 1)
      succeed(learned, 20, { load: Math.floor(learned.limit), waiting: 100, now: 60_000 + window * 200 });
    expect(learned.limit).toBeGreaterThan(60);
  });

  it('is a limit like any other once the slow start is over: calls that do not fill it do not raise it', () => {
    const learned = usual();
    circuitOpened(learned, 20_000);
    circuitClosed(learned, 0, 60_000);
    succeed(learned, 3, { load: 15, waiting: 5, now: 60_100 });
    const { limit } = learned;
    expect(limit).toBeGreaterThanOrEqual(20);
    succeed(learned, 200, { load: 3, waiting: 1, now: 60_200 });
    expect(learned.limit).toBe(limit);
  });

  it('how long it was is counted from its first opening', () => {
    const learned = usual();
    circuitOpened(learned, 20_000);
    circuitOpened(learned, 59_900);
    circuitClosed(learned, 0, 60_000);
    expect(learned.limit).toBe(15);
  });

  it('begins with what the tool served, not with what stood in its queue', () => {
    const learned = usual();
    succeed(learned, 19, { ms: 4_000, load: 200, now: 20_000 });
    circuitOpened(learned, 21_000);
    circuitClosed(learned, 0, 60_000);
    expect(learned.limit).toBeLessThan(30);
  });

  it('without settings for a limit there is one for the slow start alone: until nobody waits', () => {
    const learned = usual(false);
    expect(learned.limit).toBe(Infinity);
    circuitOpened(learned, 20_000);
    circuitClosed(learned, 0, 60_000);
    expect(learned.limit).toBe(15);
    succeed(learned, 40, { load: 15, waiting: 3, now: 60_100 });
    expect(learned.limit).toBeLessThan(Infinity);
    expect(learned.limit).toBeGreaterThan(60);
    succeed(learned, 1, { load: 15, now: 60_200 });
    expect(learned.limit).toBe(Infinity);
  });
});

describe('new settings', () => {
  it('hold at once, and keep what was learned within them', () => {
    const learned = usual();
    learned.limit = 60;
    applyLimitSettings(learned, { maxLimit: 40 });
    expect(learned.limit).toBe(40);
    applyLimitSettings(learned, { minLimit: 50, maxLimit: 90 });
    expect(learned.limit).toBe(50);
    applyLimitSettings(learned, false);
    expect(learned.limit).toBe(Infinity);
    applyLimitSettings(learned, { initialLimit: 30 });
    expect(learned.limit).toBe(30);
  });
});

describe('work that hangs', () => {
  it('counts as load for ten times what is usual, and for a second at least', () => {
    for (const { ms, lagMs } of [
      { ms: 5, lagMs: 1_000 },
      { ms: 300, lagMs: 3_000 },
    ]) {
      const learned = createAdaptiveLimit({}, 0);
      succeed(learned, 40, { ms, load: 1 });
      attemptBegan(learned.ages, 1_000);
      advance(learned.ages, lagMs, 1_000);
      expect(nextUnloadAt(learned)).toBe(1_000 + lagMs);
      expect(loadOf(learned, 1, 999 + lagMs)).toBe(1);
      expect(loadOf(learned, 1, 1_000 + lagMs)).toBe(0);
    }
  });
});

describe('a server that asks for quiet, for too many requests', () => {
  it('is asked by no more at once afterwards than it has let in since it asked before', () => {
    const learned = usual();
    noteThrottled(learned);
    succeed(learned, 30, { now: 30_000 });
    noteThrottled(learned);
    expect(learned.limit).toBe(30);
    noteThrottled(learned);
    expect(learned.limit).toBe(2);
  });

  it('lowers nothing where nothing is learned', () => {
    const learned = usual(false);
    noteThrottled(learned);
    noteThrottled(learned);
    expect(learned.limit).toBe(Infinity);
  });
});
