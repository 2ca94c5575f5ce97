import { expect, test } from 'vitest';
import { startSweeping } from '../../../src/runtime/stores/sweeping.ts';
import { manualSystem } from '../../../src/testing/manual-system.ts';

const hourMs = 3_600_000;

test('steps run shortly after opening, with pauses while there is more, then every hour', async () => {
  const system = manualSystem();
  const at: number[] = [];
  const stop = startSweeping(
    async () => {
      at.push(system.now());
      return at.length < 3;
    },
    { firstAfterMs: 1_000, pauseMs: 20, system },
  );
  await system.advance(hourMs);
  expect(at).toEqual([1_000, 1_020, 1_040]);
  await system.advance(1_040);
  expect(at).toEqual([1_000, 1_020, 1_040, hourMs + 1_040]);
  stop();
  expect(system.pendingTimers).toBe(0);
});

test('the time between sweeps can be set', async () => {
  const system = manualSystem();
  const at: number[] = [];
  const step = async (): Promise<boolean> => {
    at.push(system.now());
    return false;
  };
  const stop = startSweeping(step, { firstAfterMs: 1_000, pauseMs: 20, everyMs: 60_000, system });
  await system.advance(121_000);
  expect(at).toEqual([1_000, 61_000, 121_000]);
  stop();
});

test('no step follows a running one when the sweeping stops', async () => {
  const system = manualSystem();
  let finish = (_more: boolean): void => undefined;
  const step = (): Promise<boolean> => new Promise((resolve) => (finish = resolve));
  const stop = startSweeping(step, { firstAfterMs: 1_000, pauseMs: 20, system });
  await system.advance(1_000);
  stop();
  finish(true);
  await system.settle();
  expect(system.pendingTimers).toBe(0);
});
