import { expect, test } from 'vitest';
import { parseTurn, type Problem } from '../src/index.ts';

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
    `id: trip
timeout_ms: null
on_deadline: abort
max_retries: 7
calls:
  - id: flights
    tool: flight_search
    args: { from: OSL, nested: [1, null, { deep: true }] }
    policy: { retry_policy: { max_attempts: 2 }, fallback: null, circuit_breaker: false }
  - id: best
    tool: compare
    args: { offers: { $from: flights, path: offers.0 } }
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
  ['an id that no address can name', 'id: .\ncalls: [{ id: a, tool: compare }]\n', "1:5 bad_identifier id: id is '.'"],
  ['another one', "id: '..'\ncalls: [{ id: a, tool: compare }]\n", "1:5 bad_identifier id: id is '..'"],
  ['dots that an address can name', "id: '...'\ncalls: [{ id: a, tool: compare }]\n"],
  [
    'a duplicate id',
    'calls:\n  - { id: a, tool: compare }\n  - { id: a, tool: compare }\n',
    "3:11 duplicate_id calls[1].id: two calls have the id 'a'; the first is in line 2",
  ],
  [
    'an unknown tool',
    'calls: [{ id: a, tool: flight_serach }]\n',
    "1:24 unknown_tool calls[0].tool: there is no tool 'flight_serach' | meant flight_search",
  ],
  [
    'a dangling dependency',
    'calls: [{ id: flights, tool: compare }, { id: b, tool: compare, depends_on: [flight] }]\n',
    "1:78 unknown_call calls[1].depends_on[0]: there is no call 'flight' | meant flights",
  ],
  [
    'a dangling reference',
    'calls: [{ id: a, tool: compare, args: [{ x: { $from: zzz } }] }]\n',
    "1:54 unknown_call calls[0].args[0].x.$from: there is no call 'zzz'",
  ],
  [
    'a reference with a misspelt path',
    'calls: [{ id: a, tool: compare, args: { $from: a, pth: x } }]\n',
    '1:41 bad_reference calls[0].args: this is not a reference to another call',
  ],
  [
    'a call that waits for itself',
    'calls: [{ id: a, tool: compare, depends_on: [a] }]\n',
    "1:46 cycle calls[0].depends_on[0]: 'a' waits for itself",
  ],
  [
    'a circle through lists and references',
    'calls:\n  - { id: a, tool: compare, depends_on: [c] }\n  - { id: b, tool: compare, args: { $from: a } }\n  - { id: c, tool: compare, depends_on: [b] }\n',
    '2:42 cycle calls[0].depends_on[0]: calls wait for each other: a → c → b → a',
  ],
  [
    'a default for what is no dependency',
    'calls: [{ id: abc, tool: compare }, { id: b, tool: compare, depends_on: [abc], defaults: { abd: 1 } }]\n',
    "1:92 not_a_dependency calls[1].defaults.abd: 'abd' is not a dependency of this call | meant abc",
  ],
  [
    'an override that does not exist',
    'calls: [{ id: a, tool: compare, policy: { timeout: 1 } }]\n',
    "1:43 unknown_key calls[0].policy.timeout: unknown key 'timeout' in policy | meant timeout_ms",
  ],
  [
    'an override out of range',
    'calls: [{ id: a, tool: compare, policy: { retry_policy: { max_attempts: 0 } } }]\n',
    '1:73 out_of_range calls[0].policy.retry_policy.max_attempts: max_attempts is 0',
  ],
  [
    'holes do not shift positions',
    'calls:\n  - 5\n  - { id: a, tool: nope }\n',
    '2:5 wrong_type calls[0]: calls[0] is 5',
    "3:20 unknown_tool calls[1].tool: there is no tool 'nope'",
  ],
];

test.each(cases)('%s', (_, text, ...expected) => {
  expect(problemsOf(text)).toEqual(expected);
});

test('environment variables are not substituted in turns', () => {
  process.env['HOLDFAST_TEST_SECRET'] = 'shh';
  const { turn } = parseTurn('calls: [{ id: a, tool: t, args: "${env:HOLDFAST_TEST_SECRET}" }]');
  delete process.env['HOLDFAST_TEST_SECRET'];
  expect(turn?.calls[0]?.arguments).toBe('${env:HOLDFAST_TEST_SECRET}');
});

test('a key named __proto__ stays data', () => {
  const { turn } = parseTurn('calls: [{ id: a, tool: t, args: { __proto__: { polluted: true } } }]');
  const args = turn?.calls[0]?.arguments as object;
  expect(Object.hasOwn(args, '__proto__')).toBe(true);
  expect((args as { polluted?: boolean }).polluted).toBeUndefined();
});

test('a chain of ten thousand calls needs no deep stack', () => {
  const calls = Array.from(
    { length: 10_000 },
    (_, index) => `  - { id: c${index}, tool: t, depends_on: [${index > 0 ? `c${index - 1}` : ''}] }`,
  );
  expect(parseTurn(`calls:\n${calls.join('\n')}\n`).problems).toEqual([]);
}, 60_000);
