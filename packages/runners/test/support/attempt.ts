import type { AttemptContext, Progress, Runner } from '@holdfast/core';

export interface RecordedAttempt {
  readonly context: AttemptContext;
  readonly abort: (reason?: unknown) => void;
  readonly signal: AbortSignal;
  readonly progress: Progress[];
  readonly partials: unknown[];
}

/** A context as the service creates it; reports are recorded. */
export function attempt(): RecordedAttempt {
  const controller = new AbortController();
  const progress: Progress[] = [];
  const partials: unknown[] = [];
  const context: AttemptContext = {
    toolName: 'tool',
    callId: 'call-1',
    turnId: 'turn-1',
    attempt: 1,
    idempotencyKey: 'key-1',
    timeoutMs: 30_000,
    signal: controller.signal,
    reportProgress: (report) => void progress.push(report),
    reportPartial: (output) => void partials.push(output),
  };
  return { context, abort: (reason) => controller.abort(reason), signal: controller.signal, progress, partials };
}

/** The rejection reason of a call; fails if it does not reject. */
export async function rejection(call: unknown): Promise<Error & Readonly<Record<string, unknown>>> {
  try {
    const output: unknown = await (call as Promise<unknown>);
    throw new Error(`expected a rejection, got ${JSON.stringify(output)}`, { cause: 'no rejection' });
  } catch (error) {
    if (error instanceof Error && error.cause === 'no rejection') throw error;
    return error as Error & Readonly<Record<string, unknown>>;
  }
}

/** Closes every runner. */
export async function closeAll(runners: readonly Runner<unknown>[]): Promise<void> {
  for (const run of runners) await run.close?.();
}
