import { checkWorld, type World } from '@holdfast/simulate';
import { describe, expect, it } from 'vitest';
import { createDraw } from '../../src/random/draw.ts';
import { randomWorld } from '../../src/random/world.ts';

const worlds = Array.from({ length: 2_000 }, (_, index) => randomWorld(`world-${index}`));
const share = (holds: (world: World) => boolean): number => worlds.filter(holds).length / worlds.length;

describe('a generated world', () => {
  it('can be run', () => {
    expect(worlds.flatMap((world) => checkWorld(world).map((problem) => ({ world: world.name, ...problem })))).toEqual([]);
  });

  it('depends on its seed alone', () => {
    expect(randomWorld('world-7')).toEqual(worlds[7]);
    expect(new Set(worlds.map((world) => JSON.stringify({ ...world, name: '' }))).size).toBe(worlds.length);
  });

  it('costs at most 100 calls per second for 300 s, or what it is given', () => {
    const callsPerSecond = ({ agents: [group] }: World): number =>
      group?.arrivals.kind === 'open' ? group.arrivals.ratePerSecond * group.turn.length : 0;
    expect(Math.max(...worlds.map(({ durationMs }) => durationMs))).toBeLessThanOrEqual(300_000);
    expect(Math.max(...worlds.map(callsPerSecond))).toBeLessThanOrEqual(100);
    const small = worlds.map((_, index) => randomWorld(`world-${index}`, { durationMs: 60_000, callsPerSecond: 20 }));
    expect(Math.max(...small.map(({ durationMs }) => durationMs))).toBeLessThanOrEqual(60_000);
    expect(Math.max(...small.map(callsPerSecond))).toBeLessThanOrEqual(20);
  });

  it.each<[string, (world: World) => boolean]>([
    ...[1, 10, 60, 200].map((count): [string, (world: World) => boolean] => [`${count} processes`, ({ processes }) => processes === count]),
    ...['read', 'idempotent', 'unsafe'].map((effect): [string, (world: World) => boolean] => [
      `${effect} tools`,
      ({ tools }) => tools['tool']?.effect === effect,
    ]),
    ['no time limit', ({ tools }) => tools['tool']?.timeoutMs === Infinity],
    ['an alternative', ({ tools }) => tools['tool']?.alternatives !== undefined],
    ['closed loops', ({ agents }) => agents[0]?.arrivals.kind === 'closed'],
    ['bursts', ({ agents: [group] }) => group?.arrivals.kind === 'open' && group.arrivals.burst !== undefined],
    ['turns of 5 s', ({ agents }) => agents[0]?.deadlineMs === 5_000],
    ['turns of an hour', ({ agents }) => agents[0]?.deadlineMs === 3_600_000],
    [
      'a tool of a minute and more',
      ({ services }) => [services['service']?.latency].some((latency) => latency && 'meanMs' in latency && latency.meanMs >= 60_000),
    ],
    ['a poisoned caller', ({ agents }) => agents.length > 1],
    ['no fault', ({ faults }) => faults.length === 0],
    ['three faults', ({ faults }) => faults.length >= 3],
    ['a Retry-After of an hour', ({ faults }) => faults.some((fault) => 'retryAfterS' in fault && fault.retryAfterS === 3_600)],
    ['a Retry-After of 0', ({ faults }) => faults.some((fault) => 'retryAfterS' in fault && fault.retryAfterS === 0)],
    [
      'a stray Retry-After',
      ({ faults }) => faults.some((fault) => fault.kind === 'random_failures' && fault.share < 0.01 && fault.retryAfterS !== undefined),
    ],
    ['a heavy tail', ({ faults }) => faults.some((fault) => fault.kind === 'slow' && fault.share !== undefined)],
    ['growing latency', ({ faults }) => faults.some((fault) => fault.kind === 'slow' && fault.grows === true)],
    ['latency by turns', ({ faults }) => faults.some((fault) => fault.kind === 'slow' && fault.periodMs !== undefined)],
    ['steps of recovery', ({ faults }) => faults.some(({ recoverSteps }) => recoverSteps !== undefined)],
    ['a cold cache', ({ faults }) => faults.some(({ coldCache }) => coldCache !== undefined)],
    ['a replica that is gone', ({ faults }) => faults.some((fault) => fault.kind === 'bad_replica' && fault.how === 'gone')],
    ...['outage', 'black_hole', 'random_failures', 'lost_answers', 'brownout', 'rate_limit', 'token_bucket', 'flapping', 'permanent'].map(
      (kind): [string, (world: World) => boolean] => [kind, ({ faults }) => faults.some((fault) => fault.kind === kind)],
    ),
  ])('may have %s', (_what, holds) => {
    // Once in a hundred worlds at least, and never in all of them.
    expect(share(holds)).toBeGreaterThan(0.01);
    expect(share(holds)).toBeLessThan(0.7);
  });
});

describe('a draw', () => {
  it('has every value by its weight', () => {
    const draw = createDraw('weights');
    const counts = new Map<string, number>();
    for (let nth = 0; nth < 10_000; nth++) {
      const value = draw.weighted([1, 'a'], [3, 'b']);
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    // 2,500 expected, with a standard deviation of 43.
    expect(Math.abs((counts.get('a') ?? 0) - 2_500)).toBeLessThan(220);
    expect(() => draw.weighted()).toThrow('Give at least one');
  });

  it('differs from that of a similar seed', () => {
    const first = Array.from({ length: 1_000 }, (_, index) => createDraw(`1-${index}`).next());
    const mean = first.reduce((sum, value) => sum + value, 0) / first.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.05);
    expect(new Set(first).size).toBe(first.length);
  });
});
