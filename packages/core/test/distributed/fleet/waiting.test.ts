/** Calls that wait for recovery while other processes open, hold, probe and close the circuit. */
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
  /** Starts a call and records its end. */
  readonly watch: (worker: Worker, turnMs?: number) => Watched;
}

/** Calls wait with both policies. */
const kinds = [
  ['adaptive', {}],
  ['spec', { waitForRecovery: { maxWaitMs: 60_000 }, breaker: { openMs: 3_000 } }],
] as const satisfies readonly (readonly [ProfileName, ToolPolicy])[];

async function activeFleet(profile: ProfileName, policy: ToolPolicy): Promise<Fleet> {
  const env = world();
  const three = env.workers(3, {}, { ...policy, retry: { maxAttempts: 8, jitter: 'none' } }, profile) as [Worker, Worker, Worker];
  for (const worker of three) await worker.succeed();
  await env.system.advance(1_000);
  const watch: Fleet['watch'] = ({ service }, turnMs) => {
    const watched: Watched = { result: undefined, endedAt: Infinity };
    const end = (result: ToolResult | undefined): void => void Object.assign(watched, { result, endedAt: env.system.now() });
    const calls = [{ callId: 'one', toolName: 'search' }];
    if (turnMs === undefined) void service.executeTool({ toolName: 'search' }).then(end);
    else void service.executeTurn({ calls, timeoutMs: turnMs }).then(({ results }) => end(results[0]));
    return watched;
  };
  return { ...env, three, watch };
}

const fails = (): never => {
  throw down;
};
const hangs = (): Promise<never> => new Promise(() => undefined);
const works = (): string => 'ok';

/** Opens the circuits of the first two workers, and with them the fleet's. Returns their calls, which wait. */
async function outage({ three, watch, system }: Fleet): Promise<readonly Watched[]> {
  for (const worker of three) worker.behave(fails);
  const calls = three.slice(0, 2).flatMap((worker) => Array.from({ length: 12 }, () => watch(worker)));
  await system.advance(1_000);
  expect(three.slice(0, 2).map((worker) => worker.circuit())).not.toContain('closed');
  return calls;
}

/** A backlog leaves as successes pay for it, and without any after three mean gaps between calls: 15 seconds for a worker that has called once. */
const BACKLOG_MS = 20_000;

const successCount = (calls: readonly Watched[]): number => calls.filter(({ result }) => result?.status === 'success').length;

