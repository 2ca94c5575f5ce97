import { describe, expect, it } from 'vitest';
import {
  circuitBreaker,
  controlCircuit,
  rateDetector,
  restoreCircuit,
  retry,
  saveCircuit,
  unwrap,
  type CircuitBreaker,
  type CircuitBreakerOptions,
  type TaskOutcome,
} from '../../src/standalone/index.ts';
import { manualSystem, type ManualSystem } from '../../src/testing/index.ts';

interface Setup {
  readonly system: ManualSystem;
  readonly breaker: CircuitBreaker;
  readonly transitions: string[];
  /** Runs a task that fails with the status, or succeeds with 200. */
  readonly call: (status?: number, more?: object) => Promise<TaskOutcome<string>>;
}

function setUp(options: CircuitBreakerOptions = {}): Setup {
  const system = manualSystem();
  const transitions: string[] = [];
  const onTransition: CircuitBreakerOptions['onTransition'] = ({ from, to, reason }) => transitions.push(`${from} ${to} ${reason}`);
  const breaker = circuitBreaker({ name: 'search', failureThreshold: 2, system, onTransition, ...options });
  const call = (status = 200, more: object = {}): Promise<TaskOutcome<string>> =>
    breaker.run(() => {
      if (status !== 200) throw Object.assign(new Error(`status ${status}`), { status, ...more });
      return 'done';
    });
  return { system, breaker, transitions, call };
}

const never = (): Promise<never> => new Promise(() => {});

