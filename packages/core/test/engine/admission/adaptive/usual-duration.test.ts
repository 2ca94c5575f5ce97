import { describe, expect, it } from 'vitest';
import {
  Durations,
  forgetSlowness,
  isOverloaded,
  isSlow,
  isUsual,
  learnCutOff,
  learnDuration,
  noteTimeLimit,
} from '../../../../src/engine/admission/adaptive/usual-duration.ts';

/** A tool that has answered after 100 ms, once a second for ten minutes, until 600,000. */
function usual100(): Durations {
  const durations = new Durations();
  for (let now = 1_000; now <= 600_000; now += 1_000) learnDuration(durations, 100, now);
  return durations;
}

describe('the usual duration', () => {
  it('is 0 before the first success, and its duration after it', () => {
    const durations = new Durations();
    expect(durations).toMatchObject({ usualMs: 0, recentMs: 0 });
    expect(isSlow(durations)).toBe(false);
    learnDuration(durations, 250, 5_000_000);
    expect(durations).toMatchObject({ usualMs: 250, recentMs: 250 });
  });

  it('is the geometric mean of the first thirty, however fast they come', () => {
    const durations = new Durations();
    for (let nth = 1; nth <= 30; nth += 1) learnDuration(durations, nth, 1_000 + nth / 1_000);
    // The thirtieth root of 30!.
    expect(durations.usualMs).toBeCloseTo(12.04, 2);
  });

  it('is the mean over about two minutes after that', () => {
    const durations = usual100();
    for (let second = 1; second <= 120; second += 1) learnDuration(durations, 200, 600_000 + second * 1_000);
    expect(durations.usualMs).toBeGreaterThan(100 * 2 ** 0.6);
    expect(durations.usualMs).toBeLessThan(100 * 2 ** 0.67);
  });

  it('moves with time, not with the number of calls: a burst of a thousand slow answers in a second is not usual', () => {
    const durations = usual100();
    for (let nth = 1; nth <= 1_000; nth += 1) learnDuration(durations, 1_000, 600_000 + nth);
    expect(durations.usualMs).toBeLessThan(105);
  });

  it.each([
    ['quick', 1],
    ['slow', 2_000],
  ])('is not that of the first answer after a pause, which is %s: the tool is soon as usual', (_what, firstMs) => {
    const durations = usual100();
    learnDuration(durations, firstMs, 600_000 + 3_600_000);
    const slow: boolean[] = [];
    for (let nth = 1; nth <= 20; nth += 1) {
      learnDuration(durations, 100, 4_200_000 + nth * 100);
      slow.push(isSlow(durations));
    }
    expect(slow).not.toContain(true);
    expect(isUsual(durations, 100)).toBe(true);
  });

  it('moves five times slower while the tool is slow, and gets there', () => {
    const durations = usual100();
    let slowUntil = 0;
    for (let second = 1; second <= 3_600; second += 1) {
      learnDuration(durations, 300, 600_000 + second * 1_000);
      if (isSlow(durations)) slowUntil = second;
    }
    // To 150 of 300: 37 % of the way from log 100 to log 300, at 600 s per factor of e.
    expect(slowUntil).toBeGreaterThan(240);
    expect(slowUntil).toBeLessThan(280);
    expect(durations.usualMs).toBeGreaterThan(290);
  });
});

