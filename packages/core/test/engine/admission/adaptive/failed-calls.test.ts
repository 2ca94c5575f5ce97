import { describe, expect, it } from 'vitest';
import {
  FailedCalls,
  endRun,
  isDown,
  isStale,
  mostlyTimedOut,
  noteFailedCall,
  noteSuccess,
  probeIntervalMs,
} from '../../../../src/engine/admission/adaptive/failed-calls.ts';
import type { Observation } from '../../../../src/engine/breaker/types.ts';

const failure: Observation = { outcome: 'transient', durationMs: 10 };
const timeout: Observation = { ...failure, timedOut: true };
const asked: Observation = { ...failure, retryAfterMs: 3_000 };

function fail(failed: FailedCalls, many: number, observation: Observation = failure): FailedCalls {
  for (let nth = 0; nth < many; nth += 1) noteFailedCall(failed, {}, observation, 5, nth);
  return failed;
}

/** A hundred successes after the first, evenly spaced. */
function succeedEvery(failed: FailedCalls, gapMs: number): FailedCalls {
  for (let nth = 0; nth <= 100; nth += 1) noteSuccess(failed, nth * gapMs, nth * gapMs);
  return failed;
}

describe('a tool is down', () => {
  it('when five different calls have failed in a row', () => {
    const failed = fail(new FailedCalls(), 4);
    expect(isDown(failed, 5, 0)).toBe(false);
    fail(failed, 1);
    expect(isDown(failed, 5, 0)).toBe(true);
  });

  it('never by one call, however often it fails', () => {
    const failed = new FailedCalls();
    const call = {};
    for (let nth = 0; nth < 1_000; nth += 1) noteFailedCall(failed, call, failure, 5, nth);
    expect(failed.calls.map((failure) => failure.call)).toEqual([call]);
    fail(failed, 3);
    expect(isDown(failed, 5, 1e9)).toBe(false);
  });

  it('since its first failure after an answer, however many followed', () => {
    const failed = fail(new FailedCalls(), 50);
    expect([failed.calls[0]?.at, failed.latestAt]).toEqual([0, 49]);
    endRun(failed);
    expect(failed.calls).toEqual([]);
    noteFailedCall(failed, {}, failure, 5, 70);
    expect([failed.calls[0]?.at, failed.latestAt]).toEqual([70, 70]);
  });

  it('not within a second of a success', () => {
    const failed = new FailedCalls();
    noteSuccess(failed, 9_000, 10_000);
    fail(failed, 50);
    expect(isDown(failed, 5, 10_999)).toBe(false);
    expect(isDown(failed, 5, 11_000)).toBe(true);
  });

  it('not at once when the server asked them to wait for no time', () => {
    const failed = new FailedCalls();
    noteSuccess(failed, 9_000, 10_000);
    fail(failed, 5, { ...failure, retryAfterMs: 0 });
    expect(isDown(failed, 5, 10_050)).toBe(false);
  });

  it('at once when the server has asked all five to wait', () => {
    const failed = new FailedCalls();
    noteSuccess(failed, 9_000, 10_000);
    fail(failed, 5, asked);
    expect(isDown(failed, 5, 10_001)).toBe(true);
  });

  it('after the quiet second when it has asked only four of the five', () => {
    const failed = new FailedCalls();
    noteSuccess(failed, 9_000, 10_000);
    fail(fail(failed, 1), 4, asked);
    expect(isDown(failed, 5, 10_001)).toBe(false);
    expect(isDown(failed, 5, 11_000)).toBe(true);
  });

  it('not within as long as five successes usually take', () => {
    const failed = succeedEvery(new FailedCalls(), 1_500);
    fail(failed, 150);
    expect(isDown(failed, 5, 150_000 + 7_499)).toBe(false);
    expect(isDown(failed, 5, 150_000 + 7_500)).toBe(true);
  });

  it('not within that time when the server has asked all of them to wait: it may mean one caller', () => {
    const failed = succeedEvery(new FailedCalls(), 1_500);
    fail(failed, 150, asked);
    expect(isDown(failed, 5, 150_000 + 7_499)).toBe(false);
    expect(isDown(failed, 5, 150_000 + 7_500)).toBe(true);
  });

  it('then counted from the start of the latest that succeeds: what started before the refusals may still succeed', () => {
    const failed = succeedEvery(new FailedCalls(), 10);
    noteSuccess(failed, 1_005, 1_010);
    noteSuccess(failed, 1_002, 1_020);
    fail(failed, 5, asked);
    expect(isDown(failed, 5, 1_054)).toBe(false);
    expect(isDown(failed, 5, 1_055)).toBe(true);
  });

  it('a minute at most counts as the time between two successes, and an outage not at all', () => {
    const rare = succeedEvery(new FailedCalls(), 3_600_000);
    expect(rare.successGapMs).toBe(60_000);
    const back = succeedEvery(new FailedCalls(), 100);
    noteSuccess(back, 40_000, 40_100, true);
    expect(back.successGapMs).toBe(100);
  });

  it('an outage before the first success does: a tool that has been up for no longer may seldom succeed', () => {
    const failed = fail(new FailedCalls(), 5);
    noteSuccess(failed, 20_000, 20_000, true);
    expect(failed.successGapMs).toBe(10_000);
    fail(failed, 5);
    expect(isDown(failed, 5, 69_999)).toBe(false);
    expect(isDown(failed, 5, 70_000)).toBe(true);
    noteSuccess(failed, 100_000, 100_000, true);
    expect(failed.successGapMs).toBe(10_000);
  });

  it('an outage after the first success does, too', () => {
    const failed = new FailedCalls();
    noteSuccess(failed, 0, 0);
    noteSuccess(failed, 20_000, 20_000, true);
    expect(failed.successGapMs).toBe(10_000);
  });

  it('long times between successes are learned at once, and forgotten slowly', () => {
    const failed = succeedEvery(new FailedCalls(), 100);
    noteSuccess(failed, 14_000, 14_000);
    expect(failed.successGapMs).toBeCloseTo(2_050);
    noteSuccess(failed, 14_100, 14_100);
    expect(failed.successGapMs).toBeCloseTo(1_855);
  });

  it.each([
    ['a success', (failed: FailedCalls): void => noteSuccess(failed, 5, 10)],
    ['a permanent error', endRun],
  ])('not after %s in between: the run begins again', (_what, answer) => {
    const failed = fail(new FailedCalls(), 4, asked);
    answer(failed);
    fail(failed, 4);
    expect(isDown(failed, 5, 1e9)).toBe(false);
    fail(failed, 1);
    expect(isDown(failed, 5, 1e9)).toBe(true);
    expect(failed.calls.filter(({ askedToWait }) => askedToWait)).toEqual([]);
  });

  it('keeps no more calls than it takes', () => {
    expect(fail(new FailedCalls(), 100).calls).toHaveLength(5);
  });
});

