/** On the machine as it is: real timers, real signals, a process of its own for each run, the garbage collector called by hand. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRealMachine } from '../support/real-machine.ts';
import { runAlone } from './run.ts';

let close: () => void;
beforeAll(() => {
  close = openRealMachine();
});
afterAll(() => close());

/** Bytes, over so many calls that chance evens out. What a leak of one listener, timer or trace event per call would exceed several times over. */
const MAX_PER_CALL = 24;
/** Bytes, over few calls: a call that is held on to weighs more than three times as much. */
const MAX_PER_STOPPED_CALL = 2_000;

it('100,000 calls on one signal leave no listener, no timer and a flat heap', { timeout: 300_000 }, async () => {
  const { heap, ...left } = (await runAlone('one-signal.ts')) as { readonly heap: readonly [number, number, number] };
  expect(left).toEqual({ listeners: 0, maxListeners: 400, timers: 0, warnings: [] });
  const [early, , late] = heap;
  expect((late - early) / 80_000).toBeLessThan(MAX_PER_CALL);
});

describe.each(['abort', 'time'])('calls that are stopped by %s in every state', (how) => {
  it('leave nothing, and the process ends by itself', { timeout: 300_000 }, async () => {
    const report = (await runAlone('every-state.ts', how)) as Readonly<Record<string, { readonly grownPerCall: number }>>;
    expect(Object.keys(report)).toHaveLength(9);
    // Nobody sleeps into a deadline: there a delay is refused, not cut short.
    const unreachable = how === 'time' ? ['in a delay', 'waiting for the rate limit'] : [];
    for (const [state, { grownPerCall, ...rest }] of Object.entries(report)) {
      expect({ state, ...rest }).toEqual({ state, reached: !unreachable.includes(state), left: 0, timers: 0 });
      expect(grownPerCall, state).toBeLessThan(MAX_PER_STOPPED_CALL);
    }
  });
});
