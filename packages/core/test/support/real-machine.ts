import * as timers from 'node:timers';

/** Opens the doors that the pure setup closes, for a test of the machine itself. Answers the way to close them again. */
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
