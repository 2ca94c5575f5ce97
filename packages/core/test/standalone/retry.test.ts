import { describe, expect, it } from 'vitest';
import { classify } from '../../src/engine/classify/classify.ts';
import { retry, unwrap, type RetryNotice, type RetryOptions, type TaskOutcome } from '../../src/standalone/index.ts';
import { manualSystem } from '../../src/testing/index.ts';
import { hostileValues, thenables } from '../support/hostile-values.ts';

const steady = { jitter: 'none' } as const;

/** Runs a task that fails with each error in turn and then succeeds. Returns the times of its starts. */
async function runWithErrors(
  errors: readonly unknown[],
  options: RetryOptions = {},
): Promise<{ starts: number[]; outcome: TaskOutcome<string> }> {
  const system = manualSystem();
  const starts: number[] = [];
  const left = [...errors];
  const task = async (): Promise<string> => {
    starts.push(system.now());
    if (left.length > 0) throw left.shift();
    return 'done';
  };
  const outcome = await system.until(retry(task, { system, ...steady, ...options }));
  expect(system.pendingTimers).toBe(0);
  return { starts, outcome };
}

const broken = (more: object = {}): Error => Object.assign(new Error('broken'), { status: 503 }, more);

describe('retry', () => {
  it('retries a transient failure after 100, 200, 400 and 800 ms, with five attempts in total', async () => {
    const { starts, outcome } = await runWithErrors(Array.from({ length: 9 }, () => broken()));
    expect(starts).toEqual([0, 100, 300, 700, 1_500]);
    expect(outcome).toMatchObject({ success: false, attempts: 5, stoppedBy: 'attempts', classification: 'transient', status: 503 });
  });

  it('returns the value of the successful attempt', async () => {
    const { starts, outcome } = await runWithErrors([broken(), broken()]);
    expect(outcome).toEqual({ success: true, value: 'done', attempts: 3 });
    expect(starts).toHaveLength(3);
  });

  it('does not retry a permanent failure', async () => {
    const error = broken({ status: 404 });
    const { starts, outcome } = await runWithErrors([error]);
    expect(starts).toEqual([0]);
    expect(outcome).toEqual({
      success: false,
      error,
      classification: 'permanent',
      category: 'not_found',
      rule: 'status:404',
      ambiguous: false,
      status: 404,
      attempts: 1,
    });
  });

  it('does not wait for an attempt that could only start at or after the time limit', async () => {
    const { starts, outcome } = await runWithErrors(
      Array.from({ length: 9 }, () => broken()),
      { maxTotalTimeMs: 300 },
    );
    expect(starts).toEqual([0, 100]);
    expect(outcome).toMatchObject({ attempts: 2, stoppedBy: 'budget' });
  });

  it('measures the limit from the first failure, however long the first attempt took', async () => {
    const system = manualSystem();
    let attempts = 0;
    const outcome = retry(
      ({ attempt }) => {
        attempts = attempt;
        return new Promise(() => {});
      },
      { system, ...steady, timeoutMs: 30_000, maxAttempts: 2 },
    );
    expect(await system.until(outcome)).toMatchObject({ attempts: 2, category: 'timeout', ambiguous: true, stoppedBy: 'attempts' });
    expect([attempts, system.now()]).toEqual([2, 60_100]);
  });

  it.each([
    ['in seconds', { headers: { 'retry-after': '1' } }],
    ['in milliseconds', { headers: new Map([['retry-after-ms', '1000']]) }],
    ['as a date', { response: { headers: { 'Retry-After': 'Wed, 05 Nov 2025 10:30:46 GMT' } } }],
    ['as a field', { retryAfterMs: 1_000 }],
  ])('waits as long as the server requests, %s', async (_form, more) => {
    expect((await runWithErrors([broken({ status: 429, ...more })])).starts).toEqual([0, 1_000]);
  });

  it('stops at once when the requested wait exceeds the limit, and returns the wait', async () => {
    const { starts, outcome } = await runWithErrors([broken({ headers: { 'retry-after': '60' } })]);
    expect(starts).toEqual([0]);
    expect(outcome).toMatchObject({ stoppedBy: 'budget', retryAfterMs: 60_000 });
  });

  it('has the same delays with the same seed, and others with another seed', async () => {
    const errors = Array.from({ length: 9 }, () => broken());
    const delays = async (seed: string): Promise<readonly number[]> =>
      (await runWithErrors(errors, { seed, jitter: 'proportional' })).starts;
    expect(await delays('a')).toEqual(await delays('a'));
    expect(await delays('a')).not.toEqual(await delays('b'));
  });

  it('does not retry an unsafe task that may have had its effect', async () => {
    const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    expect((await runWithErrors([reset], { effect: 'unsafe' })).outcome).toMatchObject({
      attempts: 1,
      stoppedBy: 'policy',
      ambiguous: true,
    });
    expect((await runWithErrors([reset], { effect: 'idempotent' })).outcome).toMatchObject({ success: true, attempts: 2 });
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    expect((await runWithErrors([refused], { effect: 'unsafe' })).outcome).toMatchObject({ success: true, attempts: 2 });
  });

  it('uses the given classifier, and the default one when that throws', async () => {
    const vague = new Error('You have exceeded your current quota');
    expect((await runWithErrors([vague])).outcome).toMatchObject({ success: true, attempts: 2 });
    expect((await runWithErrors([vague], { classify })).outcome).toMatchObject({ attempts: 1, category: 'quota_exhausted' });
    const throwing = (): never => {
      throw new Error('no idea');
    };
    expect((await runWithErrors([broken({ status: 400 })], { classify: throwing })).outcome).toMatchObject({ category: 'invalid_input' });
  });

  it('notifies of each retry before its delay, and ignores errors of the listener', async () => {
    const notices: RetryNotice[] = [];
    const onRetry = (notice: RetryNotice): void => {
      notices.push(notice);
      throw new Error('listener');
    };
    const { outcome } = await runWithErrors([broken(), broken()], { onRetry });
    expect(notices.map(({ attempt, delayMs, failure }) => [attempt, delayMs, failure.attempts])).toEqual([
      [2, 100, 1],
      [3, 200, 2],
    ]);
    expect(outcome.success).toBe(true);
  });

  it.each([
    ['synchronous values', () => 5, 5],
    ['undefined', () => undefined, undefined],
  ])('accepts %s', async (_name, task, value) => {
    expect(await retry(task as () => unknown, { system: manualSystem() })).toEqual({ success: true, value, attempts: 1 });
  });

  it.each(Object.entries(hostileValues))('handles any thrown value: %s', async (_name, make) => {
    const thrown = make();
    const { outcome } = await runWithErrors([thrown], { maxAttempts: 1 });
    expect(Object.is(outcome.success ? undefined : outcome.error, thrown)).toBe(true);
  });

  it.each(Object.entries(thenables))('handles any returned value: %s', async (_name, make) => {
    const system = manualSystem();
    const outcome = retry(() => make(), { system, timeoutMs: 10, maxAttempts: 1 });
    expect(typeof (await system.until(outcome)).success).toBe('boolean');
  });

  it('waits for a delay that exceeds the longest timer of the platform', async () => {
    const { starts } = await runWithErrors([broken()], { initialDelayMs: 2 ** 32, maxDelayMs: 2 ** 32, maxTotalTimeMs: Infinity });
    expect(starts).toEqual([0, 2 ** 32]);
  });
});

