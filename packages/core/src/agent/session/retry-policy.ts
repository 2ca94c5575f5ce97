/**
 * Owns merging the layers of the policy of validation retries (docs/specification.md#s2-policy), and the decision about a failed attempt. Does not own its fields
 * (`../../engine/settings/validation-retries.ts`).
 *
 * Invariant: the decision depends only on the attempt, the failure, the policy and the elapsed time.
 */
import { checkOptions } from '../../engine/settings/check-options.ts';
import type { Fields } from '../../engine/settings/check.ts';
import { count } from '../../engine/settings/fields.ts';
import { callSafely } from '../../engine/plain/call-safely.ts';
import type { ValidationStop } from '../../engine/trace/events.ts';
import { withoutUndefined } from '../../engine/plain/without-undefined.ts';
import type { BackoffStrategy, RetryPolicy, RetryPolicyLayer } from '../../engine/settings/validation-retries.ts';
import { checkRetryPolicy, errorTypeName, retryPolicyFields } from '../../engine/settings/validation-retries.ts';
import { ConstantBackoff } from './backoff-strategies.ts';

/** A policy with every field. */
export interface MergedRetryPolicy extends RetryPolicy {
  /** Whether the answer states how many attempts there are, and the session keeps `RetryFeedback`. */
  readonly emitFeedback: boolean;
  /** No further attempt begins later than this after the first failure; `null`: no limit. */
  readonly timeBudgetSeconds: number | null;
}

/** The policy without any layer: 3 attempts without delay, for invalid arguments and structured outputs. */
export const retryPolicyDefaults: MergedRetryPolicy = Object.freeze({
  maxAttempts: 3,
  backoff: Object.freeze(new ConstantBackoff(0)),
  retryableErrors: Object.freeze(['ToolValidationError', 'StructuredOutputError']),
  emitFeedback: true,
  timeBudgetSeconds: null,
});

/**
 * Merges layers over the defaults: global, tool, call; the most specific wins (docs/specification.md#s2-policy).
 * @throws TypeError | RangeError that names the field, the value and the fix
 */
export function mergeRetryPolicies(...layers: readonly (RetryPolicyLayer | undefined)[]): MergedRetryPolicy {
  for (const [index, layer] of layers.entries()) if (layer !== undefined) checkRetryPolicy(layer, `mergeRetryPolicies: layer ${index + 1}`);
  return layers.reduce<MergedRetryPolicy>(
    (merged, layer) => (layer ? { ...merged, ...(withoutUndefined(layer) as Partial<MergedRetryPolicy>) } : merged),
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

const failureFields: Fields = {
  attempt: count,
  errorType: 'string',
  elapsedSeconds: ['a number of seconds, 0 or more', 0, Infinity],
  reducerFailed: 'boolean',
  seed: 'string',
};

/** Decides whether the model gets another attempt, and after which delay. */
export function decideValidationRetry(policy: RetryPolicy, failure: ValidationFailure): ValidationDecision {
  checkOptions(retryPolicyFields, policy, 'decideValidationRetry: policy', ['maxAttempts', 'backoff', 'retryableErrors']);
  checkOptions(failureFields, failure, 'decideValidationRetry: failure', Object.keys(failureFields));
  const { attempt, errorType, elapsedSeconds, reducerFailed, seed } = failure;
  if (!isRetryable(policy, errorType)) return { retry: false, stoppedBy: 'not_retryable' };
  if (reducerFailed && !isRetryable(policy, 'ReducerError')) return { retry: false, stoppedBy: 'reducer_error' };
  if (attempt >= policy.maxAttempts) return { retry: false, stoppedBy: 'attempts' };
  const delaySeconds = safeDelay(policy.backoff, attempt, seed);
  const { timeBudgetSeconds: budget = null } = policy;
  if (budget !== null && elapsedSeconds + delaySeconds >= budget) return { retry: false, stoppedBy: 'time_budget' };
  return { retry: true, delaySeconds };
}

export function isRetryable({ retryableErrors }: RetryPolicy, errorType: string): boolean {
  return retryableErrors.some((type) => errorTypeName(type) === errorType);
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
