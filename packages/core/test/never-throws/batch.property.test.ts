/** The invariant of batches: one complete result per call, in call order, even if ids repeat, are missing or are invalid (docs/specification.md#s3). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { announceSeed } from '../support/seed.ts';
import { watchProcess } from '../support/watch-process.ts';
import { callPolicy, scene, World } from './world.ts';

const call = fc.record({
  toolName: fc.constantFrom('search', 'search', 'search', 'backup', 'off', 'nowhere', 7 as never),
  callId: fc.constantFrom(undefined, 'one', 'one', 'call-2', 'one#2', '', 7 as never),
  policy: callPolicy,
});

/** A name is kept, a number is kept as its text, and everything else gets the id of its place. */
const expectedId = (callId: unknown, index: number): string =>
  (typeof callId === 'number' || typeof callId === 'string') && callId !== '' ? String(callId) : `call-${index + 1}`;

it('never throws: a batch has exactly one complete result per call', { timeout: 300_000 }, async () => {
  announceSeed('never throws, batches');
  const watch = watchProcess();
  await fc.assert(
    fc.asyncProperty(scene, fc.array(call, { maxLength: 5 }), async (drawn, given) => {
      const world = new World(drawn);
      const calls = given.map((one) => ({ ...one, arguments: world.args })) as never[];
      const results = await world.until(world.service.executeToolBatch(calls, { signal: world.signal.signal, timeoutMs: drawn.timeoutMs }));
      world.expectCompleteResults(results);
      expect(results.map(({ callId, toolName }) => [callId, toolName])).toEqual(
        given.map(({ callId, toolName }, index) => [expectedId(callId, index), typeof toolName === 'string' ? toolName : '']),
      );
      await world.expectNothingLeft();
      const runnable = given.filter(({ toolName }) => typeof toolName === 'string').length;
      expect([...world.readTraces().values()].map(({ size }) => size)).toEqual([runnable]);
      expect(await watch.look()).toEqual([]);
    }),
    { numRuns: propertyRuns(320) },
  );
  expect(await watch.look()).toEqual([]);
  watch.stop();
});
