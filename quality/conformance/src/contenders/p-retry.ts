/** p-retry around p-timeout, as the readme of each suggests; the caller's signal is passed to both. */
import pRetry from 'p-retry';
import pTimeout, { TimeoutError } from 'p-timeout';
import type { Answer, BuildOptions, Contender, Guarded, Part, RetryPart, TimeoutPart, Work } from '../port.ts';
import { DependencyDown } from '../situation.ts';

interface Call {
  readonly signal: AbortSignal | undefined;
  readonly unref: boolean;
  readonly onFailedAttempt: (failure: { readonly retryDelay: number; readonly retriesLeft: number }) => void;
}
type Run = () => Promise<unknown>;

function withRetry(inner: Run, { retries, delayMs, jitter }: RetryPart, { signal, unref, onFailedAttempt }: Call): Run {
  return () =>
    pRetry(inner, {
      retries,
      minTimeout: delayMs,
      factor: 1,
      randomize: jitter ?? false,
      unref,
      shouldRetry: ({ error }) => error instanceof DependencyDown || error instanceof TimeoutError,
      onFailedAttempt,
      ...(signal ? { signal } : {}),
    });
}

const withTimeout =
  (inner: Run, { ms }: TimeoutPart, { signal }: Call): Run =>
  () =>
    pTimeout(inner(), { milliseconds: ms, ...(signal ? { signal } : {}) });

function answerOf(error: unknown, signal: AbortSignal | undefined): Answer {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof TimeoutError) return { kind: 'timed out', message };
  return { kind: signal?.aborted && error === signal.reason ? 'cancelled' : 'failed', message };
}

const never = new AbortController().signal;

function build(parts: readonly Part[], { unref = false }: BuildOptions = {}): Guarded {
  const retryListeners: ((delayMs: number) => void)[] = [];
  const listeners: (() => void)[] = [];
  const onFailedAttempt: Call['onFailedAttempt'] = ({ retryDelay }) => {
    for (const listener of listeners) listener();
    if (retryDelay > 0) for (const listener of retryListeners) listener(retryDelay);
  };
  return {
    call: async (work: Work, { signal } = {}) => {
      const call: Call = { signal, unref, onFailedAttempt };
      let run: Run = async () => work(signal ?? never);
      for (const part of parts.toReversed()) {
        if (part.part === 'retry') run = withRetry(run, part, call);
        else if (part.part === 'timeout') run = withTimeout(run, part, call);
      }
      try {
        return { kind: 'value', value: await run() };
      } catch (error) {
        return answerOf(error, signal);
      }
    },
    circuit: () => 'closed',
    onRetry: (listener) => void retryListeners.push(listener),
    timeoutEvents: () => 0,
    events: ['onFailedAttempt'],
    listen: (_event, listener) => void listeners.push(listener),
    save: async () => Promise.resolve(undefined),
  };
}

export const contender: Contender = { name: 'p-retry', build };
