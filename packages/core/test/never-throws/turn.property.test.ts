/** The invariant of turns: calls that depend on each other, with any tools, hooks, defaults and references (docs/specification.md#s3). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TraceEvent } from '../../src/engine/trace/events.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { announceSeed } from '../support/seed.ts';
import { hostileValues } from '../support/hostile-values.ts';
import { watchProcess } from '../support/watch-process.ts';
import { when } from '../support/when.ts';
import { readTrace } from '../support/well-formed-trace.ts';
import { callPolicy, scene, World } from './world.ts';
import { sameDraws } from '../support/same-draws.ts';

const call = fc.record({
  toolName: fc.constantFrom('search', 'search', 'backup', 'off', 'nowhere'),
  after: fc.array(fc.nat(6), { maxLength: 3 }),
  how: fc.constantFrom('waits', 'refers', 'refers deeply'),
  optional: fc.boolean(),
  critical: fc.boolean(),
  replacement: fc.option(fc.constantFrom(...Object.keys(hostileValues)), { nil: undefined }),
  policy: callPolicy,
});
type Drawn = typeof call extends fc.Arbitrary<infer One> ? One : never;

const turn = fc.record({
  calls: fc.array(call, { minLength: 1, maxLength: 6 }),
  concurrency: fc.constantFrom(1, 2, 16),
  onDeadline: fc.constantFrom('detach' as const, 'abort' as const),
  maxRetries: fc.constantFrom(null, 0, 2),
});

function plan({ toolName, after, how, optional, critical, replacement, policy }: Drawn, index: number, args: unknown): object {
  const dependsOn = [...new Set(after.filter((other) => other < index))].map((other) => `c${other}`);
  const reference = (name: string): object => (how === 'refers' ? { $from: name } : { $from: name, path: 'made' });
  const given = how === 'waits' ? args : { given: args, of: dependsOn.map(reference) };
  const defaults =
    replacement === undefined ? {} : { defaults: Object.fromEntries(dependsOn.map((name) => [name, hostileValues[replacement]?.()])) };
  return { callId: `c${index}`, toolName, dependsOn, optional, critical, policy, arguments: given, ...defaults };
}

it('never throws: a turn has exactly one complete result per call', { timeout: 300_000 }, async () => {
  announceSeed('never throws, turns');
  const watch = watchProcess();
  const outcomes: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(scene, turn, async (drawn, { calls, ...settings }) => {
      const world = new World(drawn);
      const given = calls.map((one, index) => plan(one, index, world.args));
      const report = await world.until(
        world.service.executeTurn(
          { turnId: 'turn', calls: given as never, ...settings },
          { signal: world.signal.signal, timeoutMs: drawn.timeoutMs },
        ),
      );
      world.expectCompleteResults(report.results);
      expect(report.results.map(({ callId }) => callId)).toEqual(calls.map((_, index) => `c${index}`));
      expect([typeof report.summary, typeof report.escalated, Array.isArray(report.criticalPath)]).toEqual(['string', 'boolean', true]);
      outcomes[report.problems ? 'refused' : report.outcome] = (outcomes[report.problems ? 'refused' : report.outcome] ?? 0) + 1;
      await world.expectNothingLeft();
      const turns = world.readTraces();
      when(report.problems !== undefined, () => expect(turns.size).toBe(0));
      when(report.problems === undefined, () => {
        expect([...turns].map(([turnId, keys]) => [turnId, keys.size])).toEqual([['turn', calls.length]]);
        readTrace(JSON.parse(JSON.stringify(report.trace)) as TraceEvent[]);
      });
      expect(await watch.look()).toEqual([]);
    }),
    { numRuns: propertyRuns(320), examples: sameDraws(160, scene, turn) },
  );
  expect(await watch.look()).toEqual([]);
  watch.stop();
  for (const outcome of ['success', 'partial', 'failed', 'deadline', 'cancelled'])
    expect(outcomes[outcome] ?? 0, `${outcome} of ${JSON.stringify(outcomes)}`).toBeGreaterThan(0);
});
