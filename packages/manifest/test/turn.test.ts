import { expect, test } from 'vitest';
import { parseTurn, parseTurnInSteps, type Problem } from '../src/index.ts';

const brief = ({ line, column, code, path, message, suggestion }: Problem): string =>
  [`${line}:${column} ${code} ${path}: ${message}`, ...(suggestion ? [`meant ${suggestion}`] : [])].join(' | ');

const manifest = {
  tools: [
    { name: 'flight_search', run: { module: '/x' } },
    { name: 'compare', run: { module: '/x' } },
  ],
};
const problemsOf = (text: string): readonly string[] => parseTurn(text, { manifest }).problems.map(brief);

test('a turn becomes a plan of the core', () => {
  const { turn, problems } = parseTurn(
    `turn_id: trip
timeout_ms: null
on_deadline: abort
max_retries: 7
calls:
  - call_id: flights
    tool_id: flight_search
    arguments: { from: OSL, nested: [1, null, { deep: true }] }
    policy: { retry_policy: { max_attempts: 2 }, fallback: null, circuit_breaker: false }
  - call_id: best
    tool_id: compare
    arguments: { offers: { $from: flights, path: offers.0 } }
    depends_on: []
    optional: true
    defaults: { flights: [] }
`,
    { manifest },
  );
  expect(problems).toEqual([]);
  expect(turn).toEqual({
    turnId: 'trip',
    timeoutMs: null,
    onDeadline: 'abort',
    maxRetries: 7,
    calls: [
      {
        callId: 'flights',
        toolName: 'flight_search',
        arguments: { from: 'OSL', nested: [1, null, { deep: true }] },
        policy: { retry: { maxAttempts: 2 }, fallback: { value: null }, breaker: false },
      },
      {
        callId: 'best',
        toolName: 'compare',
        arguments: { offers: { $from: 'flights', path: 'offers.0' } },
        dependsOn: [],
        optional: true,
        defaults: { flights: [] },
      },
    ],
  });
});

const cases: readonly (readonly [name: string, text: string, ...expected: string[]])[] = [
  ['no calls', 'calls: []\n', '1:8 wrong_type calls: calls is an empty list'],
  [
    'the names of the code and of other files',
    'id: t\ncalls: [{ id: a, tool: compare, args: 1 }]\n',
    "1:1 unknown_key id: unknown key 'id' in the file | meant turn_id",
    "2:9 missing_key calls[0].call_id: calls[0] has no 'call_id'",
    "2:9 missing_key calls[0].tool_id: calls[0] has no 'tool_id'",
    "2:11 unknown_key calls[0].id: unknown key 'id' in calls[0] | meant call_id",
    "2:18 unknown_key calls[0].tool: unknown key 'tool' in calls[0] | meant tool_id",
    "2:33 unknown_key calls[0].args: unknown key 'args' in calls[0] | meant arguments",
  ],
  [
    'an id that cannot be in a URL',
    'turn_id: .\ncalls: [{ call_id: a, tool_id: compare }]\n',
    "1:10 bad_identifier turn_id: turn_id is '.'",
  ],
  ['another one', "turn_id: '..'\ncalls: [{ call_id: a, tool_id: compare }]\n", "1:10 bad_identifier turn_id: turn_id is '..'"],
  ['dots that can be in a URL', "turn_id: '...'\ncalls: [{ call_id: a, tool_id: compare }]\n"],
  [
    'a duplicate id',
    'calls:\n  - { call_id: a, tool_id: compare }\n  - { call_id: a, tool_id: compare }\n',
    "3:16 duplicate_id calls[1].call_id: two calls have the id 'a'; the first is in line 2",
  ],
  [
    'an unknown tool',
    'calls: [{ call_id: a, tool_id: flight_serach }]\n',
    "1:32 unknown_tool calls[0].tool_id: there is no tool 'flight_serach' | meant flight_search",
  ],
  [
    'a dangling dependency',
    'calls: [{ call_id: flights, tool_id: compare }, { call_id: b, tool_id: compare, depends_on: [flight] }]\n',
    "1:94 unknown_call calls[1].depends_on[0]: there is no call 'flight' | meant flights",
  ],
  [
    'a dangling reference',
    'calls: [{ call_id: a, tool_id: compare, arguments: [{ x: { $from: zzz } }] }]\n',
    "1:67 unknown_call calls[0].arguments[0].x.$from: there is no call 'zzz'",
  ],
  [
    'a reference with a misspelt path',
    'calls: [{ call_id: a, tool_id: compare, arguments: { $from: a, pth: x } }]\n',
    '1:54 bad_reference calls[0].arguments: this is not a reference to another call',
  ],
  [
    'a call that depends on itself',
    'calls: [{ call_id: a, tool_id: compare, depends_on: [a] }]\n',
    "1:54 cycle calls[0].depends_on[0]: 'a' depends on itself",
  ],
  [
    'a cycle through lists and references',
    'calls:\n  - { call_id: a, tool_id: compare, depends_on: [c] }\n  - { call_id: b, tool_id: compare, arguments: { $from: a } }\n  - { call_id: c, tool_id: compare, depends_on: [b] }\n',
    '2:50 cycle calls[0].depends_on[0]: calls depend on each other in a cycle: a → c → b → a',
  ],
  [
    'a default without a dependency',
    'calls: [{ call_id: abc, tool_id: compare }, { call_id: b, tool_id: compare, depends_on: [abc], defaults: { abd: 1 } }]\n',
    "1:108 not_a_dependency calls[1].defaults.abd: 'abd' is not a dependency of this call | meant abc",
  ],
  [
    'an override that does not exist',
    'calls: [{ call_id: a, tool_id: compare, policy: { timeout: 1 } }]\n',
    "1:51 unknown_key calls[0].policy.timeout: unknown key 'timeout' in policy | meant timeout_ms",
  ],
  [
    'an override out of range',
    'calls: [{ call_id: a, tool_id: compare, policy: { retry_policy: { max_attempts: 0 } } }]\n',
    '1:81 out_of_range calls[0].policy.retry_policy.max_attempts: max_attempts is 0',
  ],
  [
    'holes do not shift positions',
    'calls:\n  - 5\n  - { call_id: a, tool_id: nope }\n',
    '2:5 wrong_type calls[0]: calls[0] is 5',
    "3:28 unknown_tool calls[1].tool_id: there is no tool 'nope'",
  ],
];

