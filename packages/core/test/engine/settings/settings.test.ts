import { describe, expect, it } from 'vitest';
import { profiles } from '../../../src/engine/settings/profiles.ts';
import { resolveSettings } from '../../../src/engine/settings/resolve.ts';
import type { ToolPolicy, TurnSettings } from '../../../src/engine/settings/settings.ts';
import { checkToolPolicy, checkTurnSettings } from '../../../src/engine/settings/validate.ts';

const spec = profiles.spec.tool;

describe('layers', () => {
  it('the most specific wins, field by field', () => {
    const global = resolveSettings(spec, { timeoutMs: 1_000, retry: { maxAttempts: 3, jitter: 'none' } });
    const tool = resolveSettings(global, { retry: { maxAttempts: 2 } });
    const call = resolveSettings(tool, { timeoutMs: 5 });
    expect(call).toEqual({ ...spec, timeoutMs: 5, retry: { ...spec.retry, maxAttempts: 2, jitter: 'none' } });
  });

  it('do not change lower layers', () => {
    const before = JSON.stringify(spec);
    resolveSettings(spec, { retry: { maxAttempts: 1 }, breaker: false });
    expect(JSON.stringify(spec)).toBe(before);
    expect(resolveSettings(spec, undefined)).toBe(spec);
    expect(resolveSettings(spec, {})).toBe(spec);
    expect(resolveSettings(spec, { timeoutMs: undefined })).toBe(spec);
  });

  it('switch features off and on again', () => {
    const off = resolveSettings(spec, { breaker: false });
    expect(off.breaker).toBe(false);
    expect(resolveSettings(off, { breaker: { failureThreshold: 2 } }).breaker).toEqual({
      ...(spec.breaker as object),
      failureThreshold: 2,
    });
    expect(resolveSettings(spec, { concurrency: { limit: 4 } }).concurrency).toEqual({ limit: 4, queue: Number.POSITIVE_INFINITY });
    expect(resolveSettings(spec, { retryBudget: { ratio: 1 } }).retryBudget).toEqual({ ratio: 1, floor: 10, windowMs: 10_000 });
    expect(resolveSettings(spec, { hedge: {} }).hedge).toEqual({ afterMs: 'p95', maxHedges: 1 });
  });

  it('replace lists and values completely', () => {
    const base = resolveSettings(spec, { alternatives: ['a', 'b'], fallback: { value: 1 } });
    expect(resolveSettings(base, { alternatives: ['c'], fallback: { value: undefined } })).toMatchObject({
      alternatives: ['c'],
      fallback: { value: undefined },
    });
  });
});

describe('profiles', () => {
  it('spec has the specified numbers', () => {
    expect(spec).toMatchObject({
      timeoutMs: 30_000,
      retry: { maxAttempts: 5, initialDelayMs: 100, maxDelayMs: 800, maxTotalTimeMs: 2_000, jitterPercent: 10 },
      breaker: { failureThreshold: 5, openMs: 30_000, count: 'attempt' },
    });
    expect(profiles.spec.turn.timeoutMs).toBe(300_000);
    expect(profiles.service.tool).toMatchObject({ retry: { maxAttempts: 4 }, breaker: { count: 'call', openMs: 60_000 } });
    expect(profiles.adaptive.useMemory).toBe(true);
  });

  it.each(Object.values(profiles))('$name keeps its own rules', ({ tool, turn }) => {
    const { fallback: _fallback, effect: _effect, ...policy } = tool;
    expect(() => checkToolPolicy(policy as ToolPolicy, 'Profile')).not.toThrow();
    expect(() => checkTurnSettings(turn, 'Profile')).not.toThrow();
  });
});

