/** Owns relaying progress to clients from tools that do not belong to a server. */
import type { AttemptContext, Middleware, Progress } from '@holdfast/core';
import { compose } from '@holdfast/core';
import type { Exchanges } from './exchange.ts';

export function relayProgress(exchanges: Exchanges): Middleware {
  return compose((next) => (args, context) => {
    const progress = exchanges.get(context.callId)?.progress;
    if (progress === undefined) return next(args, context);
    const reportProgress = (update: Progress): void => {
      context.reportProgress(update);
      progress.relay({ ...update });
    };
    // The context is not copied: its other properties are inherited.
    return next(args, Object.create(context, { reportProgress: { value: reportProgress } }) as AttemptContext);
  });
}
