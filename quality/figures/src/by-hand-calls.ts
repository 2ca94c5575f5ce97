import type { TraceEvent } from '@holdfast/core';

/*
 * Written from the glossary and the reference of events alone. It shares no code with the folds that it judges, and takes a second look at every event where a fold
 * keeps a state: it may be slow, but not clever.
 */

/** An event with all fields that any event may have. */
export interface Entry {
  readonly event_type: string;
  readonly turn_id: string;
  readonly seq: number;
  readonly timestamp: string;
  readonly elapsed_ms: number;
  readonly [field: string]: unknown;
}

export const text = (entry: Entry | undefined, field: string): string => {
  const value = entry?.[field];
  return typeof value === 'string' ? value : '';
};

const number = (entry: Entry | undefined, field: string): number => {
  const value = entry?.[field];
  return typeof value === 'number' ? value : 0;
};

export const entriesOf = (events: readonly TraceEvent[]): readonly Entry[] => events as unknown as readonly Entry[];

export interface HandAttempt {
  readonly number: number;
  readonly toolId: string;
  readonly isHedge: boolean;
  readonly startedAtMs: number;
  /** Absent: it was cut off with its turn, or it still runs. */
  readonly outcome: 'success' | 'transient' | 'permanent' | 'neutral' | undefined;
  readonly code: string | undefined;
  readonly isTimedOut: boolean;
  readonly durationMs: number | undefined;
}

/** What a wait is for: the reason of its event, or the backoff of a retry. */
interface HandWait {
  readonly waitsFor: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** What the event announced; absent where it cannot be known. */
  readonly plannedMs: number | undefined;
}

export type HandOutcome = 'first_try' | 'recovered' | 'failed' | 'refused' | 'cancelled' | 'skipped' | 'rejected';

export interface HandCall {
  readonly turnId: string;
  readonly callId: string;
  readonly toolId: string;
  readonly completed: Entry;
  readonly attempts: readonly HandAttempt[];
  readonly waits: readonly HandWait[];
  /** Attempts after the first of their tool that are no hedges. */
  readonly retries: number;
  readonly retriesSucceeded: number;
  readonly outcome: HandOutcome;
  readonly isRefused: boolean;
}

const REFUSALS: readonly string[] = ['CIRCUIT_OPEN', 'RATE_LIMITED', 'BULKHEAD_FULL', 'RETRY_BUDGET_EXHAUSTED'];

const attemptsOf = (entries: readonly Entry[]): readonly HandAttempt[] =>
  entries
    .filter(({ event_type }) => event_type === 'AttemptStarted')
    .map((start) => {
      const isSame = (entry: Entry): boolean => entry['attempt'] === start['attempt'];
      const success = entries.find((entry) => entry.event_type === 'ToolSucceeded' && isSame(entry));
      const error = entries.find((entry) => entry.event_type === 'ToolError' && isSame(entry));
      const end = success ?? error;
      return {
        number: number(start, 'attempt'),
        toolId: text(start, 'tool_id'),
        isHedge: start['hedge'] === true,
        startedAtMs: start.elapsed_ms,
        outcome: success === undefined ? (error?.['classification'] as HandAttempt['outcome']) : 'success',
        code: error === undefined ? undefined : text(error, 'code'),
        isTimedOut: entries.some((entry) => entry.event_type === 'ToolTimeout' && isSame(entry)),
        durationMs: end === undefined ? undefined : number(end, 'duration_ms'),
      };
    });

/** A wait lasts until its call does anything else: is admitted, refused, waits for something else, or ends. */
const waitsOf = (entries: readonly Entry[]): readonly HandWait[] =>
  entries.flatMap((entry, index) => {
    const isBackoff = entry.event_type === 'RetryScheduled';
    if (!isBackoff && entry.event_type !== 'AdmissionWaiting') return [];
    const ends = ['AttemptStarted', 'AdmissionWaiting', 'CallRefused', 'CallCompleted', 'RetryScheduled'];
    const next = entries.slice(index + 1).find(({ event_type }) => ends.includes(event_type));
    if (next === undefined) return [];
    return [
      {
        waitsFor: isBackoff ? 'backoff' : text(entry, 'wait'),
        fromMs: entry.elapsed_ms,
        toMs: next.elapsed_ms,
        plannedMs: typeof entry['delay_ms'] === 'number' ? entry['delay_ms'] : undefined,
      },
    ];
  });

const isRefusedCall = (completed: Entry): boolean => number(completed, 'attempts') === 0 && REFUSALS.includes(text(completed, 'code'));

/** How a call ended, in the words of the glossary. */
const outcomeOf = (completed: Entry, entries: readonly Entry[], retries: number): HandOutcome => {
  const didSucceed = completed['status'] === 'success';
  if (completed['skipped'] === true) return 'skipped';
  // A static fallback is returned with the error, and is no loss.
  if (completed['fallback_used'] === true) return 'recovered';
  if (didSucceed)
    return retries > 0 || completed['partial'] === true || completed['served_by'] !== completed['tool_id'] ? 'recovered' : 'first_try';
  if (text(completed, 'code') === 'CANCELLED') return 'cancelled';
  if (number(completed, 'attempts') > 0) return 'failed';
  if (isRefusedCall(completed)) return 'refused';
  if (entries.some((entry) => entry.event_type === 'ToolError' && entry['attempt'] === 0)) return 'rejected';
  // No time was left for an attempt, whether the call had begun to wait for one or not.
  return 'skipped';
};

/** All finished calls of the events, in the order of their ends. */
export const callsByHand = (entries: readonly Entry[]): readonly HandCall[] =>
  entries
    .filter(({ event_type }) => event_type === 'CallCompleted')
    .map((completed) => {
      const own = entries.filter(({ turn_id, call_id }) => turn_id === completed.turn_id && call_id === completed['call_id']);
      const attempts = attemptsOf(own);
      const retried = attempts.filter(
        ({ isHedge, number: current, toolId }) =>
          !isHedge && attempts.some((earlier) => earlier.number < current && earlier.toolId === toolId),
      );
      return {
        turnId: completed.turn_id,
        callId: text(completed, 'call_id'),
        toolId: text(completed, 'tool_id'),
        completed,
        attempts,
        waits: waitsOf(own),
        retries: retried.length,
        retriesSucceeded: retried.filter(({ outcome }) => outcome === 'success').length,
        outcome: outcomeOf(completed, own, retried.length),
        isRefused: isRefusedCall(completed),
      };
    });

export const isLost = ({ outcome }: HandCall): boolean => outcome === 'failed' || outcome === 'refused';
