import { describe, expect, it } from 'vitest';
import { maxTimerMs, type PlatformTimers, waitAtMost } from '../../../src/engine/plain/wait-at-most.ts';
import { manualSystem } from '../../../src/testing/index.ts';

const never = (): Promise<never> => new Promise(() => undefined);

/** Platform timers over a manual system, which remember the delays. */
function platformOver(system: ReturnType<typeof manualSystem>): PlatformTimers & { readonly delays: number[] } {
  const delays: number[] = [];
  return {
    delays,
    setTimeout: (task, delayMs) => {
      delays.push(delayMs);
      return system.setTimer(delayMs, task);
    },
    clearTimeout: (timer) => system.clearTimer(timer as ReturnType<typeof system.setTimer>),
  };
}

describe.each(['a system', 'the platform'] as const)('waitAtMost with the timers of %s', (kind) => {
  const setUp = () => {
    const system = manualSystem();
    return { system, timers: kind === 'a system' ? system : platformOver(system) };
  };

  it('resolves with the value, and leaves no timer behind', async () => {
    const { system, timers } = setUp();
    expect(await waitAtMost(timers, Promise.resolve('value'), 1_000)).toBe('value');
    expect(system.pendingTimers).toBe(0);
  });

  it('rejects like the promise, and leaves no timer behind', async () => {
    const { system, timers } = setUp();
    await expect(waitAtMost(timers, Promise.reject(new Error('lost')), 1_000)).rejects.toThrow('lost');
    expect(system.pendingTimers).toBe(0);
  });

  it('resolves with undefined at the limit, not before', async () => {
    const { system, timers } = setUp();
    let settled = false;
    const waiting = waitAtMost(timers, never(), 1_000).finally(() => (settled = true));
    await system.advance(999);
    expect(settled).toBe(false);
    await system.advance(1);
    expect(await waiting).toBeUndefined();
    expect(system.pendingTimers).toBe(0);
  });

  it('ignores a rejection after the limit', async () => {
    const { system, timers } = setUp();
    const late = new Promise<never>((_resolve, reject) => void system.setTimer(2_000, () => reject(new Error('late'))));
    const waiting = waitAtMost(timers, late, 1_000);
    await system.advance(3_000);
    expect(await waiting).toBeUndefined();
  });
});

it('never sets a timer of the platform that would fire at once because it is too long', async () => {
  const timers = platformOver(manualSystem());
  await waitAtMost(timers, Promise.resolve(), Number.POSITIVE_INFINITY);
  await waitAtMost(timers, Promise.resolve(), 2 ** 31);
  expect(timers.delays).toEqual([maxTimerMs, maxTimerMs]);
  expect(maxTimerMs).toBe(2_147_483_647);
});

it('keeps the process alive, except in the background', async () => {
  const backgrounds: (boolean | undefined)[] = [];
  const system = manualSystem();
  const timers = {
    setTimer: (delayMs: number, fire: () => void, background?: boolean) => {
      backgrounds.push(background);
      return system.setTimer(delayMs, fire);
    },
    clearTimer: system.clearTimer.bind(system),
  };
  await waitAtMost(timers, Promise.resolve(), 1);
  await waitAtMost(timers, Promise.resolve(), 1, true);
  expect(backgrounds).toEqual([false, true]);
});
