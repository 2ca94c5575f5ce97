import { describe, expect, test } from 'vitest';
import { NoDelayTimers } from '../../src/system/no-delay.ts';

const never = (): void => expect.unreachable('the event loop is not asked for');

describe('timers without a delay', () => {
  test('fire in their order, never synchronously', async () => {
    const timers = new NoDelayTimers(() => 5, never);
    const fired: number[] = [];
    expect(timers.set(() => fired.push(1)).dueAt).toBe(5);
    timers.set(() => fired.push(2));
    expect(fired).toEqual([]);
    await Promise.resolve();
    expect(fired).toEqual([1, 2]);
  });

  test('one that was cleared does not fire', async () => {
    const timers = new NoDelayTimers(() => 0, never);
    const fired: number[] = [];
    timers.set(() => fired.push(1)).cleared = true;
    await Promise.resolve();
    expect(fired).toEqual([]);
  });

  test('a chain of them stops after a hundred until the event loop has turned', async () => {
    const waiting: (() => void)[] = [];
    const timers = new NoDelayTimers(
      () => 0,
      (task) => waiting.push(task),
    );
    let fired = 0;
    const next = (): void => {
      fired += 1;
      timers.set(next);
    };
    timers.set(next);
    for (let turn = 0; turn < 1_000; turn += 1) await Promise.resolve();
    expect(fired).toBe(100);
    for (const task of waiting.splice(0)) task();
    for (let turn = 0; turn < 1_000; turn += 1) await Promise.resolve();
    expect(fired).toBe(201);
    expect(waiting).toHaveLength(1);
  });
});