describe("the caller's abort", () => {
  const reason = new Error('enough');

  it('prevents the first attempt', async () => {
    const outcome = await retry(() => 'never', { system: manualSystem(), signal: AbortSignal.abort(reason) });
    expect(outcome).toMatchObject({ success: false, error: reason, classification: 'neutral', category: 'cancelled', attempts: 0 });
  });

  it('ends a hanging attempt and aborts its signal', async () => {
    const system = manualSystem();
    const caller = new AbortController();
    let received: unknown;
    const outcome = retry(
      ({ signal }) => {
        signal.addEventListener('abort', () => (received = signal.reason));
        return new Promise(() => {});
      },
      { system, signal: caller.signal, timeoutMs: 5_000 },
    );
    await system.settle();
    caller.abort(reason);
    expect(await outcome).toMatchObject({ error: reason, classification: 'neutral', attempts: 1 });
    expect([received, system.pendingTimers, system.now()]).toEqual([reason, 0, 0]);
  });

  it('ends a delay, and the task is not called again', async () => {
    const system = manualSystem();
    const caller = new AbortController();
    let calls = 0;
    const outcome = retry(
      () => {
        calls += 1;
        throw broken();
      },
      { system, signal: caller.signal },
    );
    await system.settle();
    expect(system.pendingTimers).toBe(1);
    caller.abort(reason);
    expect(await outcome).toMatchObject({ error: reason, classification: 'neutral', attempts: 1 });
    expect([calls, system.pendingTimers]).toEqual([1, 0]);
  });

  it('is possible in a listener before the delay starts', async () => {
    const system = manualSystem();
    const caller = new AbortController();
    const outcome = retry(
      () => {
        throw broken();
      },
      { system, signal: caller.signal, onRetry: () => caller.abort(reason) },
    );
    expect(await outcome).toMatchObject({ error: reason, attempts: 1 });
    expect(system.pendingTimers).toBe(0);
  });

  it('by a time limit is a timeout, not a cancellation', async () => {
    const system = manualSystem();
    const caller = new AbortController();
    const outcome = retry(() => new Promise(() => {}), { system, signal: caller.signal });
    await system.settle();
    caller.abort(new DOMException('late', 'TimeoutError'));
    expect(await outcome).toMatchObject({ classification: 'transient', category: 'timeout', stoppedBy: 'deadline', attempts: 1 });
  });

  it('is distinguished from an abort by the task', async () => {
    const taskAbort = new DOMException('by the task', 'AbortError');
    const { outcome } = await runWithErrors([taskAbort], { signal: new AbortController().signal });
    expect(outcome).toMatchObject({ success: true, attempts: 2 });
  });

  it('leaves no listeners, also after a thousand tasks with one signal', async () => {
    const system = manualSystem();
    const caller = new AbortController();
    let listeners = 0;
    const signal = {
      aborted: false,
      reason: undefined,
      addEventListener: (...args: Parameters<AbortSignal['addEventListener']>): void => {
        listeners += 1;
        caller.signal.addEventListener(...args);
      },
      removeEventListener: (): void => {
        listeners -= 1;
      },
    };
    let failures = 1_000;
    const task = (): string => {
      failures -= 1;
      if (failures >= 0) throw broken();
      return 'done';
    };
    const all = Promise.all(Array.from({ length: 1_000 }, () => retry(task, { system, signal: signal as never })));
    expect((await system.until(all)).every(({ success }) => success)).toBe(true);
    expect(listeners).toBe(0);
  });
});

