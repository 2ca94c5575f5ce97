/**
 * Listening to the signal of an attempt without leaving a listener behind.
 */
import { runnerError } from './runner-error.ts';

/** What is needed of a signal here. */
export interface AbortSource {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Runs `listener` at the abort, at once if it has happened already. Returns what takes the listener away again. */
export function onAbort(signal: AbortSource, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** What an aborted attempt rejects with: the reason of the signal where it is an error. */
export function abortError(signal: AbortSource): unknown {
  const { reason } = signal;
  if (reason instanceof Error) return reason;
  return Object.assign(runnerError('ABORTED', 'The attempt was aborted.', { cause: reason }), { name: 'AbortError' });
}