describe('a circuit breaker', () => {
  it('opens after consecutive failures, refuses, allows one probe, and closes', async () => {
    const { breaker, call, system, transitions } = setUp();
    expect(await call(503)).toMatchObject({ success: false, attempts: 1 });
    expect(await call(503)).toMatchObject({ success: false, attempts: 1, stoppedBy: 'circuit', retryAfterMs: 30_000 });
    expect(breaker.state).toBe('open');
    await system.advance(10_000);
    const refused = await call();
    expect(refused).toMatchObject({
      success: false,
      classification: 'neutral',
      category: 'unavailable',
      rule: 'refused:circuit',
      code: 'CIRCUIT_OPEN',
      attempts: 0,
      retryAfterMs: 20_000,
      stoppedBy: 'circuit',
      error: { message: 'Circuit open for search', code: 'CIRCUIT_OPEN', retryAfterMs: 20_000 },
    });
    await system.advance(20_000);
    expect(breaker.state).toBe('half_open');
    expect(await call()).toEqual({ success: true, value: 'done', attempts: 1 });
    expect(breaker.state).toBe('closed');
    expect(transitions).toEqual([
      'closed open failure_threshold',
      'open half_open open_period_elapsed',
      'half_open closed probe_succeeded',
    ]);
  });

  it('neither counts a permanent error nor closes a half-open circuit after one', async () => {
    const { breaker, call, system } = setUp();
    await call(503);
    await call(404);
    expect(breaker.failureCount).toBe(0);
    await call(503);
    await call(503);
    await system.advance(30_000);
    expect(await call(404)).toMatchObject({ classification: 'permanent' });
    expect(breaker.state).toBe('half_open');
  });

  it('refuses all calls except the probe at once, with the remaining wait', async () => {
    const { breaker, call, system } = setUp({ probeLeaseMs: 5_000 });
    await call(503);
    await call(503);
    await system.advance(30_000);
    void breaker.run(never);
    await system.advance(1_000);
    expect(await call()).toMatchObject({ code: 'CIRCUIT_OPEN', retryAfterMs: 4_000, rule: 'refused:probe_in_progress' });
  });

  it('drops a hanging probe when its lease ends, and ignores its late result', async () => {
    const { breaker, call, system } = setUp({ probeLeaseMs: 5_000 });
    await call(503);
    await call(503);
    await system.advance(30_000);
    let answer: (value: string) => void = () => {};
    const late = breaker.run(() => new Promise<string>((resolve) => (answer = resolve)));
    await system.advance(5_000);
    expect(breaker.state).toBe('open');
    await system.advance(30_000);
    expect(breaker.state).toBe('half_open');
    answer('late');
    expect(await late).toMatchObject({ success: true, value: 'late' });
    expect(breaker.state).toBe('half_open');
    expect((await call()).success).toBe(true);
    expect(breaker.state).toBe('closed');
  });

  it('ends a probe by its time limit before its lease', async () => {
    const { breaker, call, system } = setUp({ probeLeaseMs: 10, timeoutMs: 5_000 });
    await call(503);
    await call(503);
    await system.advance(30_000);
    const probe = breaker.run(never);
    expect(await system.until(probe)).toMatchObject({ category: 'timeout', rule: 'task timeout', ambiguous: true, stoppedBy: 'circuit' });
    expect(system.pendingTimers).toBe(0);
  });

  it('returns the probe at once when the caller aborts', async () => {
    const { breaker, call, system } = setUp();
    await call(503);
    await call(503);
    await system.advance(30_000);
    const caller = new AbortController();
    const probe = breaker.run(never, { signal: caller.signal });
    await system.settle();
    caller.abort();
    expect(await probe).toMatchObject({ classification: 'neutral', category: 'cancelled', attempts: 1 });
    expect(breaker.state).toBe('half_open');
    expect((await call()).success).toBe(true);
  });

  it('does not start the task of an aborted caller', async () => {
    const { breaker } = setUp();
    expect(await breaker.run(() => 5, { signal: AbortSignal.abort() })).toMatchObject({ attempts: 0, classification: 'neutral' });
  });

  it('refuses calls during a Retry-After without opening', async () => {
    const { breaker, call, system } = setUp();
    expect(await call(429, { headers: { 'retry-after': '3' } })).toMatchObject({ retryAfterMs: 3_000 });
    expect(breaker.state).toBe('closed');
    const refused = await call();
    expect(refused).toMatchObject({ code: 'RATE_LIMITED', attempts: 0, retryAfterMs: 3_000, classification: 'neutral' });
    expect(refused).not.toHaveProperty('stoppedBy');
    await system.advance(3_000);
    expect((await call()).success).toBe(true);
  });

  it('ignores errors of a listener', async () => {
    const { breaker, call } = setUp({
      onTransition: () => {
        throw new Error('listener');
      },
    });
    await call(503);
    expect(await call(503)).toMatchObject({ attempts: 1, stoppedBy: 'circuit' });
    expect(breaker.state).toBe('open');
  });

  it('opens on a share of failures with a detector, which several breakers can use', async () => {
    const detector = rateDetector({ windowMs: 10_000, minimumCalls: 4, failureRate: 0.5 });
    const [one, other] = [setUp({ detector }), setUp({ detector })];
    for (const { call } of [one, other]) {
      await call(503);
      await call();
    }
    await one.call();
    expect(one.breaker.state).toBe('closed');
    await one.call(503);
    expect([one.breaker.state, other.breaker.state, one.transitions[0]]).toEqual(['open', 'closed', 'closed open failure_rate']);
    expect(saveCircuit(other.breaker).window?.counts.at(0)).toHaveLength(3);
    expect(() => rateDetector({ windowMs: 1_000 } as never)).toThrow(
      'breaker.rate.minimumCalls must be a whole number, 1 or more, got undefined.',
    );
  });

  it('is not affected by a step of the wall clock', async () => {
    const { breaker, call, system } = setUp();
    await call(503);
    await call(503);
    system.stepWallClock(1e9);
    expect(breaker.state).toBe('open');
    system.stepWallClock(-2e9);
    await system.advance(30_000);
    expect(breaker.state).toBe('half_open');
  });

  it('can be saved, restored and controlled manually', async () => {
    const first = setUp();
    await first.call(503);
    await first.call(503);
    await first.system.advance(12_000);
    const saved = JSON.parse(JSON.stringify(saveCircuit(first.breaker))) as ReturnType<typeof saveCircuit>;
    const second = setUp();
    second.system.stepWallClock(12_000);
    expect(restoreCircuit(second.breaker, saved)).toBe(true);
    expect(saveCircuit(second.breaker)).toEqual(saved);
    expect(await second.call()).toMatchObject({ code: 'CIRCUIT_OPEN', retryAfterMs: 18_000 });
    expect(restoreCircuit(second.breaker, {} as never)).toBe(false);
    controlCircuit(second.breaker, 'reset');
    expect(second.breaker.state).toBe('closed');
    controlCircuit(second.breaker, 'forced_open');
    const refused = await second.call();
    expect(refused).toMatchObject({ code: 'CIRCUIT_OPEN', rule: 'refused:forced_open' });
    expect(refused).not.toHaveProperty('retryAfterMs');
    expect(second.transitions).toEqual(['open closed manual', 'closed open manual']);
  });

  it.each<readonly [unknown, string]>([
    [{ failureThreshold: 0 }, 'circuitBreaker.failureThreshold must be a whole number, 1 or more, got 0.'],
    [{ errorThresholdPercentage: 50 }, "circuitBreaker has no setting 'errorThresholdPercentage'. Known: failureThreshold"],
    [{ count: 'call' }, "circuitBreaker has no setting 'count'"],
    [{ rate: { windowMs: 1_000 } }, "circuitBreaker has no setting 'rate'. Known: failureThreshold"],
    [{ detector: true }, 'circuitBreaker.detector must be created with rateDetector({ … }), got true.'],
    [{ detector: { windowMs: 1_000 } }, 'circuitBreaker.detector must be created with rateDetector({ … }), got an object.'],
    [{ failureTreshold: 3 }, "circuitBreaker has no setting 'failureTreshold'. Did you mean 'failureThreshold'?"],
    [{ onTransition: 5 }, 'circuitBreaker.onTransition must be of type function, got 5.'],
  ])('rejects %j', (options, message) => {
    expect(() => circuitBreaker(options as CircuitBreakerOptions)).toThrow(message);
  });

  it('rejects a task that is not a function, and invalid options', () => {
    expect(() => setUp().breaker.run(() => 5, { sigal: undefined } as never)).toThrow(
      "run's options has no setting 'sigal'. Did you mean 'signal'?",
    );
    const { breaker } = setUp();
    expect(() => breaker.run(5 as never)).toThrow('circuitBreaker: task must be of type function, got 5.');
    expect(() => breaker.run(() => 5, { signal: 5 as never })).toThrow(
      "run's options.signal must be an AbortSignal, such as controller.signal, got 5.",
    );
  });
});

