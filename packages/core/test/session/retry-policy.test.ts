import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BackoffStrategy, RetryPolicyLayer } from '../../src/agent/index.ts';
import {
  ConstantBackoff,
  decideValidationRetry,
  ExponentialBackoff,
  LinearBackoff,
  mergeRetryPolicies,
  parseStructured,
  retryPolicyDefaults,
  StructuredOutputError,
  ToolValidationError,
} from '../../src/agent/index.ts';
import { classify } from '../../src/classify/index.ts';
import { checkRetryPolicy } from '../../src/session/retry-policy.ts';
import { manualSystem } from '../../src/testing/index.ts';
import { hostileValidations, schemaOf } from '../support/hostile-hooks.ts';
import { hostileValues } from '../support/hostile-values.ts';

const failure = { attempt: 1, errorType: 'ToolValidationError', elapsedSeconds: 0, reducerFailed: false, seed: 's' };

describe('backoff', () => {
  it('grows as it says, and never below 0', () => {
    fc.assert(
      fc.property(
        fc.nat(1_000),
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.double({ min: 0, max: 4, noNaN: true }),
        (attempts, base, more) => {
          const attempt = attempts + 1;
          expect(new ConstantBackoff(base).delaySeconds(attempt)).toBe(base);
          expect(new LinearBackoff(base, more).delaySeconds(attempt)).toBe(base + more * attempts);
          expect(new ExponentialBackoff(base, more).delaySeconds(attempt)).toBeGreaterThanOrEqual(0);
        },
      ),
    );
    expect(new ExponentialBackoff(0, 10).delaySeconds(1_000)).toBe(0);
  });

  it('is checked when it is made', () => {
    expect(() => new ExponentialBackoff(1, Infinity)).toThrow(/'factor'.*seconds, 0 or more/);
    expect(() => new LinearBackoff('1' as never, 1)).toThrow(TypeError);
  });
});

describe('decisions', () => {
  const answers: readonly [string, unknown, number][] = [
    ['a number', 2, 2],
    ['nothing', undefined, 0],
    ['no number', Number.NaN, 0],
    ['less than nothing', -5, 0],
    ['for ever', Infinity, 86_400],
    ['a text', '3', 0],
  ];
  it.each(answers)('a strategy that answers %s', (_what, answer, delaySeconds) => {
    const backoff = { delaySeconds: () => answer } as BackoffStrategy;
    expect(decideValidationRetry(mergeRetryPolicies({ backoff }), failure)).toEqual({ retry: true, delaySeconds });
  });

  it('the first reason that holds stops the attempts', () => {
    const stop = (layer: RetryPolicyLayer, more = {}) => decideValidationRetry(mergeRetryPolicies(layer), { ...failure, ...more });
    expect(stop({}, { attempt: 3 })).toEqual({ retry: false, stoppedBy: 'attempts' });
    expect(stop({}, { errorType: 'TypeError' })).toEqual({ retry: false, stoppedBy: 'not_retryable' });
    expect(stop({}, { reducerFailed: true, attempt: 3 })).toEqual({ retry: false, stoppedBy: 'reducer_error' });
    expect(stop({ timeBudgetSeconds: 4 }, { elapsedSeconds: 4 })).toEqual({ retry: false, stoppedBy: 'time_budget' });
    expect(stop({ timeBudgetSeconds: 4 }, { elapsedSeconds: 3.9 })).toMatchObject({ retry: true });
    expect(stop({ timeBudgetSeconds: 0 })).toEqual({ retry: false, stoppedBy: 'time_budget' });
    class OwnError extends Error {}
    expect(stop({ retryableErrors: [OwnError] }, { errorType: 'OwnError' })).toMatchObject({ retry: true });
  });

  it('layers leave what they do not say to the layers below', () => {
    const layer = fc.record({ maxAttempts: fc.constantFrom(undefined, 1, 2, 7), emitFeedback: fc.constantFrom(undefined, true, false) });
    fc.assert(
      fc.property(layer, layer, layer, (global, tool, call) => {
        const merged = mergeRetryPolicies(global, tool, call);
        expect(merged.maxAttempts).toBe(call.maxAttempts ?? tool.maxAttempts ?? global.maxAttempts ?? 3);
        expect(merged.emitFeedback).toBe(call.emitFeedback ?? tool.emitFeedback ?? global.emitFeedback ?? true);
        expect(merged.backoff).toBe(retryPolicyDefaults.backoff);
      }),
    );
  });

  it.each([
    [{ maxAttempts: 1.5 }, /maxAttempts.*whole number/],
    [{ backoff: {} }, /LinearBackoff/],
    [{ retryableErrors: 'all' }, /error names/],
    [{ retryableErrors: [''] }, /error names/],
    [{ emitFeedback: 1 }, /true or false/],
    [{ timeBudgetSeconds: -1 }, /timeBudgetSeconds/],
    [{ attempts: 1 }, /Did you mean|Known/],
  ])('%# are checked', (policy, message) => {
    expect(() => checkRetryPolicy(policy as never, 'policy')).toThrow(message);
  });
});

describe('errors', () => {
  it('a validation error is permanent for the service, whatever it says', () => {
    for (const error of [new ToolValidationError('connection reset'), new StructuredOutputError('timeout')])
      expect(classify(error, { nowEpochMs: 0 }).classification).toBe('permanent');
  });
});

describe('structured outputs', () => {
  const schema = { type: 'object', properties: { kind: { enum: ['a', 'b'] } }, required: ['kind'] };

  it.each([
    ['{"kind":"a"}', { ok: true, value: { kind: 'a' } }],
    ['```json\n{"kind":"b"}\n```', { ok: true, value: { kind: 'b' } }],
    [{ kind: 'a' }, { ok: true, value: { kind: 'a' } }],
  ])('%# are read', async (given, expected) => {
    expect(await parseStructured(given, schema)).toEqual(expected);
  });

  it.each([
    ['', 'no valid JSON'],
    ['{"kind":"c"}', `Field 'kind': must be one of "a", "b"`],
    ['{}', "Required field 'kind' missing"],
    ['[]', 'expected object, got array'],
    [undefined, 'expected object'],
  ])('%# are turned down', async (given, message) => {
    expect(await parseStructured(given, schema)).toMatchObject({
      ok: false,
      error: { name: 'StructuredOutputError', message: expect.stringContaining(message) },
    });
  });

  it('a reader of your own is asked', async () => {
    expect(await parseStructured('kind=a', schema, { read: (text) => ({ kind: text.at(-1) }) })).toMatchObject({ ok: true });
  });

  it('never rejects and never hangs, whatever schema and value are', async () => {
    for (const [name, validate] of Object.entries(hostileValidations)) {
      for (const make of Object.values(hostileValues)) {
        const system = manualSystem();
        const parsing = parseStructured(make(), schemaOf(validate), { system, timeoutMs: 100 });
        await system.advance(100);
        expect(typeof (await parsing).ok, name).toBe('boolean');
      }
    }
  });
});
