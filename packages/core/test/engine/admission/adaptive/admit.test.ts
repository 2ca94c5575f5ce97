import { describe, expect, it } from 'vitest';
import { AdaptiveGate } from './adaptive-gate.ts';
import { cancelWait } from '../../../../src/engine/admission/gate.ts';

describe('a first attempt starts at once', () => {
  it.each([
    ['one answer in a hundred takes a hundred times as long', (nth: number) => (nth % 100 === 99 ? 20_000 : 200)],
    ['every answer takes longer than the one before', (nth: number) => 10 * 1.02 ** nth],
    ['every answer takes ten minutes', () => 600_000],
    ['answers that took 10 ms take ten minutes from now on', (nth: number) => (nth < 300 ? 10 : 600_000)],
    ['nothing has answered yet', () => Infinity],
  ])('when %s', (_what, durationOf) => {
    const gate = new AdaptiveGate();
    const running: { readonly endsAt: number; readonly attempt: ReturnType<AdaptiveGate['start']> }[] = [];
    for (let nth = 0; nth < 600; nth += 1) {
      running.push({ endsAt: gate.now + durationOf(nth), attempt: gate.start() });
      const end = gate.now + 50;
      for (let next = first(end); next !== undefined; next = first(end)) {
        gate.now = next.endsAt;
        gate.end(next.attempt, 'success');
      }
      gate.now = end;
    }
    expect(gate.health).toMatchObject({ circuit: 'closed', queued: 0 });
    expect(gate.health.limit).toBeUndefined();

    function first(before: number): (typeof running)[number] | undefined {
      const next = running.toSorted((one, other) => one.endsAt - other.endsAt)[0];
      if (next === undefined || next.endsAt > before) return undefined;
      running.splice(running.indexOf(next), 1);
      return next;
    }
  });

  it('when nine of ten fail: no share of failures holds calls', () => {
    const gate = new AdaptiveGate().warmUp();
    for (let nth = 0; nth < 500; nth += 1) {
      gate.run(nth % 10 === 9 ? 'success' : 'transient', 5);
      gate.now += 50;
    }
    expect(gate.health).toMatchObject({ circuit: 'closed', queued: 0 });
  });

  it('beside a hundred retries and a backlog that wait', () => {
    const gate = new AdaptiveGate().warmUp();
    gate.adaptive.pace.tokens = 0;
    for (let nth = 0; nth < 100; nth += 1) gate.wait({ failed: { down: nth % 2 === 0 } });
    expect(gate.ask().kind).toBe('permit');
  });

  it('when no tokens are left, and takes none', () => {
    const gate = new AdaptiveGate().warmUp();
    for (const tokens of [0, 5]) {
      gate.adaptive.pace.tokens = tokens;
      for (let nth = 0; nth < 20; nth += 1) gate.start();
      expect(gate.adaptive.pace.tokens).toBe(tokens);
    }
  });
});

describe('a call waits', () => {
  it('only while its own time lasts; one that cannot wait is refused at once', () => {
    const gate = new AdaptiveGate().breakDown();
    expect(gate.refusal({ waitMs: false })).toMatchObject({ code: 'CIRCUIT_OPEN', source: 'circuit' });
    expect(gate.refusal({ waitMs: 0 })).toMatchObject({ code: 'CIRCUIT_OPEN' });
    expect(gate.refusal({ waitMs: -5 })).toMatchObject({ code: 'CIRCUIT_OPEN' });
    expect(gate.ask({ waitMs: 1 }).kind).toBe('wait');
  });

  it('also when what holds it lasts longer than its time: the tool may be back sooner', () => {
    const gate = new AdaptiveGate().warmUp().breakDown({ retryAfterMs: 3_600_000, timedOut: true });
    const ticket = gate.wait({ waitMs: 500 });
    expect(gate.pass(500)).toEqual([{ ticket, at: gate.now }]);
    expect(gate.refusal({ retry: false, ticket })).toMatchObject({ code: 'CIRCUIT_OPEN', source: 'circuit' });
  });

  it('and the answer names the reason, how many wait, and the time if it is known', () => {
    const down = new AdaptiveGate().breakDown();
    expect(down.ask()).toMatchObject({ kind: 'wait', wait: 'recovery', queued: 1 });
    expect(down.ask()).toMatchObject({ queued: 2, retryAfterMs: Math.ceil(down.gate.breaker.openUntil - down.now) });
    const limited = new AdaptiveGate({ rateLimit: { limit: 1, windowMs: 200 } });
    limited.start();
    expect(limited.ask()).toMatchObject({ kind: 'wait', wait: 'retry_after', retryAfterMs: 200 });
    const full = new AdaptiveGate({ concurrency: { limit: 1, queue: 9 } });
    full.start();
    expect(full.ask()).toMatchObject({ kind: 'wait', wait: 'concurrency' });
  });

  it('for the limit that time-outs have set, and learns how many may run', () => {
    const gate = new AdaptiveGate().warmUp().overload();
    const running = Array.from({ length: 8 }, () => gate.start());
    gate.now += 5_000;
    for (const attempt of running.slice(0, 3)) gate.end(attempt, 'transient', { timedOut: true });
    expect(gate.health.limit).toBe(3);
    expect(gate.ask()).toMatchObject({ kind: 'wait', wait: 'concurrency', limit: 3 });
  });

  it('while the queue has room, whatever it waits for', () => {
    const gate = new AdaptiveGate({ concurrency: { limit: 5, queue: 1 } }).breakDown();
    gate.wait();
    expect(gate.refusal()).toMatchObject({ code: 'CIRCUIT_OPEN' });
  });

  it('and keeps no place when it gives up', () => {
    const gate = new AdaptiveGate({ concurrency: { limit: 5, queue: 1 } }).breakDown();
    cancelWait(gate.gate, gate.wait());
    expect(gate.health.queued).toBe(0);
    gate.wait();
  });
});

