/**
 * Owns counting the attempts of a model at one action (docs/specification.md#s2-flow): the invalid calls of a tool since its last valid one, or consecutive invalid
 * structured outputs.
 *
 * Invariants
 * 1. Calls of one answer are one attempt, since the model could not learn from one for the next.
 * 2. The events of an attempt depend only on the failures, the policies and the clock.
 */
import type { MergedRetryPolicy } from '../session/retry-policy.ts';
import { decideValidationRetry } from '../session/retry-policy.ts';
import type {
  FailedValidation,
  ValidationRecovered,
  ValidationRetryExhausted,
  ValidationRetryScheduled,
  ValidationSource,
} from '../../engine/trace/events.ts';

interface Streak {
  attempts: number;
  readonly firstAt: number;
  /** The answer that the latest failure belonged to. */
  answer: unknown;
  history: readonly FailedValidation[];
  reducerFailed: boolean;
}

/** A failed attempt. */
export interface InvalidAttempt {
  readonly source: ValidationSource;
  readonly toolName: string | undefined;
  readonly callId: string | undefined;
  /** Identifies the model's answer that it was part of. */
  readonly answer: unknown;
  readonly errorType: string;
  readonly message: string;
  readonly policy: MergedRetryPolicy;
  /** Monotonic. */
  readonly now: number;
  readonly nowEpochMs: number;
  readonly seed: string;
}

export type AttemptEvent = ValidationRetryScheduled | ValidationRetryExhausted;

export class Streaks {
  readonly #streaks = new Map<string, Streak>();

  /** Counts a failed attempt and decides about the next one. */
  countFailure(attempt: InvalidAttempt): AttemptEvent {
    const { source, toolName, callId, answer, errorType, message, policy, now, nowEpochMs, seed } = attempt;
    const key = keyOf(source, toolName);
    const streak: Streak = this.#streaks.get(key) ?? { attempts: 0, firstAt: now, answer: undefined, history: [], reducerFailed: false };
    if (streak.attempts === 0 || streak.answer !== answer) streak.attempts += 1;
    streak.answer = answer;
    const decision = decideValidationRetry(policy, {
      attempt: streak.attempts,
      errorType,
      elapsedSeconds: (now - streak.firstAt) / 1_000,
      reducerFailed: streak.reducerFailed,
      seed: `${seed} ${key}`,
    });
    const delayMs = decision.retry ? decision.delaySeconds * 1_000 : 0;
    const failure = {
      attempt: streak.attempts,
      max_attempts: policy.maxAttempts,
      error_type: errorType,
      error: message,
      retry_scheduled_at: new Date(Math.min(nowEpochMs + delayMs, MAX_EPOCH_MS)).toISOString(),
    };
    streak.history = [...streak.history, { ...failure, delay_ms: delayMs }].slice(-MAX_HISTORY);
    this.#streaks.set(key, streak);
    const about = {
      source,
      ...(toolName === undefined ? {} : { tool_id: toolName }),
      ...(callId === undefined ? {} : { call_id: callId }),
    };
    if (decision.retry)
      return { event_type: 'ValidationRetryScheduled', ...about, ...failure, delay_ms: delayMs, feedback: policy.emitFeedback };
    return {
      event_type: 'ValidationRetryExhausted',
      ...about,
      ...failure,
      stopped_by: decision.stoppedBy,
      feedback: policy.emitFeedback,
      history: streak.history,
      message: `${toolName ?? 'The structured output'} failed validation ${times(streak.attempts)}: ${message}`,
    };
  }

  /** A valid attempt ends the streak, unless the same answer also contains an invalid one. */
  endStreak(source: ValidationSource, toolName: string | undefined, answer: unknown, callId?: string): ValidationRecovered | undefined {
    const key = keyOf(source, toolName);
    const streak = this.#streaks.get(key);
    if (!streak || streak.answer === answer) return undefined;
    this.#streaks.delete(key);
    if (streak.attempts === 0) return undefined;
    return {
      event_type: 'ValidationRecovered',
      source,
      ...(toolName === undefined ? {} : { tool_id: toolName }),
      ...(callId === undefined ? {} : { call_id: callId }),
      attempts: streak.attempts + 1,
    };
  }

  /**
   * Records that a reducer failed at an action that is under way: it gets no further attempt unless the policy allows it (docs/specification.md#s2-flow).
   * An action that has succeeded is over; the next one starts with all its attempts.
   */
  reducerFailed(source: ValidationSource, toolName: string | undefined): void {
    const streak = this.#streaks.get(keyOf(source, toolName));
    if (streak) streak.reducerFailed = true;
  }

  clear(): void {
    this.#streaks.clear();
  }
}

/** The latest time that `Date` supports. */
const MAX_EPOCH_MS = 8.64e15;
const MAX_HISTORY = 50;

function keyOf(source: ValidationSource, toolName: string | undefined): string {
  return `${source} ${toolName ?? ''}`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
