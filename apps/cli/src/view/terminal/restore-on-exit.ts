/** Runs a cleanup when the process exits, by itself or by a signal, without changing how it exits. */

/** The part of `process` that is needed; tests can pass their own. */
export interface ProcessLike {
  readonly pid: number;
  readonly on: (event: string, listener: () => void) => unknown;
  readonly off: (event: string, listener: () => void) => unknown;
  readonly listenerCount: (event: string) => number;
  readonly kill: (pid: number, signal: string) => unknown;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `restore` at most once. Returns a function that removes the listeners. */
export function restoreOnExit(restore: () => void, target: ProcessLike): () => void {
  const removals: (() => void)[] = [];
  const stop = (): void => {
    for (const each of removals.splice(0)) each();
  };
  const restoreOnce = (): void => {
    if (removals.length === 0) return;
    stop();
    restore();
  };
  const listen = (event: string, listener: () => void): void => {
    target.on(event, listener);
    removals.push(() => void target.off(event, listener));
  };
  listen('exit', restoreOnce);
  for (const signal of signals) {
    listen(signal, () => {
      // Another listener handles the signal, for example by cancelling the turn. The process and the view continue.
      if (target.listenerCount(signal) > 1) return;
      restoreOnce();
      // Without a listener, the signal now has its default effect.
      target.kill(target.pid, signal);
    });
  }
  return stop;
}