describe.each(kinds)('%s', (profile, policy) => {
  test('opened elsewhere: a call of a worker without failures waits, and continues when the tool has recovered', async () => {
    const fleet = await activeFleet(profile, policy);
    const { system, three, watch } = fleet;
    const [, , third] = three;
    await outage(fleet);
    await system.advance(1_500);
    const call = watch(third);
    await system.advance(50);
    expect(call.result).toBeUndefined();
    expect(third.changes()[0]).toBe('Opened fleet');
    for (const worker of three) worker.behave(works);
    await system.advance(BACKLOG_MS);
    expect(call.result).toMatchObject({ status: 'success' });
  });

  test('closed elsewhere: new calls run within two report intervals, and the backlog after them', async () => {
    const fleet = await activeFleet(profile, policy);
    const { system, three, coordinator, watch } = fleet;
    const [first, second] = three;
    const calls = await outage(fleet);
    // Only the first worker reaches the tool again and finds out.
    first.behave(works);
    const probed = coordinator.requests.probeEnded;
    for (let waited = 0; first.circuit() !== 'closed' && waited < 20_000; waited += 100) await system.advance(100);
    expect(coordinator.requests.probeEnded).toBeGreaterThan(probed);
    second.behave(works);
    await system.advance(2_100);
    expect(second.circuit()).toBe('closed');
    const recent = watch(second);
    await system.advance(10);
    expect(recent.result).toMatchObject({ status: 'success' });
    expect(successCount(calls.filter(({ result }) => result === undefined || result.status === 'success'))).toBeGreaterThan(0);
    await system.advance(BACKLOG_MS);
    expect(calls.filter(({ result }) => result === undefined)).toEqual([]);
  });

  test('probed elsewhere: a worker that could probe waits for that probe, however long its lease is', async () => {
    const fleet = await activeFleet(profile, policy);
    const { system, three, watch } = fleet;
    const [first, second] = three;
    await outage(fleet);
    let finish: () => void = () => undefined;
    first.behave(() => new Promise((resolve) => (finish = (): void => resolve('ok'))));
    second.behave(fails);
    const runs = first.runs();
    for (let waited = 0; first.runs() === runs && waited < 20_000; waited += 100) await system.advance(100);
    const before = second.runs();
    const calls = [watch(second), watch(second, 40_000)];
    await system.advance(5_000);
    expect(calls.map(({ result }) => result)).toEqual([undefined, undefined]);
    expect(second.runs()).toBe(before);
    second.behave(works);
    first.behave(works);
    finish();
    await system.advance(2_100);
    expect(second.circuit()).toBe('closed');
    await system.advance(BACKLOG_MS);
    expect(calls.map(({ result }) => result?.status)).toEqual(['success', 'success']);
  });

  test('probed elsewhere: a call that was never sent is sent in the middle of its time, without asking the fleet', async () => {
    const fleet = await activeFleet(profile, policy);
    const { system, three, coordinator, watch } = fleet;
    const [first, second] = three;
    await outage(fleet);
    first.behave(hangs);
    const runs = first.runs();
    for (let waited = 0; first.runs() === runs && waited < 20_000; waited += 100) await system.advance(100);
    second.behave(works);
    const began = system.now();
    const call = watch(second, 20_000);
    await system.advance(9_000);
    expect(call.result).toBeUndefined();
    coordinator.mode = 'hangs';
    await system.advance(1_000);
    expect(call.result).toMatchObject({ status: 'success', attempts: 1 });
    expect(call.endedAt - began).toBeLessThanOrEqual(9_510);
    expect(second.circuit()).toBe('closed');
  });

  test('a Retry-After elsewhere: the call that received it waits in full, and a single one holds no other call of the fleet', async () => {
    const fleet = await activeFleet(profile, policy);
    const { system, three, watch } = fleet;
    const [first, second, third] = three;
    first.behave(() => {
      throw tooMany(5);
    });
    const toldAt = system.now();
    const told = watch(first);
    await system.advance(1_200);
    first.behave(works);
    const others = [watch(first), watch(second), watch(third)];
    await system.advance(10);
    expect(successCount(others)).toBe(3);
    expect(three.map((worker) => worker.circuit())).toEqual(['closed', 'closed', 'closed']);
    await system.advance(10_000);
    expect(told.result).toMatchObject({ status: 'success', attempts: 2 });
    expect(told.endedAt - toldAt).toBeGreaterThanOrEqual(5_000);
  });

  test('reset elsewhere: waiting calls continue too', async () => {
    const fleet = await activeFleet(profile, policy);
    const { system, three } = fleet;
    const [first, second] = three;
    const calls = await outage(fleet);
    for (const worker of [first, second]) worker.behave(works);
    first.service.controlCircuit('search', 'reset');
    await system.advance(1_500);
    expect(second.circuit()).toBe('closed');
    await system.advance(BACKLOG_MS);
    expect(calls.filter(({ result }) => result === undefined)).toEqual([]);
  });

  test('the probing worker has crashed: its lease ends, and waiting calls run', async () => {
    const fleet = await activeFleet(profile, {
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
    await system.advance(12_000 + BACKLOG_MS);
    expect(call.result).toMatchObject({ status: 'success' });
  });

  test('without an answer of the coordinator the local circuits continue', async () => {
    const fleet = await activeFleet(profile, policy);
    const { system, coordinator, three } = fleet;
    const calls = await outage(fleet);
    coordinator.mode = 'hangs';
    for (const worker of three) worker.behave(works);
    await system.advance(5_000 + BACKLOG_MS);
    expect(calls.filter(({ result }) => result === undefined)).toEqual([]);
    expect(three.slice(0, 2).map((worker) => worker.circuit())).toEqual(['closed', 'closed']);
  });

  test('no call waits beyond the end of its turn', async () => {
    const fleet = await activeFleet(profile, policy);
    const { system, three, watch } = fleet;
    await outage(fleet);
    const startedAt = system.now();
    const calls = three.map((worker) => watch(worker, 10_000));
    await system.advance(11_000);
    for (const { result, endedAt } of calls) {
      expect(result).toMatchObject({ status: 'error' });
      expect(endedAt - startedAt).toBeLessThanOrEqual(10_000);
    }
  });
});

test('one successful probe closes the circuit of the fleet at once, even if others hang', async () => {
  const fleet = await activeFleet('adaptive', {});
  const { system, three, watch } = fleet;
  const [first, second] = three;
  await outage(fleet);
  const finishes: (() => void)[] = [];
  first.behave(() => new Promise((resolve) => void finishes.push(() => resolve('ok'))));
  second.behave(fails);
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

test('a last chance does not wait for the answer of the coordinator to a probe', async () => {
  const fleet = await activeFleet('adaptive', { breaker: { openMs: 3_000 } });
  const { system, three, coordinator, watch } = fleet;
  const [, second] = three;
  await outage(fleet);
  const probeIn = (): number => second.service.getToolHealth('search')?.retryAfterMs ?? 0;
  for (let waited = 0; probeIn() < 1_500 && waited < 20_000; waited += 10) await system.advance(10);
  second.behave(works);
  // Half of the time that is left after the margin of a second, 20 ms after the probe is due.
  const began = system.now();
  const lastChanceMs = probeIn() + 20;
  const call = watch(second, 2 * lastChanceMs + 1_000);
  const probe = watch(second);
  await system.advance(lastChanceMs - 30);
  coordinator.mode = 'hangs';
  await system.advance(40);
  expect(call.endedAt - began).toBe(lastChanceMs);
  expect(call.result).toMatchObject({ status: 'success' });
  await system.advance(5_000);
  expect(probe.result).toMatchObject({ status: 'success' });
});
