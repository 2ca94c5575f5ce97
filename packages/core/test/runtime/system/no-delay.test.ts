import { describe, expect, test } from 'vitest';
import { NoDelayTimers } from '../../../src/runtime/system/no-delay.ts';

const ignore = (): void => {
  // The event loop does not turn.
};

describe('timers without a delay', () => {
  test('fire in their order, never synchronously', async () => {
    const timers = new NoDelayTimers(() => 5, ignore);
    const fired: number[] = [];
    expect(timers.set(() => fired.push(1)).dueAt).toBe(5);
    timers.set(() => fired.push(2));
    expect(fired).toEqual([]);
    await Promise.resolve();
    expect(fired).toEqual([1, 2]);
  });

  test('one that was cleared does not fire', async () => {
    const timers = new NoDelayTimers(() => 0, ignore);
    const fired: number[] = [];
    timers.set(() => fired.push(1)).cleared = true;
    await Promise.resolve();
    expect(fired).toEqual([]);
  });

  /** Runs microtasks until none are left. */
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 1_000; turn += 1) await Promise.resolve();
  }

  function chain(now: () => number): { readonly fired: () => number; readonly turn: () => void } {
    const waiting: (() => void)[] = [];
    const timers = new NoDelayTimers(now, (task) => waiting.push(task));
    let fired = 0;
    const next = (): void => {
      fired += 1;
      timers.set(next);
    };
    timers.set(next);
    return {
      fired: () => fired,
      turn: () => {
        for (const task of waiting.splice(0)) task();
      },
    };
  }

  test('a chain of them pauses after a hundred until the next turn of the event loop', async () => {
    const { fired, turn } = chain(() => 0);
    await settle();
    expect(fired()).toBe(100);
    turn();
    await settle();
    expect(fired()).toBe(201);
  });

  test('a chain of slow ones pauses after a millisecond', async () => {
    let time = 0;
    const { fired, turn } = chain(() => (time += 0.4));
    await settle();
    expect(fired()).toBe(3);
    turn();
    await settle();
    expect(fired()).toBe(7);
  });
});
