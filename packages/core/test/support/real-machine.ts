import * as timers from 'node:timers';

/** Enables what the pure setup disables, for a test of the real system. Returns the function that disables it again. */
export function openRealMachine(): () => void {
  const { setTimeout: closedTimeout } = globalThis;
  const { now: closedNow } = Date;
  globalThis.setTimeout = timers.setTimeout;
  Date.now = () => Math.round(performance.timeOrigin + performance.now());
  return () => {
    globalThis.setTimeout = closedTimeout;
    Date.now = closedNow;
  };
}
