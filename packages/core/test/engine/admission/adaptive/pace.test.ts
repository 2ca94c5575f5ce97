import { describe, expect, it } from 'vitest';
import {
  createPace,
  creditDueAt,
  earnCredit,
  earnToken,
  meanGapMs,
  noteCall,
  noteSent,
  resumePace,
  silentUntil,
  type Pace,
} from '../../../../src/engine/admission/adaptive/pace.ts';

/** A process that has made so many calls per second for long enough, until 100,000. */
function paceOf(callsPerSecond: number): Pace {
  const pace = createPace();
  const gapMs = 1_000 / callsPerSecond;
  for (let now = 100_000 - Math.ceil(100_000 / gapMs) * gapMs; now <= 100_000; now += gapMs) {
    noteCall(pace, now);
    noteSent(pace, false, now);
  }
  return pace;
}

describe('tokens', () => {
  it('are three at the start: the first calls of a process may be retried', () => {
    expect(createPace().tokens).toBe(3);
  });

  it('come from successes, one each, ten at most', () => {
    const pace = createPace();
    earnToken(pace);
    expect(pace.tokens).toBe(4);
    for (let nth = 0; nth < 100; nth += 1) earnToken(pace);
    expect(pace.tokens).toBe(10);
  });

  it('do not come with time', () => {
    const pace = { ...createPace(), tokens: 0 };
    earnCredit(pace, false, 0);
    earnCredit(pace, false, 1e9);
    expect(pace.tokens).toBe(0);
  });
});

describe('the rate', () => {
  it.each([0.05, 1, 10, 1_000])('of %f calls per second is found to within the first call', (callsPerSecond) => {
    const { rate } = paceOf(callsPerSecond);
    expect(rate).toBeGreaterThan(callsPerSecond * 0.99);
    expect(rate).toBeLessThan(callsPerSecond * 1.01 + 0.1);
    expect(meanGapMs(paceOf(callsPerSecond))).toBe(1_000 / rate);
  });

  it('is at least one call in twenty seconds, and a tenth per second after the first call', () => {
    const pace = createPace();
    expect(meanGapMs(pace)).toBe(20_000);
    noteCall(pace, 0);
    expect(pace.rate).toBe(0.1);
  });

  it('follows a change within about ten seconds', () => {
    const pace = paceOf(10);
    for (let now = 100_000; now <= 120_000; now += 10) noteCall(pace, now);
    expect(pace.rate).toBeGreaterThan(85);
  });

  it('is that of before when a tool is back, however long it was down', () => {
    const pace = paceOf(10);
    const { rate } = pace;
    resumePace(pace, 4_000_000);
    expect(pace.rate).toBe(rate);
    noteCall(pace, 4_000_100);
    expect(pace.rate).toBeCloseTo(rate, 0);
  });
});

describe('the credit of the backlog', () => {
  it('grows by 1.25 times the rate, so that the next call leaves 0.8 mean gaps after one that took it', () => {
    const pace = { ...paceOf(10), credit: 0, creditAt: 0 };
    const due = creditDueAt(pace, false);
    expect(due).toBeCloseTo(0.8 * meanGapMs(pace));
    earnCredit(pace, false, due - 1e-6);
    expect(pace.credit).toBeLessThan(1);
    earnCredit(pace, false, due + 1e-6);
    expect(pace.credit).toBeGreaterThanOrEqual(1);
    expect(creditDueAt(pace, true)).toBe(due + 1e-6);
  });

  it.each([
    [1, 1],
    [1_000, 100],
  ])('of %i calls per second is kept up to %i calls: a backlog leaves evenly, not at once', (callsPerSecond, most) => {
    const pace = { ...paceOf(callsPerSecond), credit: 0, creditAt: 0 };
    earnCredit(pace, false, 1e9);
    expect(pace.credit).toBeCloseTo(most, 0);
  });

  it('does not grow while the tool is slow', () => {
    const pace = { ...paceOf(10), credit: 0, creditAt: 0 };
    earnCredit(pace, true, 60_000);
    expect(pace.credit).toBe(0);
    earnCredit(pace, false, 60_000);
    expect(pace.credit).toBe(0);
    expect(creditDueAt(pace, true)).toBe(Infinity);
    expect(creditDueAt(pace, false)).toBeGreaterThan(60_000);
  });

  it('is taken by every attempt, and first attempts leave no debt', () => {
    const pace = { ...paceOf(10), credit: 1, creditAt: 0 };
    noteSent(pace, false, 0);
    expect(pace.credit).toBe(0);
    for (let nth = 0; nth < 50; nth += 1) noteSent(pace, false, 0);
    expect(pace.credit).toBe(0);
  });

  it('is one call when a tool is back', () => {
    const pace = paceOf(1_000);
    earnCredit(pace, false, 200_000);
    resumePace(pace, 200_000);
    expect(pace.credit).toBe(1);
  });
});

describe('the longest silence while calls wait', () => {
  it.each([
    [false, 3],
    [true, 6],
  ])('of a tool that is slow (%s) is %i mean gaps between calls', (slow, gaps) => {
    const pace = paceOf(0.5);
    expect(silentUntil(pace, slow) - pace.lastSentAt).toBeCloseTo(gaps * meanGapMs(pace));
  });

  it.each([false, true])('is a second at least, slow (%s) or not', (slow) => {
    const pace = paceOf(1_000);
    expect(silentUntil(pace, slow) - pace.lastSentAt).toBe(1_000);
  });

  it('is over before the first attempt', () => {
    expect(silentUntil(createPace(), false)).toBe(-Infinity);
  });
});
