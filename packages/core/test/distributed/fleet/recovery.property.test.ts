/** For any behaviour of the tools and the coordinator: every call ends in time, nothing leaks, and all circuits close once everything works again. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ProfileName } from '../../../src/engine/settings/profiles.ts';
import type { ToolPolicy } from '../../../src/engine/settings/settings.ts';
import { down, tooMany, world, type Worker } from './fleet-world.ts';

const worker = fc.integer({ min: 0, max: 2 });

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('call' as const), worker, count: fc.integer({ min: 1, max: 7 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('behave' as const),
      worker,
      behaviour: fc.constantFrom('works', 'fails', 'is rate limited', 'is slow', 'fails permanently'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('time' as const), ms: fc.constantFrom(1, 30, 60, 200, 1_000, 5_000, 31_000, 70_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('coordinator' as const), mode: fc.constantFrom('answers', 'rejects', 'hangs', 'slow') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('command' as const),
      worker,
      command: fc.constantFrom('reset', 'shadow', 'disabled', 'forced_open', 'auto'),
    }),
  },
);

interface Kind {
  readonly profile: ProfileName;
  readonly policy: ToolPolicy;
  /** The longest wait plus the longest attempt after it. */
  readonly maxCallMs: number;
  readonly runs: number;
}

const once = { maxAttempts: 1 };
const waits = { retry: once, waitForRecovery: { maxWaitMs: 6_000 } };
const kinds: readonly Kind[] = [
  { profile: 'spec', policy: { retry: once }, maxCallMs: 3_050, runs: 15 },
  { profile: 'spec', policy: { ...waits, breaker: { openMs: 2_000 } }, maxCallMs: 9_100, runs: 5 },
  { profile: 'adaptive', policy: waits, maxCallMs: 9_100, runs: 5 },
  {
    profile: 'adaptive',
    policy: { ...waits, timeoutMs: 2_500, concurrency: { limit: 3 } },
    maxCallMs: 9_100,
    runs: 5,
  },
];

test.each(kinds)('all calls end in time, and all circuits recover: $profile, $maxCallMs', async ({ profile, policy, maxCallMs, runs }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { workers, system, coordinator } = world();
      const fleet = workers(3, {}, policy, profile) as [Worker, Worker, Worker];
      const behaviours: Readonly<Record<string, () => unknown>> = {
        works: () => 'ok',
        fails: () => Promise.reject(down),
        'is rate limited': () => Promise.reject(tooMany(20)),
        'is slow': () => new Promise((resolve) => void system.setTimer(3_000, () => resolve('ok'))),
        'fails permanently': () => Promise.reject(Object.assign(new Error('Not Found'), { status: 404 })),
      };
      const late: number[] = [];
      const calls: Promise<unknown>[] = [];
      const failed: number[] = [];
      let recoveredAt = Infinity;
      const call = async (worker: Worker): Promise<void> => {
        const startedAt = system.now();
        const { status } = await worker.call();
        if (system.now() - startedAt > maxCallMs) late.push(system.now() - startedAt);
        if (startedAt > recoveredAt && status !== 'success') failed.push(startedAt - recoveredAt);
      };
      for (const next of steps) {
        if (next.type === 'time') await system.advance(next.ms);
        else if (next.type === 'coordinator') coordinator.mode = next.mode;
        else if (next.type === 'behave') fleet[next.worker]?.behave(behaviours[next.behaviour] as () => unknown);
        else if (next.type === 'command') fleet[next.worker]?.service.controlCircuit('search', next.command);
        else for (let count = 0; count < next.count; count += 1) calls.push(call(fleet[next.worker] as Worker));
      }
      coordinator.mode = 'answers';
      for (const worker of fleet) {
        worker.behave(() => 'ok');
        worker.service.controlCircuit('search', 'auto');
      }
      // All open periods, holds and leases have ended by then.
      recoveredAt = system.now() + 100_000;
      for (let second = 0; second < 200; second += 2) {
        await system.advance(2_000);
        for (const worker of fleet) calls.push(call(worker));
      }
      await system.advance(5_000);
      await Promise.all(calls);
      expect(late).toEqual([]);
      expect(failed).toEqual([]);
      for (const worker of fleet)
        expect(worker.service.getToolHealth('search')).toMatchObject({ circuit: 'closed', inFlight: 0, queued: 0, orphaned: 0 });
      expect(
        await coordinator.report([
          { toolName: 'search', worker: 'observer', sequence: 0, generation: 0, successes: 0, failures: 0, state: 'closed' },
        ]),
      ).toMatchObject([{ state: 'closed' }]);
    }),
    { numRuns: runs },
  );
});
