import { expect, test } from 'vitest';
import { foldTurn } from '@holdfast/core/turn-view';
import { compare, holdfast, none, scenarios } from '@holdfast/simulate';
import { comparisonData } from '@holdfast/simulate/report';
import type { Job, Response } from '../../src/lab/job.ts';
import { answerTo, runJob, turnsOf } from '../../src/lab/run-job.ts';

const world = `
duration_ms: 60000
agents: [{ count: 5, arrivals: { kind: open, rate_per_second: 5 }, turn: [{ tool_id: search }], deadline_ms: 10000 }]
services: { search: { servers: 3, latency: { kind: constant, ms: 50 } } }
tools: { search: { service: search } }
faults: [{ service: search, kind: outage, from_ms: 20000, for_ms: 10000 }]
`;
const job: Job = {
  world: { text: world },
  processes: 0,
  policies: ['none', 'adaptive', 'own'],
  ownPolicy: 'profile: service\n',
  seeds: ['a.1', 'a.2'],
};

function responsesTo(asked: Job): readonly Response[] {
  const responses: Response[] = [];
  try {
    runJob(asked, (response) => responses.push(response));
  } catch (error) {
    responses.push(answerTo(error));
  }
  return responses;
}

test('answers with the figures of the simulate package, policy by policy', () => {
  const responses = responsesTo({ ...job, world: { name: 'lone_agent' }, policies: ['none', 'adaptive'] });
  const figures = responses.flatMap((each) => (each.kind === 'comparison' ? [comparisonData(each.comparison)] : []));
  const expected = compare(
    [scenarios.lone_agent],
    [{ ...none, name: 'none' }, holdfast({ name: 'adaptive', profile: 'adaptive' })],
    ['a.1', 'a.2'],
  );
  expect(figures).toEqual(expected.map((each) => comparisonData(each)));
  expect(responses.filter(({ kind }) => kind === 'progress')).toHaveLength(4);
  expect(responses.at(-1)).toEqual({ kind: 'done' });
});

test('reads a world and a policy from texts', () => {
  const comparisons = responsesTo(job).flatMap((each) => (each.kind === 'comparison' ? [each] : []));
  expect(comparisons.map(({ position, comparison, durationMs }) => [position, comparison.contender, durationMs])).toEqual([
    [0, 'none', 60_000],
    [1, 'adaptive', 60_000],
    [2, 'policy.yaml', 60_000],
  ]);
  expect(comparisons[1]?.comparison.summary.success).toBeGreaterThan(comparisons[0]?.comparison.summary.success ?? 1);
});

test('a text that cannot be used is answered with its problems', () => {
  expect(responsesTo({ ...job, world: { text: 'duration_ms: soon' } })).toMatchObject([
    { kind: 'invalid', of: 'world', problems: expect.arrayContaining([expect.objectContaining({ line: 1, column: 14 })]) as unknown },
  ]);
  expect(responsesTo({ ...job, ownPolicy: 'defaults:\n  retry_policy: { max_atempts: 2 }\n' })).toMatchObject([
    { kind: 'invalid', of: 'policy', problems: [{ line: 2, suggestion: 'max_attempts' }] },
  ]);
  expect(responsesTo({ ...job, ownPolicy: 'tools: [{ id: a, run: { module: ./a.mjs } }]' })).toMatchObject([
    { kind: 'invalid', of: 'policy', problems: [{ message: 'this is a manifest, and a policy has no tools to run' }] },
  ]);
  expect(responsesTo({ ...job, policies: ['peer:nothing'] })).toEqual([{ kind: 'failed', message: "There is no policy 'peer:nothing'." }]);
});

test('has the turns of one second, each with its whole trace', () => {
  const turns = turnsOf({ job, policy: 'adaptive', second: 26 });
  expect(turns.length).toBeGreaterThan(0);
  for (const { events } of turns) {
    expect([events[0]?.event_type, events.at(-1)?.event_type]).toEqual(['TurnStarted', 'TurnCompleted']);
  }
  const kinds = turns.flatMap(({ events }) => foldTurn(events).calls.flatMap(({ segments }) => segments.map(({ kind }) => kind)));
  expect(kinds).toContain('queue');
  expect(kinds).toContain('attempt');
  const starts = turns.map(({ events }) => new Date(events[0]?.timestamp ?? '').getUTCSeconds());
  expect(new Set(starts)).toEqual(new Set([26]));
  expect(turnsOf({ job, policy: 'none', second: 26 })).toEqual([]);
});
