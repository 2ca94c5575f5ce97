/** How many calls of a turn or batch run at once, by profile. */
import { expect, test } from 'vitest';
import { replayTurn } from '../../../src/replay/index.ts';
import type { ProfileName, TraceEvent } from '../../../src/index.ts';
import { defineTool, ToolExecutionService } from '../../../src/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';

const CALLS = Array.from({ length: 200 }, (_, index) => ({ callId: `c${index}`, toolName: 'lookup' }));

function world(profile: ProfileName) {
  const system = manualSystem();
  const run = () => new Promise((resolve) => system.setTimer(1_000, () => resolve('found')));
  const service = new ToolExecutionService({ profile, tools: [defineTool({ name: 'lookup', effect: 'read', run })], system, seed: 'many' });
  return { system, service };
}

test.each([
  ['spec', 13_000],
  ['service', 13_000],
  ['adaptive', 1_000],
] as const)('200 calls of a second take as long as %s lets them: %d ms', async (profile, durationMs) => {
  const { system, service } = world(profile);
  const results = await system.until(service.executeToolBatch(CALLS));
  expect(results.filter(({ status }) => status === 'success')).toHaveLength(200);
  expect(system.now()).toBe(durationMs);
});

test('no call of a healthy tool is lost at a deadline because of the others, under adaptive', async () => {
  const { system, service } = world('adaptive');
  const results = await system.until(service.executeToolBatch(CALLS, { timeoutMs: 1_500 }));
  expect(results.filter(({ status }) => status === 'success')).toHaveLength(200);
});

test('a recorded turn without a limit is replayed without one', async () => {
  const { system, service } = world('adaptive');
  const { trace } = await system.until(service.executeTurn({ turnId: 'many', calls: CALLS }));
  const recorded = JSON.parse(JSON.stringify(trace)) as TraceEvent[];
  expect(recorded[0]).toMatchObject({ event_type: 'TurnStarted', concurrency: null });
  const { differences, report } = replayTurn(recorded);
  expect(differences).toEqual([]);
  expect(report.executionTime).toBe(1_000);
});
