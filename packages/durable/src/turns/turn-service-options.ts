/** Owns the settings of the turn service in Restate, and what they are when nothing is said. */
import type { ToolExecutionService } from '@holdfast/core';

/** Default name of the turn service in Restate. */
export const TURN_SERVICE = 'holdfast_turn';

/** Settings of the service that runs turns for Restate. */
export interface TurnServiceOptions {
  /** Whose tools, circuits, listeners and store: this worker's. */
  readonly service: ToolExecutionService;
  /** The turn service's name in Restate. Clients use the same. @default 'holdfast_turn' */
  readonly serviceName?: string;
  /**
   * Awaited, for a second at most, before Restate has a turn's result: has the store write what it was told, such as `() => store.flush()`. A turn that is over
   * is run by nobody again, so what a worker that dies then has not written is lost. @default nothing is waited for
   */
  readonly settle?: () => Promise<unknown>;
  /** No attempt of any tool takes longer, its wait for admission included; one that does is taken for lost and made again. @default 3600000 */
  readonly longestAttemptMs?: number;
  /** How long Restate keeps a result. As long a turn id is taken. @default 86400000 */
  readonly resultRetentionMs?: number;
  /** How long Restate keeps a finished turn's journal, to be looked at. The trace is in the store. @default 0 */
  readonly journalRetentionMs?: number;
  /**
   * So often a turn is tried on workers that do not answer or fail, the first 10 within 6 s, then one a second; then it is paused until somebody resumes it.
   * @default 3600
   */
  readonly pauseAfterRetries?: number;
}

interface Range {
  readonly lowest: number;
  readonly unit: string;
}

const RANGES = {
  longestAttemptMs: { lowest: 1000, unit: 'milliseconds' },
  resultRetentionMs: { lowest: 0, unit: 'milliseconds' },
  journalRetentionMs: { lowest: 0, unit: 'milliseconds' },
  pauseAfterRetries: { lowest: 1, unit: 'retries' },
} as const satisfies Partial<Record<keyof TurnServiceOptions, Range>>;

const SERVICE_NAME = /^[a-zA-Z][a-zA-Z0-9_.-]*$/;

const nothing = (): Promise<void> => Promise.resolve();

export type CompleteTurnServiceOptions = Required<TurnServiceOptions>;

/** @throws RangeError when a setting cannot be used; names it, its value and the fix. */
export const completeTurnServiceOptions = (options: TurnServiceOptions): CompleteTurnServiceOptions => {
  const complete = {
    service: options.service,
    settle: options.settle ?? nothing,
    serviceName: options.serviceName ?? TURN_SERVICE,
    longestAttemptMs: options.longestAttemptMs ?? 3_600_000,
    resultRetentionMs: options.resultRetentionMs ?? 86_400_000,
    journalRetentionMs: options.journalRetentionMs ?? 0,
    pauseAfterRetries: options.pauseAfterRetries ?? 3600,
  };
  if (!SERVICE_NAME.test(complete.serviceName)) {
    throw new RangeError(
      `serviceName = ${JSON.stringify(complete.serviceName)} is no name in Restate. Use letters, digits, _, . and -, a letter first.`,
    );
  }
  for (const [name, { lowest, unit }] of Object.entries(RANGES)) {
    const value = complete[name as keyof typeof RANGES];
    if (!Number.isSafeInteger(value) || value < lowest)
      throw new RangeError(`${name} = ${value} cannot be used. Say whole ${unit}, ${lowest} or more.`);
  }
  return complete;
};
