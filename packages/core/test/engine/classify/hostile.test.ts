import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import { compileRules } from '../../../src/engine/classify/rules.ts';
import { describeError } from '../../../src/engine/classify/describe-error.ts';
import { retryAfterOf } from '../../../src/engine/classify/retry-after.ts';

const overrides = compileRules([{ status: 503, code: 'X', message: 'a|b', as: 'permanent' }]);
const options = { nowEpochMs: 1_800_000_000_000, overrides };

const throwing = (): never => {
  throw new Error('trap');
};
const trap = new Proxy(
  {},
  Object.fromEntries(['get', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'apply'].map((name) => [name, throwing])),
);

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  return proxy;
}

/** Every property is the object itself. */
const endless: object = new Proxy({}, { get: (_target, key) => (typeof key === 'string' ? endless : undefined) });

/** Every property is a new object. */
const spawning = (): object => new Proxy({}, { get: (_target, key) => (typeof key === 'string' ? spawning() : undefined) });

/** A class with an endless prototype chain. */
const climbing = (): object => new Proxy({}, { getPrototypeOf: climbing });

const throwingGetters = Object.defineProperties(new Error('x'), {
  code: { get: throwing },
  cause: { get: throwing },
  response: { get: throwing },
  message: { get: throwing },
});

const cyclic: Record<string, unknown> = { message: 'x' };
Object.assign(cyclic, { cause: cyclic, error: cyclic, errors: [cyclic], response: { data: cyclic } });

const nested: unknown[] = [];
nested.push(nested);

const badHeaders = [
  { get: throwing },
  { get: () => spawning() },
  {
    *keys(): Generator<number> {
      for (;;) yield 1;
    },
    get: () => undefined,
  },
  trap,
  { 'retry-after': nested },
  { 'retry-after': new Proxy([], { get: throwing }) },
  new Map([['Retry-After', '7']]),
  [['Retry-After', '7']],
  ['Retry-After', '7'],
];

const oddities: readonly unknown[] = [
  trap,
  revoked(),
  endless,
  spawning(),
  climbing(),
  throwingGetters,
  cyclic,
  Object.freeze(new Error('frozen')),
  Object.create(null),
  undefined,
  null,
  '',
  Number.NaN,
  404,
  -1n,
  Symbol('x'),
  throwing,
  class extends Error {},
  new Date(Number.NaN),
  new Map(),
  Promise.resolve(1),
  new Uint8Array(1e6),
  Array.from({ length: 1e5 }, () => ({})),
  { message: 7, name: {}, code: {}, status: {}, cause: 'text', errors: 'no', headers: 5 },
  { name: 'x'.repeat(1e6), code: 'y'.repeat(1e6), message: 'z'.repeat(1e6), body: `{"a":${'1'.repeat(1e6)}` },
  ...badHeaders.map((headers) => ({ status: 429, headers })),
];

const planted = 'oddity:';

/** Inserts odd values at their numbers: fast-check cannot handle some of them itself. */
const plant = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === 'string' && value.startsWith(planted) ? oddities[Number(value.slice(planted.length))] : (value as unknown),
    ]),
  );

const arbitraryError = fc.letrec<{ error: unknown; fields: object }>((tie) => ({
  error: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
      withTypedArray: true,
    }),
    tie('fields'),
    tie('fields').map((fields) => Object.assign(new Error(), fields)),
    fc.array(tie('error'), { maxLength: 4 }).map((errors) => new AggregateError(errors)),
  ),
  fields: fc
    .dictionary(
      fc.constantFrom(
        'message',
        'name',
        'code',
        'status',
        'statusCode',
        'cause',
        'error',
        'errors',
        'response',
        'data',
        'body',
        'headers',
        'metadata',
        'details',
        'type',
        'retryAfter',
        'retryDelay',
        'reason',
        'content',
        'text',
        'issues',
        'retryable',
      ),
      fc.oneof(
        tie('error'),
        fc.string(),
        fc.integer(),
        fc.constantFrom('ECONNRESET', '429', 'ThrottlingException', 'HTTP 503', 'MCP error -32602: x', 429, 503, 14, -32_602),
      ),
      { maxKeys: 8 },
    )
    .map(plant),
}));

function check(error: unknown): void {
  const result = classify(error, options);
  expect(['transient', 'permanent', 'neutral']).toContain(result.classification);
  expect(result.rule.length).toBeGreaterThan(0);
  const wait = result.retryAfterMs ?? 0;
  expect(Number.isSafeInteger(wait) && wait >= 0).toBe(true);
  expect(wait === 0 || result.classification === 'transient').toBe(true);
  const { name, message } = describeError(error);
  expect(name.length).toBeLessThanOrEqual(80);
  expect(message.length).toBeLessThanOrEqual(4096);
}

describe('for any value', () => {
  it.each(oddities.map((value, index) => [index, value] as const))('oddity %i is classified', (_index, value) => {
    check(value);
  });
  it('classifies arbitrary values and never throws', () => {
    fc.assert(
      fc.property(arbitraryError.error, (error) => check(error)),
      { numRuns: 500 },
    );
  });
  it('returns the same result twice', () => {
    fc.assert(
      fc.property(arbitraryError.error, (error) => {
        expect(classify(error, options)).toEqual(classify(error, options));
      }),
      { numRuns: 100 },
    );
  });
  it('does not modify the error', () => {
    const error = Object.freeze(
      Object.assign(new Error('x'), { response: Object.freeze({ status: 503, headers: Object.freeze({ 'retry-after': '3' }) }) }),
    );
    expect(classify(error, options).rule).toBe('status:503');
  });
  it('reads no headers from values without any', () => {
    for (const headers of [...badHeaders.slice(0, 6), undefined, null, 7, 'retry-after: 3'])
      expect(retryAfterOf(headers, options)).toBeUndefined();
  });
});

describe('time', () => {
  it('stays small for texts made to slow patterns down', () => {
    const parts = ['invalid ', 'connection ', 'a_b', 'quota ', 'token ', '(', 'timed ', '\n', '1', 'E', 'A_', 'max ', ' was', 'is ', 'x'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 6 }), (words) => {
        const started = process.cpuUsage();
        classify(new Error(words.join('').repeat(20_000)), options);
        expect(process.cpuUsage(started).user).toBeLessThan(500_000);
      }),
      { numRuns: 60 },
    );
  });
});
