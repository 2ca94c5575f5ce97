/** Edge cases of `retry` and `circuitBreaker`: all fields of a refusal, invalid classifiers, saved states, and ended delays. */
import { describe, expect, it } from 'vitest';
import {
  circuitBreaker,
  controlCircuit,
  restoreCircuit,
  retry,
  saveCircuit,
  type CircuitBreakerOptions,
} from '../../src/standalone/index.ts';
import { manualSystem } from '../../src/testing/index.ts';

const steady = { jitter: 'none' } as const;
const never = (): Promise<never> => new Promise(() => {});
const failing =
  (more: object = {}) =>
  (): never => {
    throw Object.assign(new Error('down'), { status: 503 }, more);
  };

function setUp(options: CircuitBreakerOptions = {}) {
  const system = manualSystem();
  const transitions: string[] = [];
  const breaker = circuitBreaker({
    failureThreshold: 2,
    system,
    onTransition: ({ from, to, reason }) => transitions.push(`${from} ${to} ${reason}`),
    ...options,
  });
  const open = async (): Promise<void> => {
    await breaker.run(failing());
    await breaker.run(failing());
  };
  return { system, breaker, transitions, open };
}

describe('a refusal', () => {
  it('has a default name for a circuit without one', async () => {
    const { breaker, open } = setUp();
    await open();
    expect(await breaker.run(() => 5)).toMatchObject({ error: { message: 'Circuit open for the task' } });
  });
  it('during a Retry-After has all fields', async () => {
    const { breaker } = setUp({ name: 'search' });
    await breaker.run(failing({ status: 429, headers: { 'retry-after': 3 } }));
    expect(await breaker.run(() => 5)).toMatchObject({
      success: false,
      classification: 'neutral',
      category: 'rate_limit',
      rule: 'refused:server_hint',
      code: 'RATE_LIMITED',
      attempts: 0,
      retryAfterMs: 3000,
      error: { message: 'Retry-After in force for search', code: 'RATE_LIMITED', retryAfterMs: 3000 },
    });
  });
  it('of a circuit that is opened during a delay ends the retry with the earlier error', async () => {
    const { breaker, system } = setUp();
    const outcome = retry(() => breaker.run(failing()), { system, ...steady, initialDelayMs: 500, maxDelayMs: 500 });
    await system.advance(100);
    controlCircuit(breaker, 'forced_open');
    const ended = await system.until(outcome);
    expect(ended).toMatchObject({ attempts: 1, status: 503, stoppedBy: 'circuit', error: { message: 'down' } });
    expect(system.now()).toBe(100);
  });
});

describe('a circuit', () => {
  it('keeps a probe for at least its time limit, even if its lease is shorter', async () => {
    const { breaker, system, open, transitions } = setUp({ probeLeaseMs: 10, timeoutMs: 5000 });
    await open();
    await system.advance(30_000);
    const probe = breaker.run(never);
    await system.advance(4999);
    expect(breaker.state).toBe('half_open');
    await system.advance(1);
    expect(await probe).toMatchObject({ category: 'timeout', error: { name: 'TimeoutError', message: 'Task timeout after 5000 ms' } });
    expect(transitions.at(-1)).toBe('half_open open probe_failed');
  });
  it('reports the loss of a probe before the next one', async () => {
    const { breaker, system, open, transitions } = setUp({ probeLeaseMs: 5000 });
    await open();
    await system.advance(30_000);
    void breaker.run(never);
    await system.advance(40_000);
    expect((await breaker.run(() => 5)).success).toBe(true);
    expect(transitions.slice(1)).toEqual([
      'open half_open open_period_elapsed',
      'half_open open probe_lease_expired',
      'open half_open open_period_elapsed',
      'half_open closed probe_succeeded',
    ]);
  });
  it('does not change a success that ends after it has opened', async () => {
    const { breaker, open } = setUp();
    let answer: (value: string) => void = () => {};
    const slow = breaker.run(() => new Promise<string>((resolve) => (answer = resolve)));
    await open();
    answer('late');
    expect(await slow).toEqual({ success: true, value: 'late', attempts: 1 });
  });
  it('ends no delay for a change other than an opening', async () => {
    const { breaker, system } = setUp();
    const outcome = retry(() => breaker.run(failing()), { system, ...steady, initialDelayMs: 500, maxDelayMs: 500, maxAttempts: 2 });
    await system.advance(100);
    controlCircuit(breaker, 'disabled');
    controlCircuit(breaker, 'auto');
    controlCircuit(breaker, 'reset');
    expect(await system.until(outcome)).toMatchObject({ attempts: 2, stoppedBy: 'attempts' });
    expect(system.now()).toBe(500);
  });
  it('is restored without the probe that was running when it was saved', async () => {
    const first = setUp();
    await first.open();
    await first.system.advance(30_000);
    void first.breaker.run(never);
    const saved = saveCircuit(first.breaker);
    const second = setUp();
    second.system.stepWallClock(30_000);
    expect(restoreCircuit(second.breaker, saved)).toBe(true);
    expect((await second.breaker.run(() => 5)).success).toBe(true);
    expect(second.breaker.state).toBe('closed');
  });
});

