/**
 * Owns the policy of validation retries (docs/specification.md#s2-policy): its fields, its three layers, and the decision about a failed attempt.
 *
 * Invariant: the decision depends only on the attempt, the failure, the policy and the elapsed time.
 */
import { checkOptions } from '../../engine/settings/check-options.ts';
import { callSafely } from '../../runtime/service/call-safely.ts';
import type { Fields } from '../../engine/settings/check.ts';
import { refuse } from '../../engine/settings/check.ts';
import type { ValidationStop } from '../../engine/trace/events.ts';
import type { BackoffStrategy } from './backoff-strategies.ts';
import { ConstantBackoff } from './backoff-strategies.ts';
import { withoutUndefined } from '../../engine/plain/without-undefined.ts';

/** The name of an error, or its class. */
export type ErrorType = string | { readonly name: string };

/** How often and when a model may correct invalid arguments or outputs (docs/specification.md#s2-policy). */
export interface RetryPolicy {
  /** Maximum attempts, including the first; 1 disables retries. @default 3 */
  readonly maxAttempts: number;
  /** Delay before a further attempt. @default `new ConstantBackoff(0)` */
  readonly backoff: BackoffStrategy;
  /** Errors that the model may correct, by name or class; with `'ReducerError'` a failed reducer is reported without ending the attempts. @default `['ToolValidationError', 'StructuredOutputError']` */
  readonly retryableErrors: readonly ErrorType[];
  /** Whether the answer states how many attempts there are, and the session keeps `RetryFeedback`. @default true */
  readonly emitFeedback: boolean;
  /** No further attempt begins later than this after the first failure. @default `null`: no limit */
  readonly timeBudgetSeconds: number | null;
}

/** One layer of a policy. Fields that are `undefined` come from the layers below. */
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
  emitFeedback: 'boolean',
  timeBudgetSeconds: (value, field) => {
    if (value !== null && !(typeof value === 'number' && value >= 0))
      refuse(field, value, 'a number of seconds, 0 or more, or null', 'number');
  },
};

/** @throws TypeError | RangeError that names the field (prefixed with `where`), the value and the fix */
export function checkRetryPolicy(policy: RetryPolicyLayer, where: string): void {
  checkOptions(policyFields, policy, where);
}

/**
 * Merges layers over the defaults: global, tool, call; the most specific wins (docs/specification.md#s2-policy).
 * @throws TypeError | RangeError that names the field, the value and the fix
 */
export function mergeRetryPolicies(...layers: readonly (RetryPolicyLayer | undefined)[]): RetryPolicy {
  for (const [index, layer] of layers.entries()) if (layer !== undefined) checkRetryPolicy(layer, `mergeRetryPolicies: layer ${index + 1}`);
  return layers.reduce<RetryPolicy>(
    (merged, layer) => (layer ? { ...merged, ...(withoutUndefined(layer) as Partial<RetryPolicy>) } : merged),
    retryPolicyDefaults,
  );
}

/** A failed attempt, as input of the decision. */
export interface ValidationFailure {
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Name of the error. */
  readonly errorType: string;
  /** Seconds since the first failure of the action. */
  readonly elapsedSeconds: number;
  /** Whether a reducer failed at the action. */
  readonly reducerFailed: boolean;
  /** Seed that is passed to the backoff strategy; the same for the same action of the same service. */
  readonly seed: string;
}

/** The decision about a failed attempt: retry after a delay in seconds, or stop, and why. */
export type ValidationDecision =
  | { readonly retry: true; readonly delaySeconds: number }
  | { readonly retry: false; readonly stoppedBy: ValidationStop };

/** Decides whether the model gets another attempt, and after which delay. */
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

const MAX_DELAY_SECONDS = 86_400;

function ignore(): void {
  // The result of a promise is not used.
}

/** A custom strategy may return anything: any value but a positive number means no delay. */
function safeDelay(backoff: BackoffStrategy, attempt: number, seed: string): number {
  try {
    const seconds: unknown = backoff.delaySeconds(attempt, { seed });
    // A promise is no delay; its rejection is ignored.
    callSafely(() => seconds, ignore);
    return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds, MAX_DELAY_SECONDS) : 0;
  } catch {
    return 0;
  }
}
