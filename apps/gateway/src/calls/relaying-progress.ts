/** Owns telling clients the progress of tools that are no server's. */
import type { AttemptContext, Middleware, Progress } from '@holdfast/core';
import { compose } from '@holdfast/core';
import type { Exchanges } from './exchange.ts';

export function relayingProgress(exchanges: Exchanges): Middleware {
  return compose((next) => (args, context) => {
    const progress = exchanges.get(context.callId)?.progress;
    if (progress === undefined) return next(args, context);
    const reportProgress = (told: Progress): void => {
      context.reportProgress(told);
      progress.relay({ ...told });
    };
    // A context is not copied: the rest of it is read through.
    return next(args, Object.create(context, { reportProgress: { value: reportProgress } }) as AttemptContext);
  });
}