describe('outcomes', () => {
  it('have to be awaited before they are unwrapped', () => {
    expect(() => unwrap(retry(() => 5) as never)).toThrow('unwrap: outcome must be awaited first, got a promise.');
  });

  it('are unwrapped to a value or a thrown error', async () => {
    const error = broken({ status: 400 });
    expect(unwrap((await runWithErrors([])).outcome)).toBe('done');
    const { outcome } = await runWithErrors([error]);
    expect(() => unwrap(outcome)).toThrow(error);
  });

  it('of a nested retry are not wrapped again, and all attempts are counted', async () => {
    const system = manualSystem();
    let calls = 0;
    const inner = (): Promise<TaskOutcome<number>> =>
      retry(
        () => {
          calls += 1;
          if (calls < 4) throw broken();
          return calls;
        },
        { system, ...steady, maxAttempts: 2 },
      );
    expect(await system.until(retry(inner, { system, ...steady }))).toEqual({ success: true, value: 4, attempts: 4 });
  });
});

describe('invalid options throw synchronously', () => {
  it.each<readonly [unknown, string]>([
    [{ maxAttempts: 0 }, 'retry.maxAttempts must be a whole number, 1 or more, got 0.'],
    [{ retries: 3 }, "retry has no setting 'retries'. Did you mean 'maxAttempts'?"],
    [{ timeoutMs: '1s' }, "retry.timeoutMs must be a number of milliseconds above 0, got '1s'."],
    [{ maxAttemps: 3 }, "retry has no setting 'maxAttemps'. Did you mean 'maxAttempts'?"],
    [{ breaker: {} }, "retry has no setting 'breaker'. Known: strategy"],
    [{ signal: 5 }, 'retry.signal must be an AbortSignal, such as controller.signal, got 5.'],
    [{ signal: new AbortController() }, 'retry.signal must be an AbortSignal, such as controller.signal, got an object.'],
    [{ effect: 'write' }, "retry.effect must be one of read, idempotent, unsafe, got 'write'."],
    [{ onRetry: true }, 'retry.onRetry must be of type function, got true.'],
    [{ seed: 5 }, 'retry.seed must be of type string, got 5.'],
    [{ system: null }, 'retry.system must be an object with now, epochMs, '],
    [null, 'retry must be an object, got null.'],
  ])('%j', (options, message) => {
    expect(() => retry(() => 5, options as RetryOptions)).toThrow(message);
  });

  it('a task that is not a function', () => {
    expect(() => retry(Promise.resolve() as never)).toThrow('retry: task must be of type function, got a promise.');
  });

  it('but undefined options have their defaults', async () => {
    expect((await runWithErrors([broken()], { maxAttempts: undefined as never, signal: undefined })).outcome.success).toBe(true);
  });
});
