/**
 * Owns running a single call with a function of its framework in place of the runner of its tool.
 *
 * Invariant: the function of a call runs only the tool of that call; alternatives use their own runners.
 */
import { checkFields, type Fields } from '../../engine/settings/check.ts';
import type { AttemptContext, Middleware } from '../../engine/tool/runner.ts';

/** A framework's function that runs one call. May throw, reject or hang like any tool. */
export type CallExecutor = (args: unknown, context: AttemptContext) => unknown;

/** Runs single calls with a framework's function in place of the runner of their tool. */
export interface CallExecutors {
  /** Add it last to `middleware` of the service, so that the other middleware also wraps these functions. */
  readonly middleware: Middleware;
  /** Registers an executor for one run of a call. Returns a function that removes it. */
  register(idempotencyKey: string, toolName: string, execute: CallExecutor): () => void;
}

const registered: Fields = { idempotencyKey: 'string', toolName: 'string', execute: 'function' };

/** Creates an empty set of call executors, for the `executors` option of one or more agent runs. */
export function callExecutors(): CallExecutors {
  const executors = new Map<string, { readonly toolName: string; readonly execute: CallExecutor }>();
  return {
    middleware: (next) => (args, context) => {
      const own = executors.get(context.idempotencyKey);
      return own?.toolName === context.toolName ? own.execute(args, context) : next(args, context);
    },
    register(idempotencyKey, toolName, execute) {
      checkFields(registered, { idempotencyKey, toolName, execute }, 'register', undefined, Object.keys(registered));
      executors.set(idempotencyKey, { toolName, execute });
      return () => void executors.delete(idempotencyKey);
    },
  };
}