describe('invalid settings are refused with field, value and fix', () => {
  it.each<readonly [unknown, string]>([
    [{ timeoutMs: 0 }, "Tool 't'.timeoutMs must be a number of milliseconds above 0, got 0."],
    [{ timeoutMs: '30s' }, "Tool 't'.timeoutMs must be a number of milliseconds above 0, got '30s'."],
    [{ timeoutMs: Number.NaN }, "Tool 't'.timeoutMs must be a number of milliseconds above 0, got NaN."],
    [{ timoutMs: 5 }, "Tool 't' has no setting 'timoutMs'. Did you mean 'timeoutMs'?"],
    [{ retry: { max_attempts: 5 } }, "Tool 't'.retry has no setting 'max_attempts'. Did you mean 'maxAttempts'?"],
    [{ retry: { maxAttempts: 0 } }, "Tool 't'.retry.maxAttempts must be a whole number, 1 or more, got 0."],
    [{ retry: { maxAttempts: 2.5 } }, "Tool 't'.retry.maxAttempts must be a whole number, 1 or more, got 2.5."],
    [
      { retry: { strategy: 'exponential' } },
      "Tool 't'.retry.strategy must be one of exponential_backoff, linear_backoff, constant_backoff, got 'exponential'.",
    ],
    [
      { retry: { jitter: 'ful' } },
      "Tool 't'.retry.jitter must be one of proportional, full, equal, decorrelated, none (did you mean 'full'?), got 'ful'.",
    ],
    [{ retry: { jitterPercent: 101 } }, "Tool 't'.retry.jitterPercent must be a percentage from 0 to 100, got 101."],
    [{ retry: 5 }, "Tool 't'.retry must be an object, got 5."],
    [{ retry: [] }, "Tool 't'.retry must be an object, got an array."],
    [{ breaker: { rate: { failureRate: 2 } } }, "Tool 't'.breaker.rate.failureRate must be a share above 0 and at most 1, got 2."],
    [{ concurrency: { limit: 0 } }, "Tool 't'.concurrency.limit must be a whole number, 1 or more, got 0."],
    [{ concurrency: { limit: 4, order: 'fresh_first' } }, "Tool 't'.concurrency has no setting 'order'. Known: limit, queue."],
    [{ concurrency: { limit: 4, adaptive: true } }, "Tool 't'.concurrency has no setting 'adaptive'. Known: limit, queue."],
    [{ breaker: { probes: 4 } }, "Tool 't'.breaker has no setting 'probes'."],
    [{ retryBudget: { of: 'successes' } }, "Tool 't'.retryBudget has no setting 'of'. Known: ratio, floor, windowMs."],
    [{ waitForRecovery: { maxWaitMs: -1 } }, "Tool 't'.waitForRecovery.maxWaitMs must be a number of milliseconds, 0 or more, got -1."],
    [{ alternatives: 'backup' }, "Tool 't'.alternatives must be an array of tool names, got 'backup'."],
    [{ fallback: 5 }, "Tool 't'.fallback must be an object { value } with the output to use instead, got 5."],
    [{ effect: 'reads' }, "Tool 't'.effect must be one of read, idempotent, unsafe (did you mean 'read'?), got 'reads'."],
    [{ acceptPartial: 'yes' }, "Tool 't'.acceptPartial must be true or false, got 'yes'."],
    [null, "Tool 't' must be an object, got null."],
  ])('%j', (policy, message) => {
    expect(() => checkToolPolicy(policy as ToolPolicy, "Tool 't'")).toThrow(message);
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])("setting '%s' is not accepted", (name) => {
    expect(() => checkToolPolicy({ retry: JSON.parse(`{"${name}": {}}`) as never }, 'Tool')).toThrow(`Tool.retry has no setting '${name}'`);
  });

  it.each<readonly [Partial<TurnSettings>, string]>([
    [{ timeoutMs: -1 }, 'Turn.timeoutMs must be a number of milliseconds above 0, got -1.'],
    [{ concurrency: 0 }, 'Turn.concurrency must be a whole number, 1 or more, got 0.'],
    [{ onDeadline: 'abandon' as never }, "Turn.onDeadline must be one of detach, abort, got 'abandon'."],
    [{ maxRetries: 1.5 }, 'Turn.maxRetries must be a whole number, 0 or more, got 1.5.'],
  ])('%j', (settings, message) => {
    expect(() => checkTurnSettings(settings, 'Turn')).toThrow(message);
  });

  it('accepts values that mean no limit', () => {
    const forever = Number.POSITIVE_INFINITY;
    expect(() => checkTurnSettings({ timeoutMs: null, concurrency: forever, maxRetries: null }, 'Turn')).not.toThrow();
    expect(() =>
      checkToolPolicy(
        { timeoutMs: forever, retry: { maxTotalTimeMs: forever, maxDelayMs: forever }, breaker: false, hedge: false },
        'Tool',
      ),
    ).not.toThrow();
  });
});

describe('a name at the wrong level, or of another library', () => {
  it.each([
    [{ maxAttempts: 3 }, "p has no setting 'maxAttempts'. Did you mean 'retry.maxAttempts'?"],
    [{ resetTimeout: 3 }, "p has no setting 'resetTimeout'. Did you mean 'breaker.openMs'?"],
    [{ max: 3 }, "p has no setting 'max'. Did you mean 'concurrency.limit'?"],
    [{ breaker: { halfOpenAfter: 3 } }, "p.breaker has no setting 'halfOpenAfter'. Did you mean 'openMs'?"],
    [{ retry: { factor: 3 } }, "p.retry has no setting 'factor'. Did you mean 'multiplier'?"],
    [{ nothingLikeIt: 3 }, "p has no setting 'nothingLikeIt'. Known: timeoutMs"],
    [{ fallback: { value: 1, ttl: 2 } }, "p.fallback has no setting 'ttl'. Known: value."],
  ])('%j is refused with what was meant', (policy, message) => {
    expect(() => checkToolPolicy(policy as never, 'p')).toThrow(message);
  });

  it('a signal in place of an object with it is refused', () => {
    const { signal } = new AbortController();
    expect(() => checkToolPolicy(signal as never, 'p')).toThrow('p must be an object, got an AbortSignal. Known settings: timeoutMs');
  });

  it('features that can be switched off take false and an object', () => {
    for (const name of ['breaker', 'concurrency', 'rateLimit', 'retryBudget', 'hedge', 'waitForRecovery']) {
      expect(() => checkToolPolicy({ [name]: false }, 'p')).not.toThrow();
      expect(() => checkToolPolicy({ [name]: {} }, 'p')).not.toThrow();
      expect(() => checkToolPolicy({ [name]: true } as never, 'p')).toThrow(`p.${name} must be an object, got true`);
    }
  });
});
