import { describe, expect, it } from 'vitest';
import { AdaptiveGate } from './adaptive-gate.ts';

describe('a retry', () => {
  const spent = (failed: Parameters<AdaptiveGate['start']>[0]): number => {
    const gate = new AdaptiveGate().warmUp({ durationMs: 100 });
    gate.adaptive.pace.tokens = 10;
    gate.start(failed);
    return 10 - gate.adaptive.pace.tokens;
  };

  it('costs one and a half tokens, and four after a time-out', () => {
    expect(spent({ failed: {} })).toBe(1.5);
    expect(spent({ retry: true })).toBe(1.5);
    expect(spent({ failed: { timedOut: true } })).toBe(4);
  });

  it('costs more the fewer of them succeed: the square of the attempts that one success takes, three at most', () => {
    const gate = new AdaptiveGate().warmUp();
    const costs: number[] = [];
    for (let nth = 0; nth < 6; nth += 1) {
      gate.adaptive.pace.tokens = 10;
      const retry = gate.start({ failed: {} });
      costs.push(10 - gate.adaptive.pace.tokens);
      gate.end(retry, 'transient');
    }
    // Each failure takes a tenth of the share: 0.9, 0.81, 0.73, 0.66, 0.59.
    expect(costs.map((cost) => Math.round(cost * 100) / 100)).toEqual([1.5, 1.5, 1.52, 1.88, 2.32, 2.87]);
    for (let nth = 0; nth < 30; nth += 1) {
      gate.adaptive.pace.tokens = 10;
      gate.end(gate.start({ failed: {} }), 'transient');
      gate.run('success');
    }
    gate.adaptive.pace.tokens = 10;
    gate.start({ failed: {} });
    expect(gate.adaptive.pace.tokens).toBe(7);
  });

  it('without tokens is refused, and does not wait, once retries succeed less than half as often as all attempts: the cause is in the call', () => {
    const gate = new AdaptiveGate().warmUp();
    const poisoned = (): string => {
      gate.adaptive.pace.tokens = 3;
      gate.end(gate.start({ failed: {} }), 'transient');
      gate.run('success');
      gate.adaptive.pace.tokens = 0;
      return gate.ask({ failed: {} }).kind;
    };
    const answers = Array.from({ length: 40 }, poisoned);
    expect(answers.slice(0, 5)).toEqual(['wait', 'wait', 'wait', 'wait', 'wait']);
    expect(answers.at(-1)).toBe('refused');
    // Calls of an outage wait all the same, and so does everything while the tool rejects calls as too many.
    expect(gate.ask({ failed: { down: true } }).kind).toBe('wait');
    gate.adaptive.rejections = 0b1010;
    expect(gate.ask({ failed: {} }).kind).toBe('wait');
    gate.adaptive.rejections = 0b1000;
    expect(gate.ask({ failed: {} }).kind).toBe('refused');
    // Once no attempt that started lately has succeeded, the tool may be going down.
    const { startedAt, successGapMs } = gate.adaptive.failed;
    gate.now = startedAt + 999 + 3 * successGapMs;
    expect(gate.ask({ failed: {} }).kind).toBe('refused');
    gate.now += 2;
    expect(gate.ask({ failed: {} }).kind).toBe('wait');
  });

  it('that costs more than the process can ever have is refused, and does not wait', () => {
    const gate = new AdaptiveGate().warmUp({ calls: 20, gapMs: 1_000 });
    expect(gate.ask({ failed: { timedOut: true } })).toMatchObject({ kind: 'refused', refusal: { code: 'RETRY_BUDGET_EXHAUSTED' } });
    // Its own timeouts are no sign of a slow tool, but slow successes are: it may be quick again soon.
    for (let nth = 0; nth < 3; nth += 1) gate.run('transient', 5_000, { timedOut: true });
    gate.run('success');
    expect(gate.ask({ failed: { timedOut: true } }).kind).toBe('refused');
    gate.overload();
    expect(gate.ask({ failed: { timedOut: true } }).kind).toBe('wait');
    expect(new AdaptiveGate().warmUp({ calls: 20, gapMs: 100 }).ask({ failed: { timedOut: true } }).kind).not.toBe('refused');
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

  it('waits while answers take more than a quarter of the time limit and the limit ends others, also those that started before the latest success', () => {
    const gate = new AdaptiveGate().warmUp({ durationMs: 100 });
    gate.adaptive.pace.tokens = 10;
    const early = gate.start();
    gate.now += 300;
    const late = gate.start();
    gate.now += 95;
    gate.end(late, 'success');
    gate.end(early, 'transient', { timedOut: true });
    expect(gate.ask({ failed: {} }).kind).toBe('wait');
    expect(gate.ask().kind).toBe('permit');
  });

  it.each([
    ['at once', 10, {}],
    ['at once, after a time-out', 10, { timedOut: true }],
    ['after it has waited for tokens', 1, {}],
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
      const cost = 'timedOut' in failed ? 4 : 1.5;
      expect(left('success', 100)).toBe(Math.min(cost, 10));
      expect(left('success', 300)).toBe(0);
      expect(left('transient', 10)).toBe(0);
    },
  );

  it('starts twice before the first success, and then waits for one: it is not refused', () => {
    const gate = new AdaptiveGate();
    for (let nth = 0; nth < 3; nth += 1) gate.run('transient', 1);
    for (let nth = 0; nth < 2; nth += 1) gate.start({ failed: {} });
    const answer = gate.ask({ failed: {} });
    expect(answer).toMatchObject({ kind: 'wait', wait: 'retry_budget', queued: 1 });
  });

  it('that waits starts when two successes have paid for it, and leaves half a token', () => {
    const gate = new AdaptiveGate().warmUp();
    gate.adaptive.pace.tokens = 0;
    const ticket = gate.wait({ failed: {} });
    const woken = Array.from({ length: 2 }, () => gate.run('success').woken);
    expect(woken).toEqual([[], [ticket]]);
    expect(gate.adaptive.pace.tokens).toBe(0.5);
    expect(gate.start({ retry: true, ticket })).toMatchObject({ permit: { probe: false } });
  });

  it('that is costly waits for four successes', () => {
    const gate = new AdaptiveGate().warmUp();
    gate.adaptive.pace.tokens = 0;
    const ticket = gate.wait({ failed: { timedOut: true } });
    const woken = Array.from({ length: 4 }, () => gate.run('success').woken);
    expect(woken).toEqual([[], [], [], [ticket]]);
  });

  it('that is costly is paid for even if its process makes too few calls by then to keep four tokens: the calls that wait are those that are missing', () => {
    const gate = new AdaptiveGate().warmUp();
    gate.adaptive.pace.tokens = 0;
    const ticket = gate.wait({ failed: { timedOut: true } });
    const woken = Array.from({ length: 12 }, () => {
      gate.now += 10_000;
      gate.adaptive.pace.lastSentAt = gate.now;
      return gate.run('success').woken;
    });
    expect(gate.adaptive.pace.gapMs).toBeGreaterThan(2_000 / 3);
    expect(woken.flat()).toEqual([ticket]);
    // Then it keeps three again.
    gate.start({ retry: true, ticket });
    for (let nth = 0; nth < 5; nth += 1) gate.run('success');
    expect(gate.adaptive.pace.tokens).toBe(3);
  });

  it('that is quick does not wait behind a costly one', () => {
    const gate = new AdaptiveGate().warmUp();
    gate.adaptive.pace.tokens = 0;
    gate.wait({ failed: { timedOut: true } });
    const quick = gate.wait({ failed: {} });
    const woken = Array.from({ length: 2 }, () => gate.run('success').woken);
    expect(woken).toEqual([[], [quick]]);
  });

  it('is not paid for by errors of its own caller', () => {
    const gate = new AdaptiveGate().warmUp();
    gate.adaptive.pace.tokens = 0;
    gate.wait({ failed: {} });
    expect(gate.run('permanent').woken).toEqual([]);
    expect(gate.run('neutral').woken).toEqual([]);
    expect(gate.adaptive.pace.tokens).toBe(0);
  });

  it('waits while the tool is slower than usual, whatever has been paid', () => {
    const gate = new AdaptiveGate().warmUp({ calls: 400, durationMs: 100 });
    for (let nth = 0; nth < 20; nth += 1) gate.run('success', 500);
    expect(gate.adaptive.pace.tokens).toBe(10);
    const ticket = gate.wait({ failed: {} });
    expect(gate.ask().kind).toBe('permit');
    const woken = Array.from({ length: 20 }, () => gate.run('success', 100).woken);
    expect(woken.flat()).toEqual([ticket]);
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

  describe('while two of the latest ten answers rejected a call as one too many', () => {
    const rejected = { rateLimited: true };

    it('waits, however many tokens there are, until nine others have been answered', () => {
      const gate = new AdaptiveGate().warmUp();
      gate.run('transient', 1, rejected);
      expect(gate.ask({ failed: {} }).kind).toBe('permit');
      gate.run('transient', 1, rejected);
      const ticket = gate.wait({ failed: {} });
      expect(gate.ask().kind).toBe('permit');
      const woken = Array.from({ length: 9 }, () => gate.run('success').woken);
      expect(woken).toEqual([...Array<never[]>(8).fill([]), [ticket]]);
    });

    it('starts two seconds after the latest rejection in a process with few calls', () => {
      const gate = new AdaptiveGate().warmUp();
      for (let nth = 0; nth < 2; nth += 1) gate.run('transient', 1, rejected);
      const ticket = gate.wait({ failed: {} });
      gate.adaptive.pace.gapMs = 10_000;
      const at = gate.now + 2_000;
      expect(gate.pass(5_000)).toEqual([{ ticket, at }]);
    });

    it('starts where nothing else has started since the attempt before: it takes the place of no other call', () => {
      const gate = new AdaptiveGate().warmUp();
      const { now: startedAt } = gate;
      for (let nth = 0; nth < 2; nth += 1) gate.end(gate.start(), 'transient', rejected);
      gate.now += 100;
      expect(gate.ask({ failed: { startedAt } }).kind).toBe('permit');
      expect(gate.ask({ failed: { startedAt } }).kind).toBe('wait');
    });

    it('does not wait for other failures', () => {
      const gate = new AdaptiveGate().warmUp();
      for (let nth = 0; nth < 2; nth += 1) gate.run('transient', 1);
      expect(gate.ask({ failed: {} }).kind).toBe('permit');
    });
  });
});
