/**
 * Owns the time between the making of a runner and its `close`: every call gets one signal that aborts when the attempt is
 * aborted or the runner is closed, and `close` resolves when every call has ended.
 *
 * Invariants
 * 1. After a call has settled nothing of it listens to the attempt's signal any more.
 * 2. A closed runner starts nothing.
 */
import { type AbortSource, abortError, onAbort } from './abort.ts';
import { runnerError } from './runner-error.ts';

export interface Lifespan {
  readonly isClosed: () => boolean;
  /** Runs one call; rejects at once when the runner is closed or the attempt is aborted already. */
  readonly during: <Output>(source: AbortSource, work: (signal: AbortSignal) => Promise<Output>) => Promise<Output>;
  /** Resolves when no call is under way, at the latest after the limit. */
  readonly idle: (limitMs: number) => Promise<void>;
  /** Aborts every call and waits until they have ended. */
  readonly close: () => Promise<void>;
}

export function lifespan(owner: string): Lifespan {
  const running = new Map<AbortController, Promise<unknown>>();
  let closed = false;
  const closedError = (): Error => runnerError('RUNNER_CLOSED', `${owner} is closed: make a new one to run this tool.`);

  return {
    isClosed: () => closed,
    async during(source, work) {
      if (closed) throw closedError();
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
      let patience: NodeJS.Timeout | undefined;
      const late = new Promise<'late'>((resolve) => {
        patience = setTimeout(() => resolve('late'), limitMs);
      });
      // Calls may begin while others end.
      while (running.size > 0 && (await Promise.race([Promise.allSettled(running.values()), late])) !== 'late');
      clearTimeout(patience);
    },
    async close() {
      closed = true;
      const calls = [...running.values()];
      for (const controller of running.keys()) controller.abort(closedError());
      await Promise.allSettled(calls);
    },
  };
}
