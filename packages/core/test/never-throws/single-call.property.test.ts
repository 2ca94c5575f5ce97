/** The invariant of single calls: exactly one complete result, nothing thrown, nothing left behind, a well-formed trace (docs/specification.md#s3). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { callPolicy, scene, World } from './world.ts';
import { watchProcess } from '../support/watch-process.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { announceSeed } from '../support/seed.ts';
import { sameDraws } from '../support/same-draws.ts';

const call = fc.record({
  toolName: fc.oneof(
    { weight: 12, arbitrary: fc.constant('search') },
    { weight: 1, arbitrary: fc.constantFrom('backup', 'off', 'nowhere', '__proto__') },
  ),
  callId: fc.constantFrom(undefined, 'mine', '__proto__'),
  policy: callPolicy,
  idempotencyKey: fc.constantFrom(undefined, 'key'),
});

it('never throws: every call has exactly one complete result', { timeout: 300_000 }, async () => {
  announceSeed('never throws, single calls');
  const watch = watchProcess();
  const reached: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(scene, call, async (drawn, given) => {
      const world = new World(drawn);
      let answers = 0;
      const call = { ...given, arguments: world.args } as never;
      const answer = world.service.executeTool(call, { signal: world.signal.signal, timeoutMs: drawn.timeoutMs });
      void answer.then(() => (answers += 1));
      const result = await world.until(answer);
      world.expectCompleteResults([result]);
      expect([result.callId, result.toolName]).toEqual([given.callId ?? 'call-1', given.toolName]);
      const { code = 'success' } = result.error ?? {};
      reached[code] = (reached[code] ?? 0) + 1;
      await world.expectNothingLeft();
      const turns = world.readTraces();
      expect([...turns.values()].map(({ size }) => size)).toEqual([1]);
      expect(answers).toBe(1);
      expect(await watch.look()).toEqual([]);
    }),
    { numRuns: propertyRuns(1_000), examples: sameDraws(500, scene, call) },
  );
  expect(await watch.look()).toEqual([]);
  watch.stop();
  // A generator that never reaches a state proves nothing.
  for (const code of ['success', 'TOOL_TIMEOUT', 'CANCELLED', 'UNKNOWN_TOOL', 'TOOL_DISABLED', 'INVALID_ARGUMENTS', 'INVALID_OUTPUT'])
    expect(reached[code] ?? 0, `${code} of ${JSON.stringify(reached)}`).toBeGreaterThan(0);
});
