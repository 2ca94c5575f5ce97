/** Owns the settings of the turn service in Restate and their defaults. */
import type { ToolExecutionService } from '@holdfast/core';

/** Default name of the turn service in Restate. */
export const TURN_SERVICE = 'holdfast_turn';

/** Settings of the service that runs turns for Restate. */
export interface TurnServiceOptions {
  /** The service of this worker, with its tools, circuits, listeners and store. */
  readonly service: ToolExecutionService;
  /** The turn service's name in Restate. Clients use the same. @default 'holdfast_turn' */
  readonly serviceName?: string;
  /**
   * Awaited for at most a second before Restate gets a turn's result, so that the store writes the events, such as `() => store.flush()`. A finished turn is never
   * run again, so events that a dying worker has not written are lost. @default nothing is awaited
   */
  readonly settle?: () => Promise<unknown>;
  /** Longest time of an attempt of any tool, including its wait for admission. A longer one counts as lost and is made again. @default 3600000 */
  readonly longestAttemptMs?: number;
  /** How long Restate keeps a result. The turn id is in use for that long. @default 86400000 */
  readonly resultRetentionMs?: number;
  /** How long Restate keeps the journal of a finished turn for inspection. The trace is in the store. @default 0 */
  readonly journalRetentionMs?: number;
  /**
   * How often a turn is tried on workers that do not answer or fail: the first 10 times within 6 s, then once per second. Then it is paused until it is resumed.
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

/** @throws RangeError for an invalid setting; the message has its name, its value and the fix. */
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
      throw new RangeError(`${name} = ${value} is invalid. Give whole ${unit}, ${lowest} or more.`);
  }
  return complete;
};
