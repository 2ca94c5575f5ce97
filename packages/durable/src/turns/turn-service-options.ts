/** Owns the settings of the turn service in Restate and their defaults. */
import { checkOptions, count, refuse, type Fields, type NumberRule, type Rule } from '@holdfast/core/internal/plain';
import type { ToolExecutionService } from '@holdfast/core';
import { addressRule, headersRule } from '../engine/address-rule.ts';
import type { TurnRecordOptions } from './turn-recorder.ts';

/** Default name of the turn service in Restate. */
export const TURN_SERVICE = 'holdfast_turn';

/** Settings of the service that runs turns for Restate. */
export interface TurnServiceOptions {
  /** The service of this worker, with its tools, circuits, listeners and store. */
  readonly service: ToolExecutionService;
  /** The turn service's name in Restate. Clients use the same. @default 'holdfast_turn' */
  readonly serviceName?: string;
  /**
   * Where the events of a finished turn go before Restate gets its result. A finished turn never runs again, so events that a dying worker has not written would be
   * lost. @default nothing is awaited
   */
  readonly record?: TurnRecordOptions;
  /** Longest time of an attempt of any tool, including its wait for admission. A longer one counts as lost and is repeated. @default 3600000 */
  readonly maxAttemptMs?: number;
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

const SERVICE_NAME = /^[a-zA-Z][a-zA-Z0-9_.-]*$/;

/** The rule of a name in Restate. */
export const nameRule: Rule = (value, field) => {
  if (typeof value !== 'string' || !SERVICE_NAME.test(value))
    refuse(field, value, 'a service name for Restate: a letter, then letters, digits, _, . and -', 'string');
};

const wholeMs: NumberRule = ['whole milliseconds, 0 or more', 0, Number.MAX_SAFE_INTEGER, true];

/** The fields of the options, for the functions that pass them on. */
export const turnServiceFields: Fields = {
  service: 'object',
  serviceName: nameRule,
  record: (value, field) => checkOptions({ store: 'object', ingressUrl: addressRule, headers: headersRule }, value, field, ['store']),
  maxAttemptMs: ['whole milliseconds, 1000 or more', 1000, Number.MAX_SAFE_INTEGER, true],
  resultRetentionMs: wholeMs,
  journalRetentionMs: wholeMs,
  pauseAfterRetries: count,
};

export type CompleteTurnServiceOptions = Required<Omit<TurnServiceOptions, 'record'>> & Pick<TurnServiceOptions, 'record'>;

/** @throws TypeError | RangeError for an invalid setting; the message has its name, its value and the fix. */
export const completeTurnServiceOptions = (options: TurnServiceOptions): CompleteTurnServiceOptions => {
  checkOptions(turnServiceFields, options, 'createTurnService', ['service']);
  return {
    service: options.service,
    ...(options.record === undefined ? {} : { record: options.record }),
    serviceName: options.serviceName ?? TURN_SERVICE,
    maxAttemptMs: options.maxAttemptMs ?? 3_600_000,
    resultRetentionMs: options.resultRetentionMs ?? 86_400_000,
    journalRetentionMs: options.journalRetentionMs ?? 0,
    pauseAfterRetries: options.pauseAfterRetries ?? 3600,
  };
};
