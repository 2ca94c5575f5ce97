import { expect, test } from 'vitest';
import { formatProblem, parseManifest, parsePolicy, parseTurn } from '../src/index.ts';

test('settings in the format of a manifest', () => {
  const { policy } = parsePolicy(`
profile: adaptive
memory: off
defaults: { retry_policy: { max_attempts: 3 } }
tools: [{ id: search, timeout_ms: 500, circuit_breaker: false }]
turn: { timeout_ms: 9000 }
recovery_rules: [{ name: never, deny: retry }]
`);
  expect(policy).toEqual({
    profile: 'adaptive',
    memory: 'off',
    defaults: { retry: { maxAttempts: 3 } },
    tools: { search: { timeoutMs: 500, breaker: false } },
    turn: { timeoutMs: 9000 },
    recoveryRules: [{ name: 'never', deny: ['retry'] }],
  });
});

test('absent settings stay absent, including the profile', () => {
  expect(parsePolicy('defaults: { timeout_ms: 5 }').policy).toEqual({ defaults: { timeoutMs: 5 }, tools: {}, turn: {}, recoveryRules: [] });
});

test('a manifest is accepted too; only its policies are read', () => {
  const { policy } = parsePolicy(`
profile: service
memory: on
store: false
tools: [{ id: search, description: Finds., run: { module: ./search.mjs }, hedge: false, fallback: null }]
`);
  expect(policy).toEqual({
    profile: 'service',
    memory: 'on',
    defaults: {},
    tools: { search: { hedge: false, fallback: { value: null } } },
    turn: {},
    recoveryRules: [],
  });
  expect(parsePolicy('tool: { id: a, run: { module: ./a.mjs }, timeout_ms: 7 }').policy?.tools).toEqual({ a: { timeoutMs: 7 } });
});

test.each([
  [
    'profile: adaptve',
    "policy.yaml:1:10: error: profile is 'adaptve'\n  = did you mean adaptive?\n  = allowed: one of 'spec', 'service', 'adaptive'",
  ],
  [
    'default: {}',
    "policy.yaml:1:1: error: unknown key 'default' in the file\n  = did you mean defaults?\n  = allowed: version, profile, memory, defaults, tools, turn, recovery_rules",
  ],
  ['memory: true', "policy.yaml:1:9: error: memory is true\n  = allowed: one of 'on', 'off'"],
  ['tools: [{ id: a }, { id: a }]', "policy.yaml:1:26: error: two tools have the id 'a'; the first is in line 1"],
  [
    'tools: [{ id: a, run: { module: ./a.mjs }, timeout_ms: 0 }]',
    "policy.yaml:1:56: error: timeout_ms is 0\n  = allowed: a number of milliseconds, above 0, or 'none'",
  ],
])('%s', (text, problem) => {
  expect(parsePolicy(text).problems.map((each) => formatProblem(each))).toEqual([problem]);
});

test('an old name of a key suggests the new one', () => {
  const meant = parsePolicy('policies: []\ndefaults: { circuit_breaker: { reset_timeout_ms: 5 } }').problems.map(
    ({ suggestion }) => suggestion,
  );
  expect(meant).toEqual(['recovery_rules', 'open_ms']);
});

test.each([
  ['defaults: { retries: 3 }', 'retry_policy'],
  ['defaults: { maxRetries: 3 }', 'retry_policy.max_attempts'],
  ['defaults: { breaker: {} }', 'circuit_breaker'],
  ['defaults: { timeoutMs: 3 }', 'timeout_ms'],
  ['defaults: { retry_policy: { factor: 3 } }', 'multiplier'],
  ['defaults: { circuit_breaker: { resetTimeout: 3 } }', 'open_ms'],
  ['retries: 3', 'defaults.retry_policy'],
])('the name of another library, or the one in code, suggests the key: %s', (text, suggestion) => {
  expect(parsePolicy(text).problems).toMatchObject([{ suggestion }]);
});

test("the specification's name of a key is read too, but not both names", () => {
  expect(parsePolicy('defaults: { circuit_breaker: { timeout_ms: 5 } }')).toMatchObject({
    policy: { defaults: { breaker: { openMs: 5 } } },
    problems: [],
  });
  const both = parsePolicy('defaults: { circuit_breaker: { timeout_ms: 5, open_ms: 6 } }').problems.map((each) => formatProblem(each));
  expect(both).toEqual(["policy.yaml:1:47: error: 'open_ms' and 'timeout_ms' are names of the same setting: use only one"]);
});

test.each([undefined, null, {}, 5])('a text that is %j is refused', (text) => {
  for (const parse of [parsePolicy, parseManifest, parseTurn])
    expect(() => parse(text as never)).toThrow(/: the text must be a string, got (?:undefined|object|number)\. To read a file/);
});
