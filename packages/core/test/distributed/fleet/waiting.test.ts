/** Calls that wait for recovery at a gate whose circuit other processes open, hold, probe and close. */
import { describe, expect, test } from 'vitest';
import type { ToolResult } from '../../../src/engine/call/result.ts';
import type { ProfileName } from '../../../src/engine/settings/profiles.ts';
import type { ToolPolicy } from '../../../src/engine/settings/settings.ts';
import { down, tooMany, world, type Worker, type World } from './fleet-world.ts';

interface Watched {
  result: ToolResult | undefined;
  endedAt: number;
}

interface Fleet extends World {
  readonly three: readonly [Worker, Worker, Worker];
  /** A call whose end is noted. */
  readonly watch: (worker: Worker, turnMs?: number) => Watched;
}

/** In both, calls wait; in the second nothing is learned and one probe is out at a time. */
const kinds = [
  ['adaptive', {}],
  ['spec', { waitForRecovery: { maxWaitMs: 60_000 }, breaker: { openMs: 3_000 } }],
] as const satisfies readonly (readonly [ProfileName, ToolPolicy])[];

async function atWork(profile: ProfileName, policy: ToolPolicy): Promise<Fleet> {
  const place = world();
  const three = place.workers(3, {}, { ...policy, retry: { maxAttempts: 8, jitter: 'none' } }, profile) as [Worker, Worker, Worker];
  for (const worker of three) await worker.succeed();
  await place.system.advance(1_000);
  const watch: Fleet['watch'] = ({ service }, turnMs) => {
    const watched: Watched = { result: undefined, endedAt: Infinity };
    const end = (result: ToolResult | undefined): void => void Object.assign(watched, { result, endedAt: place.system.now() });
    const calls = [{ callId: 'one', toolName: 'search' }];
    if (turnMs === undefined) void service.executeTool({ toolName: 'search' }).then(end);
    else void service.executeTurn({ calls, timeoutMs: turnMs }).then(({ results }) => end(results[0]));
    return watched;
  };
  return { ...place, three, watch };
}

const breaks = (): never => {
  throw down;
};
const hangs = (): Promise<never> => new Promise(() => undefined);
const works = (): string => 'ok';

/** Until the circuit is open at the first two, and with it the fleet's. Their calls wait. */
async function outage({ three, watch, system }: Fleet): Promise<readonly Watched[]> {
  for (const worker of three) worker.behave(breaks);
  const calls = three.slice(0, 2).flatMap((worker) => Array.from({ length: 12 }, () => watch(worker)));
  await system.advance(1_000);
  expect(three.slice(0, 2).map((worker) => worker.circuit())).not.toContain('closed');
  return calls;
}

const served = (calls: readonly Watched[]): number => calls.filter(({ result }) => result?.status === 'success').length;