describe('retry around a circuit breaker', () => {
  const steady = { jitter: 'none' } as const;
  const failing = (): never => {
    throw Object.assign(new Error('down'), { status: 503 });
  };

  it('does not retry against an open circuit, keeps the last error, and returns the remaining wait', async () => {
    const { breaker, system } = setUp({ failureThreshold: 3 });
    const outcome = await system.until(retry(() => breaker.run(failing), { system, ...steady }));
    expect(outcome).toMatchObject({ attempts: 3, status: 503, stoppedBy: 'circuit', retryAfterMs: 30_000, error: { message: 'down' } });
    expect(system.now()).toBe(300);
    const refused = await system.until(retry(() => breaker.run(failing), { system, ...steady }));
    expect(refused).toMatchObject({ attempts: 0, code: 'CIRCUIT_OPEN', retryAfterMs: 30_000 });
    expect(system.now()).toBe(300);
  });

  it('ends a delay at once when another call opens the circuit', async () => {
    const { breaker, system, call } = setUp();
    const outcome = retry(() => breaker.run(failing), { system, ...steady, initialDelayMs: 500, maxDelayMs: 500 });
    await system.advance(100);
    await call(503);
    expect(await system.until(outcome)).toMatchObject({
      attempts: 1,
      stoppedBy: 'circuit',
      retryAfterMs: 30_000,
      error: { message: 'down' },
    });
    expect(system.now()).toBe(100);
    expect(system.pendingTimers).toBe(0);
  });

  it('does not repeat a probe', async () => {
    const { breaker, system, call } = setUp();
    await call(503);
    await call(503);
    await system.advance(30_000);
    expect(await system.until(retry(() => breaker.run(failing), { system }))).toMatchObject({ attempts: 1, stoppedBy: 'circuit' });
  });

  it('waits for the Retry-After of another call without using an attempt', async () => {
    const { breaker, system, call } = setUp();
    await call(429, { headers: { 'retry-after': '1' } });
    const starts: number[] = [];
    const task = (): number => starts.push(system.now());
    expect(await system.until(retry(() => breaker.run(task), { system, ...steady }))).toMatchObject({ success: true, attempts: 1 });
    expect(starts).toEqual([1_000]);
  });

  it('does not wrap an outcome again', async () => {
    const { breaker, system } = setUp();
    const outcome: TaskOutcome<number> = await retry(() => breaker.run(() => 5), { system });
    expect(outcome).toEqual({ success: true, value: 5, attempts: 1 });
  });

  it('recognizes a refusal that was unwrapped inside the task', async () => {
    const { breaker, system, call } = setUp();
    await call(503);
    await call(503);
    const outcome = await system.until(retry(async () => unwrap(await breaker.run(() => 5)), { system }));
    expect(outcome).toMatchObject({ code: 'CIRCUIT_OPEN', attempts: 0, stoppedBy: 'circuit', retryAfterMs: 30_000 });
    expect(system.now()).toBe(0);
  });

  it('counts as one failure inside a circuit breaker, with the number of all attempts', async () => {
    const { breaker, system } = setUp();
    const outcome = await system.until(breaker.run(() => retry(failing, { system, ...steady, maxAttempts: 3 })));
    expect(outcome).toMatchObject({ success: false, attempts: 3, stoppedBy: 'attempts' });
    expect(breaker.failureCount).toBe(1);
  });

  it('does not count the refusal of an inner circuit as a failure', async () => {
    const inner = setUp();
    await inner.call(503);
    await inner.call(503);
    const outer = circuitBreaker({ system: inner.system });
    expect(await outer.run(() => inner.breaker.run(() => 5))).toMatchObject({ code: 'CIRCUIT_OPEN', attempts: 0 });
    expect(outer.failureCount).toBe(0);
  });

  it('ends only its own attempt by its time limit', async () => {
    const { breaker, system } = setUp({ failureThreshold: 9 });
    const sibling = breaker.run(({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('aborted'))));
    const outcome = await system.until(
      retry(({ signal }) => breaker.run(never, { signal }), { system, ...steady, timeoutMs: 50, maxAttempts: 2 }),
    );
    expect(outcome).toMatchObject({ category: 'timeout', attempts: 2 });
    expect(breaker.failureCount).toBe(2);
    expect(await Promise.race([sibling, Promise.resolve('untouched')])).toBe('untouched');
  });
});