describe('a tool is slow', () => {
  it.each([
    [1.9, undefined],
    [3, 5],
    [6, 3],
    [20, 2],
  ])('after answers that take %f times the usual: after %s of them', (factor, answers) => {
    const durations = usual100();
    let slowAfter: number | undefined;
    for (let nth = 1; nth <= 20 && slowAfter === undefined; nth += 1) {
      learnDuration(durations, 100 * factor, 600_000 + nth);
      if (isSlow(durations)) slowAfter = nth;
    }
    expect(slowAfter).toBe(answers);
  });

  it('not after one answer that took a hundred times as long', () => {
    const durations = usual100();
    const slow: boolean[] = [];
    for (let nth = 1; nth <= 200; nth += 1) {
      learnDuration(durations, nth % 100 === 50 ? 10_000 : 100, 600_000 + nth * 1_000);
      slow.push(isSlow(durations));
    }
    // Until the next answer.
    expect(slow.filter(Boolean).length).toBeLessThanOrEqual(4);
    expect(isUsual(durations, 100)).toBe(true);
  });

  it('from what it answers under a limit: that says nothing about what is usual', () => {
    const durations = usual100();
    for (let nth = 0; nth < 50; nth += 1) learnDuration(durations, 900, 600_000, true);
    expect(isSlow(durations)).toBe(true);
    expect(durations.usualMs).toBeCloseTo(100, 6);
    for (let nth = 0; nth < 50; nth += 1) learnDuration(durations, 100, 600_000, true);
    expect(isSlow(durations)).toBe(false);
  });

  it('no longer once a few answers are as fast as usual', () => {
    const durations = usual100();
    for (let nth = 1; nth <= 50; nth += 1) learnDuration(durations, 1_000, 600_000 + nth);
    expect(isSlow(durations)).toBe(true);
    for (let nth = 1; nth <= 12; nth += 1) learnDuration(durations, 100, 601_000 + nth);
    expect(isSlow(durations)).toBe(false);
  });

  it('no longer when it is back after an outage', () => {
    const durations = usual100();
    for (let nth = 1; nth <= 50; nth += 1) learnDuration(durations, 5_000, 600_000 + nth);
    forgetSlowness(durations);
    expect(isSlow(durations)).toBe(false);
    learnDuration(durations, 110, 700_000);
    expect(isSlow(durations)).toBe(false);
  });
});

describe('an attempt that was cut off', () => {
  it('makes a tool slow, since it would have taken longer still, and says nothing about what is usual', () => {
    const durations = usual100();
    learnCutOff(durations, 5_000);
    expect(isSlow(durations)).toBe(true);
    expect(durations.usualMs).toBeCloseTo(100);
    for (let nth = 1; nth <= 30; nth += 1) learnDuration(durations, 100, 600_000 + nth);
    expect(isSlow(durations)).toBe(false);
  });

  it('that is shorter than recent successes changes nothing', () => {
    const durations = usual100();
    learnCutOff(durations, 50);
    expect(durations.recentMs).toBeCloseTo(100);
  });

  it('before the first success changes nothing', () => {
    const durations = new Durations();
    learnCutOff(durations, 5_000);
    expect(durations).toEqual(new Durations());
  });
});

describe('time-outs come from overload', () => {
  it('if recent successes are slow', () => {
    const durations = usual100();
    expect(isOverloaded(new Durations())).toBe(false);
    expect(isOverloaded(durations)).toBe(false);
    for (let nth = 0; nth < 10; nth += 1) learnDuration(durations, 900, 600_000, true);
    expect(isOverloaded(durations)).toBe(true);
  });

  it('not by themselves: requests that hang beside successes that take the usual time have another cause', () => {
    const durations = usual100();
    for (let nth = 0; nth < 50; nth += 1) learnCutOff(durations, 5_000);
    expect(isSlow(durations)).toBe(true);
    expect(isOverloaded(durations)).toBe(false);
  });
});

describe('a success took the usual time', () => {
  it('up to twice of it', () => {
    const durations = usual100();
    expect(isUsual(durations, 199)).toBe(true);
    expect(isUsual(durations, 201)).toBe(false);
  });

  it('if it is the first', () => {
    expect(isUsual(new Durations(), 600_000)).toBe(true);
  });
});

describe('a time limit that ends attempts', () => {
  /** Overloaded from its first call: answers take 300 ms, and that is all that anybody has seen. */
  function always300(): Durations {
    const durations = new Durations();
    for (let now = 100; now <= 10_000; now += 100) learnDuration(durations, 300, now);
    return durations;
  }

  it('makes a tool slow whose answers take more than a quarter of it, however usual that is', () => {
    const durations = always300();
    expect(isSlow(durations)).toBe(false);
    noteTimeLimit(durations, 1_210, 10_000);
    expect(isSlow(durations)).toBe(false);
    noteTimeLimit(durations, 1_190, 10_000);
    expect(isSlow(durations)).toBe(true);
  });

  it('is forgotten once it has ended none for two minutes', () => {
    const durations = always300();
    noteTimeLimit(durations, 500, 10_000);
    learnDuration(durations, 300, 130_000);
    expect(isSlow(durations)).toBe(true);
    learnDuration(durations, 300, 130_001);
    expect(isSlow(durations)).toBe(false);
  });
});