describe('a classifier', () => {
  it.each([undefined, null, 'transient', 5, {}, { classification: 5 }, Promise.resolve({ classification: 'transient' })])(
    'that returns %j is replaced by the default one',
    async (result) => {
      const outcome = await retry(failing({ status: 404 }), { system: manualSystem(), classify: () => result as never });
      expect(outcome).toMatchObject({ classification: 'permanent', category: 'not_found', attempts: 1 });
    },
  );
  it('gets the time, and with a signal whether the caller has aborted', async () => {
    const received: unknown[] = [];
    const classify = (_error: unknown, options: unknown) => {
      received.push(options);
      return { classification: 'permanent', category: 'bug', rule: 'x', ambiguous: false } as const;
    };
    const system = manualSystem();
    await retry(failing(), { system, classify });
    await retry(failing(), { system, classify, signal: new AbortController().signal });
    expect(received).toEqual([{ nowEpochMs: system.epochMs() }, { nowEpochMs: system.epochMs(), callerAborted: false }]);
  });
});

describe("the caller's abort", () => {
  it('is distinguished from a time limit of the caller', async () => {
    const system = manualSystem();
    expect(await retry(() => 5, { system, signal: AbortSignal.abort() })).toMatchObject({
      rule: 'cancelled by the caller',
      category: 'cancelled',
      attempts: 0,
    });
    const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
    const outcome = await retry(() => 5, { system, signal: late });
    expect(outcome).toMatchObject({ rule: 'task timeout', category: 'timeout', ambiguous: false, attempts: 0 });
    expect(outcome).not.toHaveProperty('stoppedBy');
  });
  it('by a time limit during a delay keeps the failure that was retried', async () => {
    const system = manualSystem();
    const caller = new AbortController();
    const outcome = retry(failing(), { system, ...steady, signal: caller.signal });
    await system.advance(50);
    caller.abort(new DOMException('late', 'TimeoutError'));
    expect(await outcome).toMatchObject({ status: 503, stoppedBy: 'deadline', attempts: 1, error: { message: 'down' } });
    expect(system.pendingTimers).toBe(0);
  });
  it('is not counted by a circuit, also if it is a time limit, as by the circuit of a service', async () => {
    const { breaker } = setUp();
    for (const [reason, classification] of [
      [new Error('enough'), 'neutral'],
      [new DOMException('late', 'TimeoutError'), 'transient'],
    ] as const) {
      const caller = new AbortController();
      const outcome = breaker.run(never, { signal: caller.signal });
      caller.abort(reason);
      expect(await outcome).toMatchObject({ success: false, error: reason, classification });
      expect(breaker.failureCount).toBe(0);
    }
  });
  it('gives the permit of a probe back', async () => {
    const { breaker, system } = setUp({ failureThreshold: 1, openMs: 1_000 });
    await breaker.run(failing());
    await system.advance(1_000);
    const caller = new AbortController();
    const probe = breaker.run(never, { signal: caller.signal });
    caller.abort(new DOMException('late', 'TimeoutError'));
    await probe;
    expect(await breaker.run(() => 5)).toMatchObject({ success: true });
    expect(breaker.state).toBe('closed');
  });
  it('is no time limit of a task: that of a retry around the circuit is counted', async () => {
    const { breaker, system } = setUp({ failureThreshold: 2 });
    const outcome = retry(({ signal }) => breaker.run(never, { signal }), { system, ...steady, timeoutMs: 100 });
    expect(await system.until(outcome)).toMatchObject({ attempts: 2, stoppedBy: 'circuit' });
    expect(breaker.state).toBe('open');
  });
  it('by anything else during a delay is a cancellation', async () => {
    const system = manualSystem();
    const caller = new AbortController();
    const outcome = retry(failing(), { system, ...steady, signal: caller.signal });
    await system.advance(50);
    caller.abort(new Error('enough'));
    expect(await outcome).toMatchObject({
      category: 'cancelled',
      rule: 'cancelled by the caller',
      attempts: 1,
      error: { message: 'enough' },
    });
  });
});

