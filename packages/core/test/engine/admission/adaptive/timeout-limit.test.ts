import { describe, expect, it } from 'vitest';
import {
  beginAgain,
  TimeoutLimit,
  hasRoom,
  isFull,
  noteAnswer,
  noteFailure,
  noteTimeout,
} from '../../../../src/engine/admission/adaptive/timeout-limit.ts';

const TIME_LIMIT_MS = 5_000;

function timeOut(limit: TimeoutLimit, many: number, { running = 40, now = 0 } = {}): TimeoutLimit {
  for (let nth = 0; nth < many; nth += 1) noteTimeout(limit, TIME_LIMIT_MS, running, now);
  return limit;
}

/** A limit of 20, cut at 0. */
const cutTo20 = (): TimeoutLimit => timeOut(new TimeoutLimit(), 3);

describe('there is no limit', () => {
  it('until time-outs set one', () => {
    const limit = new TimeoutLimit();
    for (let nth = 0; nth < 1_000; nth += 1) {
      noteAnswer(limit, nth, false, nth * 1_000);
      noteFailure(limit);
      timeOut(limit, nth % 50 === 0 ? 1 : 0, { now: nth * 1_000 });
    }
    expect(limit.limit).toBe(Infinity);
    expect(isFull(limit, 1e9)).toBe(false);
    expect(hasRoom(limit, 1e9, 0)).toBe(true);
  });

  it.each([
    ['two time-outs', 'TT'],
    ['three among eleven outcomes', 'TSSSSSSSSTST'],
    ['three spread over failures of other kinds', 'TFFFFFFFFFTFFFFFFFFFT'],
  ])('after %s', (_what, outcomes) => {
    const limit = new TimeoutLimit();
    for (const outcome of outcomes)
      if (outcome === 'T') timeOut(limit, 1);
      else if (outcome === 'S') noteAnswer(limit, 40, false, 0);
      else noteFailure(limit);
    expect(limit.limit).toBe(Infinity);
  });
});

describe('three time-outs among the latest ten outcomes', () => {
  it.each(['TTT', 'TSSSSSSSTT', 'TFSFTSFSFT'])('cut it to half of what is in flight: %s', (outcomes) => {
    const limit = new TimeoutLimit();
    for (const outcome of outcomes)
      if (outcome === 'T') timeOut(limit, 1);
      else if (outcome === 'S') noteAnswer(limit, 40, false, 0);
      else noteFailure(limit);
    expect(limit.limit).toBe(20);
    expect(isFull(limit, 19)).toBe(false);
    expect(isFull(limit, 20)).toBe(true);
  });

  it('cut it to one at least', () => {
    expect(timeOut(new TimeoutLimit(), 3, { running: 1 }).limit).toBe(1);
    expect(timeOut(new TimeoutLimit(), 3, { running: 0 }).limit).toBe(1);
  });

  it('cut it at most once per time limit', () => {
    const limit = cutTo20();
    timeOut(limit, 50, { now: TIME_LIMIT_MS - 1 });
    expect(limit.limit).toBe(20);
    timeOut(limit, 1, { now: TIME_LIMIT_MS });
    expect(limit.limit).toBe(10);
  });

  it('cut the limit itself when more than that is in flight', () => {
    const limit = cutTo20();
    timeOut(limit, 1, { running: 400, now: TIME_LIMIT_MS });
    expect(limit.limit).toBe(10);
  });
});

describe('a success', () => {
  it('at the limit raises it by one', () => {
    const limit = cutTo20();
    for (let running = 20; running < 40; running += 1) noteAnswer(limit, running, false, running);
    expect(limit.limit).toBe(40);
  });

  it('of a slow tool raises it by its share: one for as many successes as may run', () => {
    const limit = cutTo20();
    for (let nth = 0; nth < 20; nth += 1) noteAnswer(limit, 20, true, nth);
    expect(limit.limit).toBeGreaterThan(20.9);
    expect(limit.limit).toBeLessThan(21);
  });

  it('below the limit does not', () => {
    const limit = cutTo20();
    for (let nth = 0; nth < 100; nth += 1) noteAnswer(limit, 19, false, nth);
    expect(limit.limit).toBe(20);
  });

  it('ends it when it has not been reached for ten seconds', () => {
    const limit = cutTo20();
    noteAnswer(limit, 3, false, 9_999);
    expect(limit.limit).toBe(20);
    noteAnswer(limit, 3, false, 10_000);
    expect(limit.limit).toBe(Infinity);
  });

  it('does not end it while calls find it full', () => {
    const limit = cutTo20();
    for (let now = 0; now <= 60_000; now += 5_000) {
      expect(hasRoom(limit, 20, now)).toBe(false);
      noteAnswer(limit, 3, false, now + 4_999);
    }
    expect(limit.limit).toBe(20);
  });
});

describe('a tool that was down by time-outs', () => {
  it('begins again with two calls', () => {
    const limit = cutTo20();
    beginAgain(limit, 0, 60_000);
    expect(limit.limit).toBe(2);
  });

  it('forgets the time-outs of before', () => {
    const limit = cutTo20();
    beginAgain(limit, 0, 60_000);
    timeOut(limit, 2, { running: 2, now: 61_000 });
    expect(limit.limit).toBe(2);
  });
});