describe.each(kinds)('%s', (profile, policy) => {
  test('opened elsewhere: a call of a worker that saw nothing waits, and continues when the tool is back', async () => {
    const fleet = await atWork(profile, policy);
    const { system, three, watch } = fleet;
    const [, , third] = three;
    await outage(fleet);
    await system.advance(1_500);
    const call = watch(third);
    await system.advance(50);
    expect(call.result).toBeUndefined();
    expect(third.changes()[0]).toBe('Opened fleet');
    for (const worker of three) worker.behave(works);
    await system.advance(20_000);
    expect(call.result).toMatchObject({ status: 'success' });
  });

  test('closed elsewhere: all who wait are served within two reports', async () => {
    const fleet = await atWork(profile, policy);
    const { system, three, keeper, watch } = fleet;
    const [first, second] = three;
    const calls = await outage(fleet);
    // The first one's way is free again, and it finds out; the second one could not by itself.
    first.behave(works);
    const probed = keeper.asked.probeEnded;
    for (let waited = 0; first.circuit() !== 'closed' && waited < 20_000; waited += 100) await system.advance(100);
    expect(keeper.asked.probeEnded).toBeGreaterThan(probed);
    second.behave(works);
    const young = watch(second);
    await system.advance(2_100);
    expect(second.circuit()).toBe('closed');
    expect(young.result).toMatchObject({ status: 'success' });
    expect(served(calls.filter(({ result }) => result === undefined || result.status === 'success'))).toBeGreaterThan(0);
    await system.advance(1_000);
    expect(calls.filter(({ result }) => result === undefined)).toEqual([]);
  });

  test('probed elsewhere: who would have probed waits for that probe, however long its lease is', async () => {
    const fleet = await atWork(profile, policy);
    const { system, three, watch } = fleet;
    const [first, second] = three;
    await outage(fleet);
    let finish: () => void = () => undefined;
    first.behave(() => new Promise((resolve) => (finish = (): void => resolve('ok'))));
    second.behave(breaks);
    const runs = first.runs();
    for (let waited = 0; first.runs() === runs && waited < 20_000; waited += 100) await system.advance(100);
    const before = second.runs();
    const calls = [watch(second), watch(second, 20_000)];
    await system.advance(5_000);
    expect(calls.map(({ result }) => result)).toEqual([undefined, undefined]);
    expect(second.runs()).toBe(before);
    second.behave(works);
    first.behave(works);
    finish();
    await system.advance(2_100);
    expect(calls.map(({ result }) => result?.status)).toEqual(['success', 'success']);
  });

  test('held elsewhere: who comes meanwhile waits as long as the server asked, and no call is refused', async () => {
    const fleet = await atWork(profile, policy);
    const { system, three, watch } = fleet;
    const [first, second, third] = three;
    first.behave(() => {
      throw tooMany(5);
    });
    const told = system.now();
    const own = watch(first);
    await second.succeed();
    await third.succeed();
    await system.advance(1_200);
    const runs = second.runs() + third.runs();
    const calls = [watch(second), watch(third), watch(second), watch(third)];
    first.behave(works);
    await system.advance(told + 4_900 - system.now());
    expect(second.runs() + third.runs()).toBe(runs);
    await system.advance(3_000);
    expect(served([own, ...calls])).toBe(5);
  });

  test('a person who closes it elsewhere wakes them too', async () => {
    const fleet = await atWork(profile, policy);
    const { system, three } = fleet;
    const [first, second] = three;
    const calls = await outage(fleet);
    for (const worker of [first, second]) worker.behave(works);
    first.service.controlCircuit('search', 'reset');
    await system.advance(1_500);
    expect(calls.filter(({ result }) => result === undefined)).toEqual([]);
    expect(second.circuit()).toBe('closed');
  });

  test('the worker that probes is gone: its lease ends, and who waits is served', async () => {
    const fleet = await atWork(profile, {
      ...policy,
      timeoutMs: 2_000,
      breaker: { ...('breaker' in policy ? policy.breaker : {}), probeLeaseMs: 3_000 },
    });
    const { system, three, watch } = fleet;
    const [gone, other] = three;
    await outage(fleet);
    gone.behave(hangs);
    const runs = gone.runs();
    for (let waited = 0; gone.runs() === runs && waited < 20_000; waited += 100) await system.advance(100);
    const call = watch(other);
    other.behave(works);
    await system.advance(12_000);
    expect(call.result).toMatchObject({ status: 'success' });
  });

  test('without an answer of the keeper they continue by themselves', async () => {
    const fleet = await atWork(profile, policy);
    const { system, keeper, three } = fleet;
    const calls = await outage(fleet);
    keeper.mode = 'hangs';
    for (const worker of three) worker.behave(works);
    await system.advance(10_000);
    expect(calls.filter(({ result }) => result === undefined)).toEqual([]);
    expect(three.slice(0, 2).map((worker) => worker.circuit())).toEqual(['closed', 'closed']);
  });

  test('nobody waits beyond its turn, whatever the fleet says', async () => {
    const fleet = await atWork(profile, policy);
    const { system, three, watch } = fleet;
    await outage(fleet);
    const began = system.now();
    const calls = three.map((worker) => watch(worker, 10_000));
    await system.advance(11_000);
    for (const { result, endedAt } of calls) {
      expect(result).toMatchObject({ status: 'error' });
      expect(endedAt - began).toBeLessThanOrEqual(10_000);
    }
  });
});

test('one of several probes that succeeds closes the circuit of the fleet at once, though others hang', async () => {
  const fleet = await atWork('adaptive', {});
  const { system, three, watch } = fleet;
  const [first, second] = three;
  await outage(fleet);
  const finishes: (() => void)[] = [];
  first.behave(() => new Promise((resolve) => void finishes.push(() => resolve('ok'))));
  second.behave(breaks);
  for (let waited = 0; finishes.length < 2 && waited < 30_000; waited += 100) await system.advance(100);
  const waiting = watch(second);
  first.behave(works);
  second.behave(works);
  finishes[0]?.();
  await system.advance(1_500);
  expect(first.circuit()).toBe('closed');
  expect(second.circuit()).toBe('closed');
  expect(waiting.result).toMatchObject({ status: 'success' });
});