describe('a retry', () => {
  it('sets no timer for a task without a time limit', async () => {
    const system = manualSystem();
    void retry(never, { system });
    await system.settle();
    expect(system.pendingTimers).toBe(0);
  });
  it('is not repeated by an outer retry when its own policy ended it', async () => {
    const system = manualSystem();
    const reset = failing({ status: undefined, code: 'ECONNRESET' });
    const outcome = await system.until(retry(() => retry(reset, { system, effect: 'unsafe' }), { system, ...steady }));
    expect(outcome).toMatchObject({ attempts: 1, stoppedBy: 'policy' });
    expect(system.now()).toBe(0);
  });
  it('is not repeated after a cancellation inside it', async () => {
    const system = manualSystem();
    const cancelled = retry(() => retry(() => 5, { system, signal: AbortSignal.abort() }), { system, ...steady });
    expect(await system.until(cancelled)).toMatchObject({ attempts: 0, category: 'cancelled' });
    expect(system.now()).toBe(0);
  });
  it('is not repeated only because an error has the code of a refusal', async () => {
    const system = manualSystem();
    const classify = () =>
      ({ classification: 'neutral', category: 'rate_limit', rule: 'x', ambiguous: false, code: 'RATE_LIMITED' }) as const;
    expect(await system.until(retry(failing(), { system, ...steady, classify }))).toMatchObject({ attempts: 1, code: 'RATE_LIMITED' });
  });
  it('that ends during a Retry-After keeps the earlier error', async () => {
    const { breaker, system } = setUp({ failureThreshold: 9 });
    const outcome = retry(() => breaker.run(failing()), {
      system,
      ...steady,
      initialDelayMs: 500,
      maxDelayMs: 500,
      maxAttempts: 3,
      maxTotalTimeMs: 1500,
    });
    await system.advance(100);
    void breaker.run(failing({ status: 429, headers: { 'retry-after': '9' } }));
    expect(await system.until(outcome)).toMatchObject({
      attempts: 1,
      status: 503,
      stoppedBy: 'budget',
      error: { message: 'down' },
      retryAfterMs: 8600,
    });
  });
  it('stops waiting for the circuit once its delay is over', async () => {
    const { breaker, system, open } = setUp({ failureThreshold: 3 });
    const retries: number[] = [];
    const outcome = retry(() => breaker.run(failing()), { system, ...steady, maxAttempts: 2, onRetry: () => retries.push(system.now()) });
    const ended = await system.until(outcome);
    await open();
    expect(ended).toMatchObject({ attempts: 2, stoppedBy: 'attempts' });
    expect(retries).toEqual([0]);
  });
});

describe('limits and budgets', () => {
  it.each(['concurrency', 'rateLimit', 'retryBudget', 'rate', 'count'])('are not options here: %s', (option) => {
    expect(() => retry(() => 5, { [option]: 1 } as never)).toThrow(`retry has no setting '${option}'`);
    expect(() => circuitBreaker({ [option]: 1 } as never)).toThrow(`circuitBreaker has no setting '${option}'`);
  });
});
