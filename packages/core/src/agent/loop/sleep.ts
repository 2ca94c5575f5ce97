/** Owns waiting on the clock of a system, ended early by an abort. */
import type { CancelSignal } from '../../engine/ports/signal.ts';
import type { System } from '../../engine/ports/system.ts';

/** Resolves after a delay, or at once when the signal aborts. Never rejects, even for an invalid signal. */
export function waitFor(system: System, delayMs: number, signal: CancelSignal | undefined): Promise<void> {
  if (!(delayMs > 0) || isAborted(signal)) return Promise.resolve();
  return new Promise((resolve) => {
    // A signal may call back while the listener is being added.
    let stop = ignore;
    const end = (): void => {
      system.clearTimer(timer);
      stop();
      resolve();
    };
    const timer = system.setTimer(delayMs, end);
    stop = whenAborted(signal, end);
  });
}

export function isAborted(signal: CancelSignal | undefined): boolean {
  try {
    return signal?.aborted === true;
  } catch {
    return false;
  }
}

/** Calls `listener` when the signal aborts. Returns a function that removes the listener. */
export function whenAborted(signal: CancelSignal | undefined, listener: () => void): () => void {
  try {
    signal?.addEventListener('abort', listener, { once: true });
  } catch {
    return ignore;
  }
  return () => {
    try {
      signal?.removeEventListener('abort', listener);
    } catch {
      return;
    }
  };
}

function ignore(): void {
  // Nothing to stop.
}
