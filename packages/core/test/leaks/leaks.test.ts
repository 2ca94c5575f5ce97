/** Real timers and signals, a separate process for each run, explicit garbage collection. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRealMachine } from '../support/real-machine.ts';
import { runAlone } from './run.ts';

let close: () => void;
beforeAll(() => {
  close = openRealMachine();
});
afterAll(() => close());

/** Bytes, averaged over many calls. A leak of one listener, timer or trace event per call exceeds it several times. */
const MAX_PER_CALL = 24;
/** Bytes, over few calls: a retained call needs more than three times as much. */
const MAX_PER_STOPPED_CALL = 2_000;

it('100,000 calls on one signal leave no listener, no timer and a flat heap', { timeout: 300_000 }, async () => {
  const { heap, ...left } = (await runAlone('one-signal.ts')) as { readonly heap: readonly [number, number, number] };
  expect(left).toEqual({ listeners: 0, maxListeners: 400, timers: 0, warnings: [] });
  const [early, , late] = heap;
  expect((late - early) / 80_000).toBeLessThan(MAX_PER_CALL);
});

describe.concurrent.each(['abort', 'time'])('calls that are stopped by %s in every state', (how) => {
  it('leave nothing, and the process ends by itself', { timeout: 300_000 }, async () => {
    const report = (await runAlone('every-state.ts', how)) as Readonly<Record<string, { readonly grownPerCall: number }>>;
    expect(Object.keys(report)).toHaveLength(9);
    // Not for deadlines: a delay beyond the deadline is refused, not shortened.
    const unreachable = how === 'time' ? ['in a delay', 'waiting for the rate limit'] : [];
    for (const [state, { grownPerCall, ...rest }] of Object.entries(report)) {
      expect({ state, ...rest }).toEqual({ state, reached: !unreachable.includes(state), left: 0, timers: 0 });
      expect(grownPerCall, state).toBeLessThan(MAX_PER_STOPPED_CALL);
    }
  });
});
