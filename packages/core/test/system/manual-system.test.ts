import { expect, it } from 'vitest';
import { manualSystem } from '../../src/testing/index.ts';

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

it('rings again after its only timer was cleared', async () => {
  const system = manualSystem();
  const fired: number[] = [];
  system.clearTimer(system.setTimer(100, () => void fired.push(100)));
  system.setTimer(200, () => void fired.push(200));
  await system.advance(300);
  expect(fired).toEqual([200]);
});

it('steps the wall clock alone', () => {
  const system = manualSystem({ epochMs: 1_000 });
  system.stepWallClock(-500);
  expect([system.now(), system.epochMs()]).toEqual([0, 500]);
});

it('says so when nothing will ever settle a promise', async () => {
  await expect(manualSystem().until(new Promise(() => undefined))).rejects.toThrow('waits for something that no timer will bring about');
});

it('keeps errors of deferred tasks to itself', async () => {
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