describe('a call whose time is over is refused with the reason', () => {
  it.each([
    [
      'while the tool is down',
      (gate: AdaptiveGate) => void gate.warmUp().breakDown({ timedOut: true }),
      { code: 'CIRCUIT_OPEN', source: 'circuit' },
      {},
    ],
    [
      'while its rate limit is reached',
      (gate: AdaptiveGate) => void (gate.start(), gate.start()),
      { code: 'RATE_LIMITED', source: 'limiter', retryAfterMs: 59_900 },
      {},
    ],
    [
      'without tokens for its retry',
      (gate: AdaptiveGate) => void (gate.adaptive.pace.tokens = 0),
      { code: 'RETRY_BUDGET_EXHAUSTED', source: 'budget' },
      { failed: {} },
    ],
  ])('%s', (_what, hold, refusal, asked) => {
    const gate = new AdaptiveGate(_what.includes('rate limit') ? { rateLimit: { limit: 2, windowMs: 60_000 } } : {});
    hold(gate);
    // Nothing is due for a while, so that only the end of its time wakes it.
    gate.adaptive.pace.lastSentAt = gate.now;
    const ticket = gate.wait({ ...asked, waitMs: 100 });
    expect(gate.pass(100)).toEqual([{ ticket, at: gate.now }]);
    expect(gate.refusal({ retry: 'failed' in asked, ticket })).toMatchObject(refusal);
    expect(gate.health.queued).toBe(0);
  });
});

describe("the user's own limits", () => {
  it('a retry budget refuses beside the tokens, and a retry that waits for them has paid it', () => {
    const gate = new AdaptiveGate({ retryBudget: { ratio: 0, floor: 1, windowMs: 600_000 } }).warmUp();
    gate.adaptive.pace.tokens = 0;
    const waiting = gate.wait({ failed: {} });
    expect(gate.refusal({ failed: {} })).toMatchObject({ code: 'RETRY_BUDGET_EXHAUSTED', source: 'budget' });
    expect(gate.run('success').woken).toEqual([]);
    expect(gate.run('success').woken).toEqual([waiting]);
    gate.start({ retry: true, ticket: waiting });
    gate.adaptive.pace.tokens = 10;
    expect(gate.refusal({ failed: {} })).toMatchObject({ code: 'RETRY_BUDGET_EXHAUSTED', source: 'budget' });
    expect(gate.ask().kind).toBe('permit');
  });

  it('a retry budget is not spent by a retry that waits for recovery, nor by one that is refused', () => {
    const gate = new AdaptiveGate({ retryBudget: { ratio: 0, floor: 1, windowMs: 600_000 }, concurrency: { limit: 1, queue: 1 } }).warmUp();
    gate.keepDown();
    const waiting = gate.wait({ failed: { down: true } });
    gate.bringBack();
    expect(gate.run('success').woken).toEqual([waiting]);
    gate.start({ retry: true, ticket: waiting, failed: { down: true } });
    gate.wait();
    gate.refusal({ failed: {} });
    expect(gate.health.retryBudgetLeft).toBe(1);
  });

  it('a first attempt that waits adds to the retry budget once', () => {
    const gate = new AdaptiveGate({ retryBudget: { ratio: 1, floor: 0, windowMs: 600_000 }, concurrency: { limit: 1, queue: 9 } });
    const running = gate.start();
    const ticket = gate.wait();
    expect(gate.health.retryBudgetLeft).toBe(2);
    expect(gate.end(running, 'success').woken).toEqual([ticket]);
    gate.start({ ticket });
    expect(gate.health.retryBudgetLeft).toBe(2);
  });

  it('a rate limit is kept by first attempts, retries and probes, and each is counted once', () => {
    const gate = new AdaptiveGate({ rateLimit: { limit: 2, windowMs: 1_000 } });
    gate.start();
    gate.start();
    const began = gate.now;
    const tickets = [gate.wait(), gate.wait(), gate.wait()];
    const woken = gate.pass(2_500);
    expect(woken).toEqual([
      { ticket: tickets[0], at: began + 1_000 },
      { ticket: tickets[1], at: began + 1_000 },
      { ticket: tickets[2], at: began + 2_000 },
    ]);
    for (const { ticket } of woken) gate.start({ ticket });
    gate.start();
    expect(gate.ask()).toMatchObject({ kind: 'wait', wait: 'retry_after', retryAfterMs: 500 });
  });
});
