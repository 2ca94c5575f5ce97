import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defineTool, errorCategories, type ErrorCategory, profiles, type ToolPolicy } from '@holdfast/core';
import { resolveSettings } from '@holdfast/core/internal';
import { stringify } from 'yaml';
import { type FilePolicy, fromPolicy, parseManifest, toPolicy } from '../src/index.ts';
import type { NumberShape, Shape } from '../src/shape/shape.ts';
import { policyShape } from '../src/tables/policy.ts';

const arbitraryNumber = (shape: NumberShape): fc.Arbitrary<number> => {
  const low = shape.minimum ?? shape.above ?? 0;
  const high = shape.maximum ?? 1e6;
  if (shape.integer) return fc.integer({ min: low, max: high });
  const inside = fc.double({ min: low, max: high, noNaN: true, minExcluded: shape.above !== undefined });
  return shape.infinite ? fc.oneof(inside, fc.constant(Infinity)) : inside;
};

/** Any value that a shape allows, generated from the table. */
function arbitrary(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case 'text':
      return fc.stringMatching(/^[a-z][a-z0-9_]{0,10}$/);
    case 'number':
      return arbitraryNumber(shape);
    case 'boolean':
      return fc.boolean();
    case 'choice':
      return fc.constantFrom(...shape.values);
    case 'literal':
      return fc.constant(shape.value);
    case 'list':
      return fc.array(arbitrary(shape.of), { maxLength: 3, minLength: shape.filled ? 1 : 0 });
    case 'map':
      return fc.dictionary(fc.constantFrom('a', 'b'), arbitrary(shape.of));
    case 'either':
      return fc.oneof(...shape.options.map(arbitrary));
    case 'record': {
      const fields = Object.fromEntries(shape.fields.map((field) => [field.key, arbitrary(field.shape)]));
      return fc.record(fields, { requiredKeys: shape.fields.filter((field) => field.required).map((field) => field.key) });
    }
    case 'anything':
    case 'schema':
      return fc.jsonValue();
  }
}

const policies = arbitrary(policyShape) as fc.Arbitrary<FilePolicy>;

test('file → code → file is the same policy', () => {
  fc.assert(
    fc.property(policies, (policy) => {
      expect(fromPolicy(toPolicy(policy))).toEqual(policy);
    }),
  );
});

test('code → file → code is the same policy', () => {
  const policy: ToolPolicy = {
    timeoutMs: 1,
    idleTimeoutMs: 10,
    abandonMs: 2,
    retry: {
      strategy: 'linear_backoff',
      initialDelayMs: 3,
      maxDelayMs: 4,
      multiplier: 5,
      stepMs: 6,
      jitter: 'full',
      jitterPercent: 7,
      maxAttempts: 8,
      maxTotalTimeMs: 9,
    },
    breaker: {
      count: 'call',
      failureThreshold: 1,
      successThreshold: 2,
      openMs: 3,
      probeLeaseMs: 4,
      permanentProbeLimit: 5,
      rate: { windowMs: 1, minimumCalls: 2, failureRate: 0.5, slowCallMs: 3, slowCallRate: 0.25 },
    },
    concurrency: { limit: 1, queue: Infinity },
    rateLimit: { limit: 1, windowMs: 2 },
    retryBudget: { ratio: 0.1, floor: 1, windowMs: 2 },
    hedge: { afterMs: 'p95', maxHedges: 2 },
    effect: 'unsafe',
    assumedEffect: 'read',
    unknownFailures: 'report',
    acceptPartial: true,
    maxOutputChars: 10,
    alternatives: ['b'],
    fallback: { value: null },
  };
  expect(toPolicy(fromPolicy(policy))).toEqual(policy);
  expect(fromPolicy({ breaker: false, fallback: { value: { a: 1 } } })).toEqual({ circuit_breaker: false, fallback: { a: 1 } });
});

test('the absence of a limit is a word in JSON, too', () => {
  const text = JSON.stringify({
    version: 1,
    mcp_servers: { a: { command: 'x' } },
    defaults: { timeout_ms: 'none', idle_timeout_ms: 5, hedge: { after_ms: 'none' } },
  });
  const { manifest, problems } = parseManifest(text, { file: 'a.json', env: {}, purpose: 'check' });
  expect(problems).toEqual([]);
  expect(manifest?.defaults).toEqual({ timeoutMs: Infinity, idleTimeoutMs: 5, hedge: { afterMs: Infinity } });
  expect(toPolicy({ timeout_ms: 'none' })).toEqual(toPolicy({ timeout_ms: Infinity }));
});

test.each([
  ['timeout_ms: never', "timeout_ms is 'never'", "a number of milliseconds, above 0, or 'none'"],
  ['idle_timeout_ms: 0', 'idle_timeout_ms is 0', "a number of milliseconds, above 0, or 'none'"],
  ['assumed_effect: safe', "assumed_effect is 'safe'", "one of 'read', 'idempotent', 'unsafe'"],
  ['unknown_failures: transient', "unknown_failures is 'transient'", "one of 'retry', 'report'"],
])('%s is refused with what is allowed', (setting, message, allowed) => {
  const { problems } = parseManifest(`version: 1\nmcp_servers: { a: { command: x } }\ndefaults: { ${setting} }\n`, {
    file: 'a.yaml',
    env: {},
    purpose: 'check',
  });
  expect(problems).toMatchObject([{ message, allowed }]);
});

