/**
 * Owns running a single call in the way that its framework handed over with it, in place of its tool's own runner.
 *
 * Invariant: what was lent for a call serves that call's tool alone: an alternative runs in its own way.
 */
import type { AttemptContext, Middleware } from '../../engine/tool/runner.ts';

/** Runs one call, in a framework's way. May throw, reject or hang like any tool. */
export type CallExecutor = (args: unknown, context: AttemptContext) => unknown;

/** Runs single calls with a framework's own function in place of the runner of their tool. */
export interface CallExecutors {
  /** Belongs in `middleware` of the service, last: what is wrapped around tools is wrapped around these too. */
  readonly middleware: Middleware;
  /** Lends an executor to the run of a call; answers the way to take it back. */
  lend(idempotencyKey: string, toolName: string, execute: CallExecutor): () => void;
}

/** Creates an empty set of call executors, for the `executors` option of one or more agent runs. */
export function callExecutors(): CallExecutors {
  const lent = new Map<string, { readonly toolName: string; readonly execute: CallExecutor }>();
  return {
    middleware: (next) => (args, context) => {
      const own = lent.get(context.idempotencyKey);
      return own && own.toolName === context.toolName ? own.execute(args, context) : next(args, context);
    },
    lend(idempotencyKey, toolName, execute) {
      lent.set(idempotencyKey, { toolName, execute });
      return () => void lent.delete(idempotencyKey);
    },
  };
}