test.each(cases)('%s', (_, text, ...expected) => {
  expect(problemsOf(text)).toEqual(expected);
});

test('environment variables are not substituted in turns', () => {
  process.env['HOLDFAST_TEST_SECRET'] = 'shh';
  const { turn } = parseTurn('calls: [{ call_id: a, tool_id: t, arguments: "${env:HOLDFAST_TEST_SECRET}" }]');
  delete process.env['HOLDFAST_TEST_SECRET'];
  expect(turn?.calls[0]?.arguments).toBe('${env:HOLDFAST_TEST_SECRET}');
});

test('a key named __proto__ stays data', () => {
  const { turn } = parseTurn('calls: [{ call_id: a, tool_id: t, arguments: { __proto__: { polluted: true } } }]');
  const args = turn?.calls[0]?.arguments as object;
  expect(Object.hasOwn(args, '__proto__')).toBe(true);
  expect((args as { polluted?: boolean }).polluted).toBeUndefined();
});

test('a chain of ten thousand calls needs no deep stack', () => {
  const calls = Array.from(
    { length: 10_000 },
    (_, index) => `  - { call_id: c${index}, tool_id: t, depends_on: [${index > 0 ? `c${index - 1}` : ''}] }`,
  );
  expect(parseTurn(`calls:\n${calls.join('\n')}\n`).problems).toEqual([]);
}, 60_000);

test.each([
  '{"calls":[{"call_id":"a","tool_id":"compare","arguments":{"x":[1,{"y":null}]}}]}',
  'calls:\n  - { call_id: a, tool_id: compare }\n---\nsecond: 1\n',
  'calls: [',
  '',
  'calls:\n  - { call_id: a, tool_id: compar, depends_on: [b] }\n  - { call_id: a, tool_id: compare }\n',
  'calls:\n  - &a { call_id: a, tool_id: compare }\n  - *a\n',
])('%j is read in steps as at once', async (text) => {
  expect(await parseTurnInSteps(text, { manifest }, () => undefined)).toEqual(parseTurn(text, { manifest }));
});

test.each([
  [
    'one large call',
    { calls: [{ call_id: 'a', tool_id: 'compare', arguments: { rows: Array.from({ length: 7_000 }, (_, id) => ({ id })) } }] },
  ],
  [
    'many calls with mistakes',
    { calls: Array.from({ length: 500 }, (_, n) => ({ call_id: `call_${n}`, tool_id: 'compare', depends_on: [`cal_${n + 1}x`] })) },
  ],
])('no step of %s takes long', async (_name, plan) => {
  const now = (): number => {
    const { user, system } = process.threadCpuUsage();
    return user + system;
  };
  const steps: number[] = [];
  let last = now();
  await parseTurnInSteps(JSON.stringify(plan), { manifest }, () => {
    steps.push(now() - last);
    last = now();
    return undefined;
  });
  const whole = steps.reduce((sum, step) => sum + step, 0);
  expect(Math.max(...steps)).toBeLessThan(whole / 3);
});