test('every setting of the core has a key, and no key is without a setting', () => {
  const leaves = (value: unknown, path = ''): readonly string[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === '' ? key : `${path}.${key}`))
      : [path];
  const full = resolveSettings(profiles.adaptive.tool, {
    concurrency: {},
    hedge: {},
    rateLimit: { limit: 1, windowMs: 1 },
    retryBudget: {},
    idleTimeoutMs: 1,
  });
  const settings = leaves(full).filter((path) => path !== 'fallback');
  const known = leaves(toPolicy(fromPolicy({ ...full, effect: 'read', fallback: undefined })));
  expect(known.toSorted()).toEqual(settings.toSorted());
});

test('what the table allows, the core accepts', () => {
  fc.assert(
    fc.property(policies, (policy) => {
      const breaker = policy['circuit_breaker'] as { rate?: { slow_call_ms?: number; slow_call_rate?: number } } | false | undefined;
      const rate = breaker ? breaker.rate : undefined;
      fc.pre((rate?.slow_call_ms === undefined) === (rate?.slow_call_rate === undefined));
      defineTool({ name: 'a', run: () => 1, ...toPolicy(policy) });
    }),
  );
});

test('what the table allows, a file may contain', () => {
  fc.assert(
    fc.property(policies, (policy) => {
      const tool = { id: 'a', run: { module: './a.mjs' }, ...policy, alternatives: [] };
      const { problems } = parseManifest(stringify({ tools: [tool] }));
      expect(problems.filter(({ code, message }) => code !== 'lossy_number' && !message.includes('slow_call'))).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

test.each<readonly [FilePolicy]>([
  [{ timeout_ms: 0 }],
  [{ retry_policy: { max_attempts: 0 } }],
  [{ retry_policy: { max_attempts: 1.5 } }],
  [{ retry_policy: { multiplier: 0.99 } }],
  [{ retry_policy: { jitter_percent: 100.1 } }],
  [{ retry_policy: { initial_delay_ms: -1 } }],
  [{ circuit_breaker: { failure_threshold: 0 } }],
  [{ circuit_breaker: { open_ms: 0 } }],
  [{ concurrency: { limit: 0 } }],
  [{ hedge: { after_ms: 'p99' } }],
  [{ effect: 'write' }],
])('a value that the core rejects is reported with its position: %j', (policy) => {
  expect(() => defineTool({ name: 'a', run: () => 1, ...toPolicy(policy) })).toThrow(/must be/);
  const { problems } = parseManifest(stringify({ tools: [{ id: 'a', run: { module: './a.mjs' }, ...policy }] }));
  expect(problems).toHaveLength(1);
  expect(problems[0]?.code).toMatch(/out_of_range|not_allowed/);
  expect(problems[0]?.path).toMatch(/^tools\[0\]\../);
});

test('the categories are those of the core', () => {
  const all: Readonly<Record<ErrorCategory, true>> = {
    network: true,
    timeout: true,
    rate_limit: true,
    unavailable: true,
    auth: true,
    permission: true,
    not_found: true,
    invalid_input: true,
    conflict: true,
    unsupported: true,
    payload_too_large: true,
    quota_exhausted: true,
    cancelled: true,
    contract: true,
    bug: true,
    resource: true,
    unknown: true,
  };
  expect(errorCategories).toEqual(Object.keys(all));
});

test('a rule can match turns, one or several', () => {
  const rule = (turn: string): string =>
    `recovery_rules: [{ name: p, when: { turn: ${turn} }, deny: retry }]\ntools: [{ id: a, run: { command: { command: ls } } }]\n`;
  expect(parseManifest(rule('nightly')).manifest?.recoveryRules[0]?.when).toEqual({ turn: ['nightly'] });
  expect(parseManifest(rule('[nightly, weekly]')).manifest?.recoveryRules[0]?.when).toEqual({ turn: ['nightly', 'weekly'] });
});

test.each<readonly [(policy: never) => unknown, unknown, string]>([
  [toPolicy, { timeoutMs: 5 }, "toPolicy: policy has no setting 'timeoutMs'. Did you mean 'timeout_ms'?"],
  [
    toPolicy,
    { retry_policy: { maxAttempts: 5 } },
    "toPolicy: policy.retry_policy has no setting 'maxAttempts'. Did you mean 'max_attempts'?",
  ],
  [toPolicy, { retry_policy: { max_attemps: 5 } }, "Did you mean 'max_attempts'?"],
  [toPolicy, undefined, 'toPolicy: policy must be an object of settings, got undefined.'],
  [fromPolicy, { timeout_ms: 5 }, "fromPolicy: policy has no setting 'timeout_ms'. Did you mean 'timeoutMs'?"],
])('no key is lost: %o of %j', (convert, policy, message) => {
  expect(() => convert(policy as never)).toThrow(message);
});