describe('a failure is stale', () => {
  it('when its attempt started before one that has succeeded', () => {
    const failed = new FailedCalls();
    noteSuccess(failed, 1_000, 1_200);
    expect(isStale(failed, 999)).toBe(true);
    expect(isStale(failed, 1_000)).toBe(false);
  });

  it('also when an attempt that started earlier succeeds later', () => {
    const failed = new FailedCalls();
    noteSuccess(failed, 1_000, 1_200);
    noteSuccess(failed, 100, 9_000);
    expect(isStale(failed, 500)).toBe(true);
    expect(isStale(failed, 1_001)).toBe(false);
  });
});

it.each([
  [2, 3, false],
  [3, 2, true],
  [5, 0, true],
  [0, 5, false],
])('%i time-outs and %i other failures: down by time-outs is %s', (timeouts, others, wanted) => {
  expect(mostlyTimedOut(fail(fail(new FailedCalls(), timeouts, timeout), others))).toBe(wanted);
});

describe('the interval between probes', () => {
  const intervals = ({
    gapMs,
    hintMs,
    probes = 0,
    byTimeouts = false,
  }: {
    gapMs: number;
    hintMs?: number;
    probes?: number;
    byTimeouts?: boolean;
  }): readonly number[] => {
    const failed = Object.assign(new FailedCalls(), { byTimeouts, probes });
    const failure = { outcome: 'transient', durationMs: 1, ...(hintMs === undefined ? {} : { retryAfterMs: hintMs }) } as const;
    return Array.from({ length: 400 }, (_, nth) => probeIntervalMs(failed, { ...failure, random: nth / 400 }, 1_000, gapMs));
  };
  const least = (all: readonly number[]): number => Math.min(...all);
  const most = (all: readonly number[]): number => Math.max(...all);

  it.each([
    { what: 'a second for a busy process', gapMs: 10, aboutMs: 1_000 },
    { what: 'one mean gap between calls', gapMs: 4_000, aboutMs: 4_000 },
    { what: 'ten seconds for a process that calls less often', gapMs: 3_600_000, aboutMs: 10_000 },
    { what: 'a second for a busy process, also after time-outs', gapMs: 10, byTimeouts: true, aboutMs: 1_000 },
    { what: 'two mean gaps after time-outs', gapMs: 15_000, byTimeouts: true, aboutMs: 30_000 },
  ])('is $what, a quarter more or less', ({ aboutMs, ...given }) => {
    const all = intervals(given);
    expect(least(all)).toBeGreaterThanOrEqual(aboutMs * 0.75);
    expect(least(all)).toBeLessThan(aboutMs * 0.78);
    expect(most(all)).toBeLessThanOrEqual(aboutMs * 1.25);
    expect(most(all)).toBeGreaterThan(aboutMs * 1.22);
  });

  it('doubles with every probe that fails while the server asks to wait', () => {
    for (const [probes, aboutMs] of [1_000, 2_000, 4_000, 8_000, 10_000, 10_000].entries())
      expect(least(intervals({ gapMs: 10, hintMs: 3_600_000, probes }))).toBe(aboutMs);
  });

  it('is not shorter than the server asked after a few of them', () => {
    const all = intervals({ gapMs: 10, hintMs: 7_000, probes: 3 });
    expect(least(all)).toBeGreaterThanOrEqual(7_000);
    expect(most(all)).toBeLessThanOrEqual(7_000 * 1.25);
  });

  it('is about ten seconds when the server asked for an hour', () => {
    const all = intervals({ gapMs: 10, hintMs: 3_600_000, probes: 4 });
    expect(least(all)).toBeGreaterThanOrEqual(10_000);
    expect(most(all)).toBeLessThanOrEqual(12_500);
  });

  it('is in the middle where the failure brings no random number', () => {
    expect(probeIntervalMs(new FailedCalls(), { outcome: 'transient', durationMs: 1 }, 1_000, 10)).toBe(1_000);
  });
});
