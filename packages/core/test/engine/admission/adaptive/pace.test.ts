import { describe, expect, it } from 'vitest';
import { earn, noteCall, Pace, resumePace, silentUntil } from '../../../../src/engine/admission/adaptive/pace.ts';

/** A process that has made so many calls per second for long enough, until 100,000. */
function paceOf(callsPerSecond: number): Pace {
  const pace = new Pace();
  const gapMs = 1_000 / callsPerSecond;
  const calls = Math.max(100, Math.ceil(100_000 / gapMs));
  for (let now = 100_000 - calls * gapMs; now <= 100_000; now += gapMs) noteCall(pace, now);
  pace.lastSentAt = 100_000;
  return pace;
}

describe('tokens', () => {
  it('are three at the start: the first calls of a process may be retried', () => {
    expect(new Pace().tokens).toBe(3);
  });

  it('come from successes, one each', () => {
    const pace = Object.assign(paceOf(10), { tokens: 0 });
    earn(pace);
    earn(pace);
    expect(pace.tokens).toBe(2);
  });

  it.each([
    { callsPerSecond: 0.05, most: 3 },
    { callsPerSecond: 3, most: 6 },
    { callsPerSecond: 1_000, most: 10 },
  ])(
    'of a process that makes $callsPerSecond calls per second are at most $most: as many as its calls of two seconds',
    ({ callsPerSecond, most }) => {
      const pace = Object.assign(paceOf(callsPerSecond), { tokens: 0 });
      for (let nth = 0; nth < 100; nth += 1) earn(pace);
      expect(pace.tokens).toBeGreaterThan(most - 0.1);
      expect(pace.tokens).toBeLessThan(most + 0.1);
    },
  );

  it('are not taken away when the rate falls', () => {
    const pace = Object.assign(paceOf(0.05), { tokens: 9 });
    earn(pace);
    expect(pace.tokens).toBe(9);
  });

  it('are none when a tool is back: its first successes pay for its backlog', () => {
    for (const tokens of [0, 10]) {
      const pace = Object.assign(paceOf(10), { tokens });
      resumePace(pace, 200_000);
      expect(pace.tokens).toBe(0);
    }
  });
});

describe('the mean gap between calls', () => {
  it.each([0.02, 1, 10, 1_000])('of %f calls per second is found', (callsPerSecond) => {
    expect((paceOf(callsPerSecond).gapMs * callsPerSecond) / 1_000).toBeCloseTo(1, 3);
  });

  it('is five seconds before the second call, and a minute at most', () => {
    const pace = new Pace();
    noteCall(pace, 0);
    expect(pace.gapMs).toBe(5_000);
    for (let hour = 1; hour <= 9; hour += 1) noteCall(pace, hour * 3_600_000);
    expect(pace.gapMs).toBe(60_000);
  });

  it('follows a change within about ten seconds', () => {
    const pace = paceOf(10);
    for (let now = 100_010; now <= 120_000; now += 10) noteCall(pace, now);
    expect(pace.gapMs).toBeLessThan(25);
  });

  it('is that of about eight calls where these are rare: one long gap moves it by an eighth', () => {
    const pace = paceOf(0.05);
    noteCall(pace, 100_000 + 60_000);
    expect(pace.gapMs).toBeCloseTo(25_000, 0);
  });

  it('counts calls that come together as one: it is the gap between pairs', () => {
    const pace = new Pace();
    for (let nth = 0; nth < 100; nth += 1) for (const now of [nth * 40_000, nth * 40_000 + 1]) noteCall(pace, now);
    expect(pace.gapMs).toBeGreaterThan(36_000);
    expect(pace.gapMs).toBeLessThan(40_000);
  });

  it('is that of before when a tool is back, however long it was down', () => {
    const pace = paceOf(10);
    const { gapMs } = pace;
    resumePace(pace, 4_000_000);
    expect(pace.gapMs).toBe(gapMs);
    noteCall(pace, 4_000_000 + gapMs);
    expect(pace.gapMs).toBeCloseTo(gapMs, 6);
  });
});

describe('the longest silence while calls wait', () => {
  it.each([
    [false, 3],
    [true, 6],
  ])('of a tool that is slow (%s) is %i mean gaps between calls, and hardly longer for a retry that costs work', (slow, gaps) => {
    const pace = paceOf(0.5);
    expect(silentUntil(pace, slow, false) - pace.lastSentAt).toBeCloseTo(gaps * pace.gapMs);
    expect(silentUntil(pace, slow, true) - pace.lastSentAt).toBeCloseTo((1 + 12 / pace.calls) * gaps * pace.gapMs);
  });

  it.each([
    [1, 13],
    [3, 5],
    [12, 2],
    [120, 1.1],
  ])('before a retry that costs work, in a process that has made %i calls, is %f times as long', (calls, times) => {
    const pace = Object.assign(paceOf(0.5), { calls });
    expect(silentUntil(pace, false, true) - pace.lastSentAt).toBeCloseTo(times * 3 * pace.gapMs);
  });

  it.each([false, true])('is a second at least, slow (%s) or not', (slow) => {
    const pace = paceOf(1_000);
    expect(silentUntil(pace, slow, false) - pace.lastSentAt).toBe(1_000);
  });

  it('is over before the first attempt', () => {
    expect(silentUntil(new Pace(), false, false)).toBe(-Infinity);
  });
});
