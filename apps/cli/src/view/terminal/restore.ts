/** Runs a restoring action when the process ends, however it ends, without changing how it ends. */

/** The part of `process` that is needed; a test may give its own. */
export interface EndingProcess {
  readonly pid: number;
  readonly on: (event: string, listener: () => void) => unknown;
  readonly off: (event: string, listener: () => void) => unknown;
  readonly listenerCount: (event: string) => number;
  readonly kill: (pid: number, signal: string) => unknown;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `restore` at most once. The returned function takes the watching back. */
export function restoreOnEnd(restore: () => void, ending: EndingProcess): () => void {
  const stops: (() => void)[] = [];
  const stop = (): void => {
    for (const each of stops.splice(0)) each();
  };
  const once = (): void => {
    if (stops.length === 0) return;
    stop();
    restore();
  };
  const listen = (event: string, listener: () => void): void => {
    ending.on(event, listener);
    stops.push(() => void ending.off(event, listener));
  };
  listen('exit', once);
  for (const signal of signals) {
    listen(signal, () => {
      // Somebody else handles the signal, say to cancel the turn; the process lives on and the view with it.
      if (ending.listenerCount(signal) > 1) return;
      once();
      // Without a listener the signal now does what it does by default.
      ending.kill(ending.pid, signal);
    });
  }
  return stop;
}
