/**
 * Owns running a task once, with a time limit and the caller's signal. Does not own the classification of its end.
 *
 * Invariants
 * 1. Resolves exactly once and never rejects, whatever the task does; an abort and a timeout resolve at once, also if the task continues.
 * 2. Afterwards no timer is set and no listener is left.
 */
import { call, read } from '../engine/classify/reading.ts';
import type { CancelSignal, Signal } from '../engine/ports/signal.ts';
import type { CancelSource, System } from '../engine/ports/system.ts';
import type { Task, TaskContext } from './task.ts';
import { isObject } from '../engine/plain/is-object.ts';

export type Ending =
  | { readonly kind: 'value'; readonly value: unknown }
  /** `cancelled`: by the caller. `timeout`: by the time limit of the task, or by that of the caller (`AbortSignal.timeout`). */
  | { readonly kind: 'error' | 'timeout' | 'cancelled'; readonly error: unknown };

export interface RunLimits {
  readonly attempt: number;
  readonly signal: CancelSignal | undefined;
  readonly timeoutMs: number;
}

export function runTask(system: System, task: Task<unknown>, { attempt, signal, timeoutMs }: RunLimits): Promise<Ending> {
  return new Promise((resolve) => {
    const cancel = system.createCancelSource();
    const abandon = (ending: Ending & { readonly error: unknown }): void => {
      end(ending);
      cancel.abort(() => ending.error);
    };
    const stopListening = onAbort(signal, () => abandon(abortOf(signal)));
    const timer =
      timeoutMs < Infinity ? system.setTimer(timeoutMs, () => abandon({ kind: 'timeout', error: timeoutError(timeoutMs) })) : undefined;
    const end = (ending: Ending): void => {
      stopListening();
      if (timer) system.clearTimer(timer);
      resolve(ending);
    };
    new Promise((settle) => settle(task(contextOf(attempt, cancel)))).then(
      (value) => end({ kind: 'value', value }),
      (error: unknown) => end({ kind: 'error', error }),
    );
  });
}

/** The signal is created when it is first read: most tasks do not read it. */
function contextOf(attempt: number, cancel: CancelSource): TaskContext {
  return {
    attempt,
    get signal(): Signal {
      return cancel.signal;
    },
  };
}

/** Waits; an abort ends it at once. Resolves with the value of `wake`, if that ended it. */
export function sleep<Value>(
  system: System,
  delayMs: number,
  signal: CancelSignal | undefined,
  onWake: (wake: (value: Value) => void) => () => void,
): Promise<Value | undefined> {
  if (wasAborted(signal)) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const end = (value?: Value): void => {
      system.clearTimer(timer);
      stopListening();
      stopWaking();
      resolve(value);
    };
    const timer = system.setTimer(delayMs, () => end());
    const stopListening = onAbort(signal, () => end());
    const stopWaking = onWake(end);
  });
}

/** Whether the signal was aborted. Errors of a signal are ignored: if it cannot be read, it was not aborted. */
export function wasAborted(signal: CancelSignal | undefined): boolean {
  return signal !== undefined && read(signal, 'aborted') === true;
}

/** Returns the reason of an aborted signal. */
export function abortOf(signal: CancelSignal | undefined): Ending & { readonly error: unknown } {
  const error = signal && read(signal, 'reason');
  return { kind: isObject(error) && read(error, 'name') === 'TimeoutError' ? 'timeout' : 'cancelled', error };
}

function onAbort(signal: CancelSignal | undefined, listener: () => void): () => unknown {
  if (signal) call(signal, 'addEventListener', 'abort', listener, { once: true });
  return () => signal && call(signal, 'removeEventListener', 'abort', listener);
}

/** With its limit, which `AbortSignal.timeout` of a caller does not tell: so a circuit knows the limit of a `retry` around it. */
const timeoutError = (timeoutMs: number): Error =>
  Object.assign(new Error(`Task timeout after ${timeoutMs} ms`), { name: 'TimeoutError', timeoutMs });
