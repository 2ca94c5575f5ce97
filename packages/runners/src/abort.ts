/**
 * Owns listening to the signal of an attempt, and removing the listener.
 */
import { runnerError } from './runner-error.ts';

/** The part of a signal that is used here. */
export interface AbortSource {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Runs `listener` at the abort, at once if it has happened already. Returns a function that removes the listener. */
export function onAbort(signal: AbortSource, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** The rejection of an aborted attempt: the reason of the signal if it is an error. */
export function abortError(signal: AbortSource): unknown {
  const { reason } = signal;
  if (reason instanceof Error) return reason;
  return Object.assign(runnerError('ABORTED', 'The attempt was aborted.', { cause: reason }), { name: 'AbortError' });
}
