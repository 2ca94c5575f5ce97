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

describe('a retry', () => {
  const spent = (failed: Parameters<AdaptiveGate['start']>[0]): number => {
    const gate = new AdaptiveGate().warmUp({ durationMs: 100 });
    gate.adaptive.pace.tokens = 10;
    gate.start(failed);
    return 10 - gate.adaptive.pace.tokens;
  };

  it('costs three tokens after a quick failure', () => {
    expect(spent({ failed: { durationMs: 49 } })).toBe(3);
    expect(spent({ retry: true })).toBe(3);
  });

  it('costs four after a time-out, or a failure that took half of the usual duration', () => {
    expect(spent({ failed: { durationMs: 51 } })).toBe(4);
    expect(spent({ failed: { durationMs: 1, timedOut: true } })).toBe(4);
  });

  it('costs four beside a first attempt that still runs, and nothing in the end if it succeeds in the usual time: a hedge', () => {
    const gate = new AdaptiveGate().warmUp({ durationMs: 100 });
    const before = gate.adaptive.pace.tokens;
    const hedge = gate.start({ retry: true, hedge: true });
    gate.now += 100;
    gate.end(hedge, 'success');
    expect(gate.adaptive.pace.tokens).toBe(before);
    expect(spent({ retry: true, hedge: true })).toBe(4);
  });

  it.each([
    ['a quick failure', {}],
    ['a time-out', { timedOut: true }],
    ['a wait that the server asked for', { askedToWait: true }],
    ['an outage', { down: true }],
  ])('after %s waits while time-outs limit the tool, however many tokens there are', (_what, failed) => {
    const gate = new AdaptiveGate().warmUp({ durationMs: 100 });
    gate.adaptive.pace.tokens = 10;
    gate.adaptive.limit.limit = 5;
    expect(gate.ask({ failed }).kind).toBe('wait');
    expect(gate.ask().kind).toBe('permit');
    gate.adaptive.limit.limit = Infinity;
    expect(gate.ask({ failed }).kind).toBe('permit');
  });

  it.each([
    ['at once', 10, {}],
    ['at once, after a time-out', 10, { timedOut: true }],
    ['after it has waited for tokens', 2, {}],
  ])(
    'that was paid for (%s) earns its cost back when it succeeds in the usual time, and not when it is slow or fails',
    (_when, tokens, failed) => {
      const left = (outcome: 'success' | 'transient', durationMs: number): number => {
        const gate = new AdaptiveGate().warmUp({ durationMs: 100 });
        gate.adaptive.pace.tokens = tokens;
        const answer = gate.ask({ failed });
        if (answer.kind === 'wait') gate.run('success');
        const retry = gate.start({ failed, ...(answer.kind === 'wait' && { ticket: answer.ticket }) });
        const before = gate.adaptive.pace.tokens;
        gate.end(retry, outcome, { durationMs });
        return gate.adaptive.pace.tokens - before;
      };
      const cost = 'timedOut' in failed ? 4 : 3;
      expect(left('success', 100)).toBe(Math.min(cost, 10));
      expect(left('success', 300)).toBe(0);
      expect(left('transient', 10)).toBe(0);
    },
  );

  it('costs one when the server asked its call to wait, and it has', () => {
    expect(spent({ failed: { durationMs: 51, timedOut: true, askedToWait: true } })).toBe(1);
  });

  it('starts once before the first success, and then waits for one: it is not refused', () => {
    const gate = new AdaptiveGate();
    for (let nth = 0; nth < 3; nth += 1) gate.run('transient', 1);
    gate.start({ failed: {} });
    const answer = gate.ask({ failed: {} });
    expect(answer).toMatchObject({ kind: 'wait', wait: 'retry_budget', queued: 1 });
  });

  it('that waits starts when three successes have paid for it, and leaves no token', () => {
    const gate = new AdaptiveGate().warmUp();
    gate.adaptive.pace.tokens = 0;
    const ticket = gate.wait({ failed: {} });
    const woken = Array.from({ length: 3 }, () => gate.run('success').woken);
    expect(woken).toEqual([[], [], [ticket]]);
    expect(gate.adaptive.pace.tokens).toBe(0);
    expect(gate.start({ retry: true, ticket })).toMatchObject({ permit: { probe: false } });
  });

  it('that is costly waits for four successes', () => {
    const gate = new AdaptiveGate().warmUp();
    gate.adaptive.pace.tokens = 0;
    const ticket = gate.wait({ failed: { timedOut: true } });
    const woken = Array.from({ length: 4 }, () => gate.run('success').woken);
    expect(woken).toEqual([[], [], [], [ticket]]);
  });

  it('that is quick does not wait behind a costly one', () => {
    const gate = new AdaptiveGate().warmUp();
    gate.adaptive.pace.tokens = 0;
    gate.wait({ failed: { timedOut: true } });
    const quick = gate.wait({ failed: {} });
    const woken = Array.from({ length: 3 }, () => gate.run('success').woken);
    expect(woken).toEqual([[], [], [quick]]);
  });

  it('is not paid for by errors of its own caller', () => {
    const gate = new AdaptiveGate().warmUp();
    gate.adaptive.pace.tokens = 0;
    gate.wait({ failed: {} });
    expect(gate.run('permanent').woken).toEqual([]);
    expect(gate.run('neutral').woken).toEqual([]);
    expect(gate.adaptive.pace.tokens).toBe(0);
  });

  it.each([
    ['quick', { failed: {} }],
    ['asked to wait', { failed: { askedToWait: true } }],
  ])('(%s) waits while the tool is slower than usual, whatever has been paid', (_what, asked) => {
    const gate = new AdaptiveGate().warmUp({ calls: 400, durationMs: 100 });
    for (let nth = 0; nth < 20; nth += 1) gate.run('success', 500);
    expect(gate.adaptive.pace.tokens).toBe(10);
    const ticket = gate.wait(asked);
    expect(gate.ask().kind).toBe('permit');
    const woken = Array.from({ length: 20 }, () => gate.run('success', 100).woken);
    expect(woken.flat()).toEqual([ticket]);
  });

  it('that a server had asked to wait starts sooner than one of a quick failure', () => {
    const gate = new AdaptiveGate().warmUp();
    gate.adaptive.pace.tokens = 1;
    expect(gate.ask({ failed: {} })).toMatchObject({ kind: 'wait', wait: 'retry_budget' });
    expect(gate.ask({ failed: { askedToWait: true } }).kind).toBe('permit');
    expect(gate.ask({ failed: { askedToWait: true, down: true } })).toMatchObject({ kind: 'wait', wait: 'retry_budget' });
  });

  it('is not paid for by a success that took longer than usual', () => {
    const gate = new AdaptiveGate().warmUp({ durationMs: 100 });
    gate.adaptive.pace.tokens = 0;
    gate.run('success', 201);
    expect(gate.adaptive.pace.tokens).toBe(0);
    gate.run('success', 199);
    expect(gate.adaptive.pace.tokens).toBe(1);
  });

  it('waits after two time-outs, until others show that the tool is not slow', () => {
    const gate = new AdaptiveGate().warmUp({ durationMs: 100 });
    for (let nth = 0; nth < 2; nth += 1) gate.run('transient', 5_000, { timedOut: true });
    const ticket = gate.wait({ failed: {} });
    const woken = Array.from({ length: 12 }, () => gate.run('success', 100).woken);
    expect(woken.flat()).toEqual([ticket]);
    expect(woken[0]).toEqual([]);
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
    const gate = new AdaptiveGate().breakDown({ retryAfterMs: 3_600_000, timedOut: true });
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
    const gate = new AdaptiveGate().warmUp();
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
      (gate: AdaptiveGate) => void gate.breakDown({ timedOut: true }),
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
    const woken = Array.from({ length: 3 }, () => gate.run('success').woken);
    expect(woken).toEqual([[], [], [waiting]]);
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
