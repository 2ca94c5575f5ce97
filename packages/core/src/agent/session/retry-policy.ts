/**
 * Owns the policy of validation retries (docs/specification.md#s2-policy): what it is, its three layers, and the decision about a failed attempt.
 *
 * Invariant: the decision depends on the attempt, the failure, the policy and the time given; nothing else.
 */
import { callSafely } from '../../runtime/service/call-safely.ts';
import type { Fields } from '../../engine/settings/check.ts';
import { checkFields, refuse } from '../../engine/settings/check.ts';
import { suggest } from '../../engine/plain/suggest.ts';
import type { ValidationStop } from '../../engine/trace/events.ts';
import type { BackoffStrategy } from './backoff-strategies.ts';
import { ConstantBackoff } from './backoff-strategies.ts';
import { withoutUndefined } from '../../engine/plain/without-undefined.ts';

/** The name of an error, or its class. */
export type ErrorType = string | { readonly name: string };

/** How often, and how, a model may correct what failed its validation (docs/specification.md#s2-policy). */
export interface RetryPolicy {
  /** The first attempt included; 1 opts out of retries. @default 3 */
  readonly maxAttempts: number;
  /** How long the loop waits before a further attempt. @default `new ConstantBackoff(0)` */
  readonly backoff: BackoffStrategy;
  /** What the model may correct, by name or class; `'ReducerError'` lets a failed reducer be told without ending the attempts. @default `['ToolValidationError', 'StructuredOutputError']` */
  readonly retryableErrors: readonly ErrorType[];
  /** Whether the model is told how many attempts it has, and the session keeps `RetryFeedback`. @default true */
  readonly emitFeedback: boolean;
  /** No attempt is asked for that could only begin this long after the first failure; for planners short of time. @default `null`: no limit */
  readonly timeBudgetSeconds: number | null;
}

/** A part of a policy: one of its layers. What is `undefined` is left to the layers below. */
export type RetryPolicyLayer = { readonly [Part in keyof RetryPolicy]?: RetryPolicy[Part] | undefined };

/** The policy without any layer: 3 attempts without delay, for invalid arguments and structured outputs. */
export const retryPolicyDefaults: RetryPolicy = Object.freeze({
  maxAttempts: 3,
  backoff: Object.freeze(new ConstantBackoff(0)),
  retryableErrors: Object.freeze(['ToolValidationError', 'StructuredOutputError']),
  emitFeedback: true,
  timeBudgetSeconds: null,
});

const policyFields: Fields = {
  maxAttempts: ['a whole number, 1 or more', 1, Infinity, true],
  backoff: (value, field) => {
    if (typeof (value as BackoffStrategy | null)?.delaySeconds !== 'function')
      refuse(field, value, 'a strategy such as new LinearBackoff(1, 1)', 'backoff');
  },
  retryableErrors: (value, field) => {
    if (!Array.isArray(value) || value.some((type) => nameOf(type as ErrorType) === undefined))
      refuse(field, value, 'an array of error names or classes', 'array');
  },
  emitFeedback: (value, field) => {
    if (typeof value !== 'boolean') refuse(field, value, 'true or false', 'boolean');
  },
  timeBudgetSeconds: (value, field) => {
    if (value !== null && !(typeof value === 'number' && value >= 0))
      refuse(field, value, 'a number of seconds, 0 or more, or null', 'number');
  },
};

/** @throws TypeError | RangeError naming the field (with `where` in front), the value and the fix. */
export function checkRetryPolicy(policy: RetryPolicyLayer, where: string): void {
  checkFields(policyFields, policy, where, suggest);
}

/** Lays layers over the defaults: global, tool, call; the most specific wins (docs/specification.md#s2-policy). */
export function mergeRetryPolicies(...layers: readonly (RetryPolicyLayer | undefined)[]): RetryPolicy {
  return layers.reduce<RetryPolicy>(
    (merged, layer) => (layer ? { ...merged, ...(withoutUndefined(layer) as Partial<RetryPolicy>) } : merged),
    retryPolicyDefaults,
  );
}

/** A failed attempt, as the decision sees it. */
export interface ValidationFailure {
  /** From 1. */
  readonly attempt: number;
  /** Name of the error. */
  readonly errorType: string;
  /** Since the first failure of the action. */
  readonly elapsedSeconds: number;
  /** A reducer failed at it. */
  readonly reducerFailed: boolean;
  /** Seed that is passed to the backoff strategy; the same for the same action of the same service. */
  readonly seed: string;
}

/** The decision about a failed attempt: retry after a delay in seconds, or stop, and why. */
export type ValidationDecision =
  | { readonly retry: true; readonly delaySeconds: number }
  | { readonly retry: false; readonly stoppedBy: ValidationStop };

/** Whether the model gets another attempt, and after how long. */
export function decideValidationRetry(policy: RetryPolicy, failure: ValidationFailure): ValidationDecision {
  const { attempt, errorType, elapsedSeconds, reducerFailed, seed } = failure;
  if (!isRetryable(policy, errorType)) return { retry: false, stoppedBy: 'not_retryable' };
  if (reducerFailed && !isRetryable(policy, 'ReducerError')) return { retry: false, stoppedBy: 'reducer_error' };
  if (attempt >= policy.maxAttempts) return { retry: false, stoppedBy: 'attempts' };
  const delaySeconds = safeDelay(policy.backoff, attempt, seed);
  const budget = policy.timeBudgetSeconds;
  if (budget !== null && elapsedSeconds + delaySeconds >= budget) return { retry: false, stoppedBy: 'time_budget' };
  return { retry: true, delaySeconds };
}

export function isRetryable({ retryableErrors }: RetryPolicy, errorType: string): boolean {
  return retryableErrors.some((type) => nameOf(type) === errorType);
}

function nameOf(type: ErrorType): string | undefined {
  const name =
    typeof type === 'string' ? type : (typeof type === 'object' && type !== null) || typeof type === 'function' ? type.name : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Growth without end is cut here. */
const LONGEST_SECONDS = 86_400;

function ignore(): void {
  // Nobody waits for it.
}

/** A strategy of the user's own may answer anything: what is no delay is none. */
function safeDelay(backoff: BackoffStrategy, attempt: number, seed: string): number {
  try {
    const seconds: unknown = backoff.delaySeconds(attempt, { seed });
    // An answer that comes later is none, and its failure is nobody's.
    callSafely(() => seconds, ignore);
    return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds, LONGEST_SECONDS) : 0;
  } catch {
    return 0;
  }
}
