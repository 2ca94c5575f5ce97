import { scenarios, type World } from '@holdfast/simulate';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { compileJsonSchema, formatProblem, worldJsonSchema } from '../../src/index.ts';
import { parseWorld, printWorld } from '../../src/world/index.ts';

const file = (...changes: readonly (readonly [string, string])[]): string =>
  changes.reduce(
    (text, [from, to]) => text.replace(from, to),
    `
duration_ms: 1000
agents: [{ count: 1, arrivals: { kind: open, rate_per_second: 1 }, turn: [{ tool_id: search }], deadline_ms: 10 }]
services: { index: { servers: 2, latency: { kind: uniform, min_ms: 2, max_ms: 5 } } }
tools: { search: { service: index } }
faults: [{ kind: outage, service: index, from_ms: 1, for_ms: [2, 3] }]
`,
  );

const problemsOf = (text: string): readonly string[] => {
  const { problems } = parseWorld(text);
  return problems.map((problem) => formatProblem(problem).replaceAll('\n', ''));
};

test.each(Object.values(scenarios).map((world) => [world.name, world] as const))(
  '%s is the same when it is written and read',
  (_name, world) => {
    const text = printWorld(world);
    expect(parseWorld(text).world).toEqual(world);
    expect(compileJsonSchema(worldJsonSchema())(parse(text))).toEqual([]);
  },
);

test('each field is explained once', () => {
  const text = printWorld(scenarios.cascade);
  expect(text).toContain('# Requests that one replica processes concurrently.\n    servers: 15');
  expect(text.match(/Requests that one replica processes/g)).toHaveLength(1);
});

test('a world without a name has that of its file', () => {
  const { world } = parseWorld(file(), { file: 'lab/bad-monday.yaml' });
  expect(world?.name).toBe('bad-monday');
  expect(parseWorld(file(['faults: [{ kind: outage, service: index, from_ms: 1, for_ms: [2, 3] }]', ''])).world?.faults).toEqual([]);
});

test.each<readonly [string, string, readonly string[]]>([
  [
    'tool_id: search }]',
    'tool_id: serch }]',
    ["world.yaml:3:86: error: there is no tool 'serch'  = did you mean search?  = allowed: search"],
  ],
  ['service: index,', 'service: indx,', ["world.yaml:6:35: error: there is no service 'indx'  = did you mean index?  = allowed: index"]],
  ['max_ms: 5', 'max_ms: 1', ['world.yaml:4:79: error: 1 is less than min_ms']],
  [
    'rate_per_second: 1',
    'think: { kind: constant }',
    [
      "world.yaml:3:40: error: kind 'open' has no 'rate_per_second'  = allowed: rate_per_second",
      "world.yaml:3:46: error: 'think' does not belong to kind 'open'  = allowed: rate_per_second, burst",
      "world.yaml:3:61: error: kind 'constant' has no 'ms'  = allowed: ms",
    ],
  ],
  [
    'for_ms: [2, 3]',
    'for_ms: [2], share: 1',
    [
      'world.yaml:6:62: error: for_ms has 1 number  = allowed: two: the lowest and the highest',
      "world.yaml:6:67: error: 'share' does not belong to kind 'outage'  = allowed: status, answer_ms, retry_after_s, service, host, from_ms, for_ms, recover_over_ms, recover_steps, cold_cache",
    ],
  ],
  ['service: index, from', 'from', ['world.yaml:6:10: error: the fault has no target  = allowed: name a service or a host']],
  ['duration_ms: 1000', 'duration_ms: 1000\nprocesses: 0', ['world.yaml:3:12: error: processes']],
  ['kind: outage', 'kind: outge', ['outge']],
  ['duration_ms', 'duration', ['did you mean duration_ms?', "has no 'duration_ms'"]],
])('%s → %s is reported with its position and its fix', (from, to, expected) => {
  const problems = problemsOf(file([from, to]));
  expect(problems).toHaveLength(expected.length);
  for (const [index, problem] of problems.entries()) expect(problem).toContain(expected[index]);
});

test.each(['', '[]', 'agents: 3', '&a [*a]', '{', 'duration_ms: 1\nagents: [{}]\ntools: {}\nservices: {}'])(
  '%j is reported, not thrown',
  (text) => {
    const { world, problems } = parseWorld(text);
    expect(world).toBeUndefined();
    expect(problems.length).toBeGreaterThan(0);
  },
);

test('a world in JSON', () => {
  const world = {
    duration_ms: 5,
    agents: [{ count: 1, arrivals: { kind: 'closed', think: { kind: 'constant', ms: 1 } }, turn: [{ tool_id: 'a' }], deadline_ms: 1 }],
    tools: { a: { service: 'b' } },
    services: { b: { servers: 1, latency: { kind: 'measured', values_ms: [1] } } },
  };
  expect(parseWorld(JSON.stringify(world)).world satisfies World | undefined).toMatchObject({ durationMs: 5, faults: [] });
});
