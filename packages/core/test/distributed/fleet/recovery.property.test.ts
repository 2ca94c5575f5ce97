/** Whatever tools and the keeper do: every call is answered in time, nothing is left behind, and when all works again all circuits close. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ProfileName } from '../../../src/engine/settings/profiles.ts';
import type { ToolPolicy } from '../../../src/engine/settings/settings.ts';
import { down, tooMany, world, type Worker } from './fleet-world.ts';

const who = fc.integer({ min: 0, max: 2 });

const happening = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('call' as const), who, count: fc.integer({ min: 1, max: 7 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('behave' as const),
      who,
      how: fc.constantFrom('works', 'fails', 'asks for quiet', 'takes long', 'is refused'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant('time' as const), ms: fc.constantFrom(1, 30, 60, 200, 1_000, 5_000, 31_000, 70_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('keeper' as const), mode: fc.constantFrom('answers', 'rejects', 'hangs', 'slow') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('command' as const),
      who,
      command: fc.constantFrom('reset', 'shadow', 'disabled', 'forced_open', 'auto'),
    }),
  },
);

interface Kind {
  readonly profile: ProfileName;
  readonly policy: ToolPolicy;
  /** The longest wait, and the longest attempt after it. */
  readonly inTimeMs: number;
  readonly runs: number;
}

const once = { maxAttempts: 1 };
const waits = { retry: once, waitForRecovery: { maxWaitMs: 6_000 } };
const kinds: readonly Kind[] = [
  { profile: 'spec', policy: { retry: once }, inTimeMs: 3_050, runs: 15 },
  { profile: 'spec', policy: { ...waits, breaker: { openMs: 2_000 } }, inTimeMs: 9_100, runs: 5 },
  { profile: 'adaptive', policy: waits, inTimeMs: 9_100, runs: 5 },
  {
    profile: 'adaptive',
    policy: { ...waits, concurrency: { adaptive: { initialLimit: 2, minLimit: 1, maxLimit: 3 } } },
    inTimeMs: 9_100,
    runs: 5,
  },
];

test.each(kinds)('all calls end in time, and all is well in the end: $profile, $inTimeMs', async ({ profile, policy, inTimeMs, runs }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 30 }), async (story) => {
      const { workers, system, keeper } = world();
      const fleet = workers(3, {}, policy, profile) as [Worker, Worker, Worker];
      const behaviours: Readonly<Record<string, () => unknown>> = {
        works: () => 'ok',
        fails: () => Promise.reject(down),
        'asks for quiet': () => Promise.reject(tooMany(20)),
        'takes long': () => new Promise((resolve) => void system.setTimer(3_000, () => resolve('ok'))),
        'is refused': () => Promise.reject(Object.assign(new Error('Not Found'), { status: 404 })),
      };
      const late: number[] = [];
      const calls: Promise<unknown>[] = [];
      const lost: number[] = [];
      let wellFrom = Infinity;
      const call = async (worker: Worker): Promise<void> => {
        const began = system.now();
        const { status } = await worker.call();
        if (system.now() - began > inTimeMs) late.push(system.now() - began);
        if (began > wellFrom && status !== 'success') lost.push(began - wellFrom);
      };
      for (const one of story) {
        if (one.what === 'time') await system.advance(one.ms);
        else if (one.what === 'keeper') keeper.mode = one.mode;
        else if (one.what === 'behave') fleet[one.who]?.behave(behaviours[one.how] as () => unknown);
        else if (one.what === 'command') fleet[one.who]?.service.controlCircuit('search', one.command);
        else for (let count = 0; count < one.count; count += 1) calls.push(call(fleet[one.who] as Worker));
      }
      keeper.mode = 'answers';
      for (const worker of fleet) {
        worker.behave(() => 'ok');
        worker.service.controlCircuit('search', 'auto');
      }
      // By then whatever was open, held or leased is over.
      wellFrom = system.now() + 100_000;
      for (let second = 0; second < 200; second += 2) {
        await system.advance(2_000);
        for (const worker of fleet) calls.push(call(worker));
      }
      await system.advance(5_000);
      await Promise.all(calls);
      expect(late).toEqual([]);
      expect(lost).toEqual([]);
      for (const worker of fleet)
        expect(worker.service.getToolHealth('search')).toMatchObject({ circuit: 'closed', inFlight: 0, queued: 0, orphaned: 0 });
      expect(
        await keeper.report([
          { toolName: 'search', worker: 'observer', sequence: 0, generation: 0, successes: 0, failures: 0, state: 'closed' },
        ]),
      ).toMatchObject([{ state: 'closed' }]);
    }),
    { numRuns: runs },
  );
});
