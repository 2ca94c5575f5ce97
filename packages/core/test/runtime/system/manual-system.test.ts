import { expect, it } from 'vitest';
import { manualSystem } from '../../../src/testing/index.ts';

it('fires at exact times, in order, and lets promises settle in between', async () => {
  const system = manualSystem();
  const seen: string[] = [];
  system.setTimer(20, () => void seen.push(`b ${system.now()}`));
  system.setTimer(10, () => {
    seen.push(`a ${system.now()}`);
    void Promise.resolve().then(() => seen.push(`then ${system.now()}`));
  });
  await system.advance(30);
  expect(seen).toEqual(['a 10', 'then 10', 'b 20']);
  expect([system.now(), system.pendingTimers]).toEqual([30, 0]);
});

it('fires again after its only timer was cleared', async () => {
  const system = manualSystem();
  const fired: number[] = [];
  system.clearTimer(system.setTimer(100, () => void fired.push(100)));
  system.setTimer(200, () => void fired.push(200));
  await system.advance(300);
  expect(fired).toEqual([200]);
});

it('steps only the wall clock', () => {
  const system = manualSystem({ epochMs: 1_000 });
  system.stepWallClock(-500);
  expect([system.now(), system.epochMs()]).toEqual([0, 500]);
});

it('reports when nothing can settle a promise', async () => {
  await expect(manualSystem().until(new Promise(() => undefined))).rejects.toThrow('is pending, and no timer is set');
});

it('does not mistake a long chain of awaits for a promise that never settles', async () => {
  const chain = async (): Promise<string> => {
    for (let turn = 0; turn < 2_000; turn += 1) await Promise.resolve();
    return 'there';
  };
  expect(await manualSystem().until(chain())).toBe('there');
});

it('ignores errors of deferred tasks', async () => {
  const system = manualSystem();
  const seen: unknown[] = [];
  const listener = (error: unknown): void => void seen.push(error);
  process.on('unhandledRejection', listener);
  system.defer(() => {
    throw new Error('deferred');
  });
  await system.settle();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', listener);
  expect(seen).toEqual([]);
});

it('starts at the given time, and returns the given seed', () => {
  const system = manualSystem({ now: 100, epochMs: 5_000, seed: 'mine' });
  expect([system.now(), system.epochMs(), system.randomSeed(), manualSystem().randomSeed()]).toEqual([100, 5_000, 'mine', 'seed']);
});

it('fires what is due at the end of the time, and nothing after it', async () => {
  const system = manualSystem();
  const fired: number[] = [];
  for (const delay of [10, 11]) system.setTimer(delay, () => void fired.push(delay));
  await system.advance(10);
  expect([fired, system.now(), system.pendingTimers]).toEqual([[10], 10, 1]);
});

it('waits for a promise that resolves or rejects, with or without timers', async () => {
  const system = manualSystem();
  expect(await system.until(Promise.resolve(1))).toBe(1);
  await expect(system.until(Promise.reject(new Error('no')))).rejects.toThrow('no');
  const later = new Promise((resolve) => system.setTimer(50, () => resolve(system.now())));
  system.setTimer(60, () => undefined);
  expect(await system.until(later)).toBe(50);
  expect([system.now(), system.pendingTimers]).toEqual([50, 1]);
});

it('lets chains of promises settle before time advances', async () => {
  const system = manualSystem();
  let link = 0;
  const chain = async (): Promise<void> => {
    for (; link < 90; link++) await Promise.resolve();
  };
  void chain();
  await system.settle();
  expect(link).toBe(90);
});

it('runs deferred tasks, and makes cancel sources', async () => {
  const system = manualSystem();
  let ran = 0;
  system.defer(() => void (ran += 1));
  expect(ran).toBe(0);
  await system.settle();
  expect(ran).toBe(1);
  const source = system.createCancelSource();
  source.abort(() => 'why');
  expect(source.signal).toBeInstanceOf(AbortSignal);
  expect(source.signal.reason).toBe('why');
});

it('fires what was due while the machine was suspended, in order, each at the time of resuming', async () => {
  const system = manualSystem();
  const rang: (readonly [string, number])[] = [];
  for (const [name, delayMs] of [['second', 200] as const, ['first', 100] as const, ['later', 6_000] as const])
    system.setTimer(delayMs, () => void rang.push([name, system.now()]));
  const before = system.epochMs();
  await system.advance(50);
  system.sleep(5_000);
  expect(system.now()).toBe(5_050);
  expect(system.epochMs() - before).toBe(5_050);
  expect(rang).toEqual([]);
  await system.advance(10);
  expect(rang).toEqual([
    ['first', 5_050],
    ['second', 5_050],
  ]);
  await system.advance(1_000);
  expect(rang.at(-1)).toEqual(['later', 6_000]);
});
