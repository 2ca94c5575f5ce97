/**
 * Owns the lifetime of a runner until `close`: every call gets a signal that aborts when the attempt is aborted or the runner is
 * closed, and `close` resolves when every call has ended.
 *
 * Invariants
 * 1. A settled call has no listener on the attempt's signal.
 * 2. A closed runner starts nothing.
 */
import { waitAtMost } from '@holdfast/core/internal/plain';
import { type AbortSource, abortError, onAbort } from './abort.ts';
import { runnerError } from './runner-error.ts';

export interface Lifespan {
  readonly isClosed: () => boolean;
  /** Runs one call. Rejects at once if the runner is closed or the attempt is aborted. */
  readonly during: <Output>(source: AbortSource, work: (signal: AbortSignal) => Promise<Output>) => Promise<Output>;
  /** Resolves when no call is running, at the latest after the limit. */
  readonly idle: (limitMs: number) => Promise<void>;
  /** Aborts every call and waits until they have ended. */
  readonly close: () => Promise<void>;
}

export function lifespan(owner: string): Lifespan {
  const running = new Map<AbortController, Promise<unknown>>();
  let closed = false;
  const closedError = (ambiguous: boolean): Error =>
    runnerError('RUNNER_CLOSED', `${owner} is closed: create a new one to run this tool.`, { ambiguous });

  return {
    isClosed: () => closed,
    async during(source, work) {
      if (closed) throw closedError(false);
      if (source.aborted) throw abortError(source);
      const controller = new AbortController();
      const unlink = onAbort(source, () => controller.abort(abortError(source)));
      const call = work(controller.signal);
      running.set(controller, call);
      try {
        return await call;
      } finally {
        unlink();
        running.delete(controller);
      }
    },
    async idle(limitMs) {
      const allEnded = async (): Promise<void> => {
        // New calls may begin while others end.
        while (running.size > 0) await Promise.allSettled(running.values());
      };
      await waitAtMost(globalThis, allEnded(), limitMs);
    },
    async close() {
      closed = true;
      const calls = [...running.values()];
      for (const controller of running.keys()) controller.abort(closedError(true));
      await Promise.allSettled(calls);
    },
  };
}
