import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BackoffStrategy, RetryPolicyLayer } from '../../../src/agent/index.ts';
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
} from '../../../src/agent/index.ts';
import { classify } from '../../../src/engine/classify/classify.ts';
import { checkRetryPolicy } from '../../../src/engine/settings/validation-retries.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { hostileValidations, schemaOf } from '../../support/hostile-hooks.ts';
import { hostileValues } from '../../support/hostile-values.ts';

const failure = { attempt: 1, errorType: 'ToolValidationError', elapsedSeconds: 0, reducerFailed: false, seed: 's' };

describe('backoff', () => {
  it('grows by its formula, and is never negative', () => {
    fc.assert(
      fc.property(
        fc.nat(1_000),
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.double({ min: 0, max: 4, noNaN: true }),
        (attempts, base, more) => {
          const attempt = attempts + 1;
          expect(new ConstantBackoff(base).delaySeconds(attempt)).toBe(base);
          expect(new LinearBackoff(base, more).delaySeconds(attempt)).toBe(base + more * attempts);
          expect(new ExponentialBackoff(base, more).delaySeconds(attempt)).toBe(base === 0 ? 0 : base * more ** attempts);
        },
      ),
    );
    expect(new ExponentialBackoff(0, 10).delaySeconds(1_000)).toBe(0);
  });

  it('follows the specification', () => {
    const delays = (strategy: BackoffStrategy) => [1, 2, 3, 4].map((attempt) => strategy.delaySeconds(attempt));
    expect(delays(new ConstantBackoff(2))).toEqual([2, 2, 2, 2]);
    expect(delays(new LinearBackoff(1, 3))).toEqual([1, 4, 7, 10]);
    expect(delays(new ExponentialBackoff(2, 3))).toEqual([2, 6, 18, 54]);
  });

  it('checks its arguments on construction', () => {
    expect(() => new ExponentialBackoff(1, Infinity)).toThrow(
      "ExponentialBackoff: 'factor' must be a number of seconds, 0 or more, got Infinity.",
    );
    expect(() => new ExponentialBackoff(-1, 1)).toThrow("ExponentialBackoff: 'base'");
    expect(() => new LinearBackoff('1' as never, 1)).toThrow(TypeError);
    expect(() => new LinearBackoff('1' as never, 1)).toThrow("LinearBackoff: 'base'");
    expect(() => new LinearBackoff(1, Number.NaN)).toThrow("LinearBackoff: 'step'");
    expect(() => new ConstantBackoff(-1)).toThrow("ConstantBackoff: 'seconds'");
    expect(() => new ConstantBackoff(-1)).toThrow(RangeError);
  });
});

describe('decisions', () => {
  const answers: readonly [string, unknown, number][] = [
    ['a number', 2, 2],
    ['undefined', undefined, 0],
    ['NaN', Number.NaN, 0],
    ['a negative number', -5, 0],
    ['Infinity', Infinity, 86_400],
    ['a string', '3', 0],
  ];
  it.each(answers)('accept a strategy that returns %s', (_what, answer, delaySeconds) => {
    const backoff = { delaySeconds: () => answer } as BackoffStrategy;
    expect(decideValidationRetry(mergeRetryPolicies({ backoff }), failure)).toEqual({ retry: true, delaySeconds });
  });

  it('stop for the first reason that applies', () => {
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

  it('take undefined fields of a layer from the layers below', () => {
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
  it('of validation are permanent for the service, with any message', () => {
    for (const error of [new ToolValidationError('connection reset'), new StructuredOutputError('timeout')])
      expect(classify(error, { nowEpochMs: 0 }).classification).toBe('permanent');
  });

  it('are recognized by name and code', () => {
    expect(new ToolValidationError('a')).toMatchObject({ name: 'ToolValidationError', code: 'INVALID_ARGUMENTS', retryable: false });
    expect(new StructuredOutputError('a')).toMatchObject({
      name: 'StructuredOutputError',
      code: 'INVALID_STRUCTURED_OUTPUT',
      retryable: false,
    });
  });
});

describe('structured outputs', () => {
  const schema = { type: 'object', properties: { kind: { enum: ['a', 'b'] } }, required: ['kind'] };

  it.each([
    ['{"kind":"a"}', { ok: true, value: { kind: 'a' } }],
    ['```json\n{"kind":"b"}\n```', { ok: true, value: { kind: 'b' } }],
    [' \n```\n{"kind":"b"}```\n ', { ok: true, value: { kind: 'b' } }],
    ['```json \r\n{"kind":"b"}\r\n\r\n  ```', { ok: true, value: { kind: 'b' } }],
    [{ kind: 'a' }, { ok: true, value: { kind: 'a' } }],
  ])('%# are read', async (input, expected) => {
    expect(await parseStructured(input, schema)).toEqual(expected);
  });

  it.each([
    ['', 'not valid JSON'],
    ['{"kind":"c"}', `Field 'kind': must be one of "a", "b"`],
    ['{}', "Required field 'kind' missing"],
    ['{"kind":"c","more":[]}', '"a", "b"'],
    ['Here it is:\n```json\n{"kind":"b"}\n```', 'not valid JSON'],
    ['```json\n{"kind":"b"}\n``` Done.', 'not valid JSON'],
    ['[]', 'expected object, got array'],
    [undefined, 'expected object'],
  ])('%# are rejected', async (input, message) => {
    expect(await parseStructured(input, schema)).toMatchObject({
      ok: false,
      error: { name: 'StructuredOutputError', message: expect.stringContaining(message) },
    });
  });

  it('list all problems', async () => {
    const two = { type: 'object', properties: { n: { type: 'number' }, t: { type: 'string' } } };
    const parsed = await parseStructured('{"n":"1","t":2}', two);
    expect(parsed.ok ? '' : parsed.error.message).toBe("Field 'n': expected number, got string; Field 't': expected string, got number");
  });

  it('are accepted with a reason when the schema is broken or does not answer in time', async () => {
    const system = manualSystem();
    const parse = (validate: () => unknown) => parseStructured('1', schemaOf(validate as never), { system, timeoutMs: 100 });
    expect(await system.until(parse(() => Promise.reject(new Error('broken'))))).toEqual({ ok: true, value: 1, unchecked: 'broken' });
    expect(system.pendingTimers).toBe(0);
    expect(await parse(() => ({ value: 2 }))).toEqual({ ok: true, value: 2 });
    const hanging = parse(() => new Promise(() => undefined));
    await system.advance(100);
    expect(await hanging).toEqual({ ok: true, value: 1, unchecked: 'the schema did not return a result' });
  });

  it.each([undefined, null, () => true, { city: 'string' }])('are refused without a schema: %o', async (schema) => {
    await expect(parseStructured('{}', schema as never)).rejects.toThrow(
      /^schema (?:must be a Standard Schema|has no JSON Schema keyword)/,
    );
  });

  it('are read by a custom reader', async () => {
    expect(await parseStructured('kind=a', schema, { read: (text) => ({ kind: text.at(-1) }) })).toMatchObject({ ok: true });
  });

  it('never reject and never hang, for any schema and value', async () => {
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
