/**
 * Owns the fields of a policy of validation retries (docs/specification.md#s2-policy), which tools, agent runs and calls carry, and their check. Does not own the
 * strategies, the merging of layers or the decision (`../../agent/session`).
 */
import { suggest } from '../plain/suggest.ts';
import { checkOptions } from './check-options.ts';
import { refuse, type Fields } from './check.ts';

/** Inputs of a backoff strategy besides the number of the attempt. */
export interface BackoffOptions {
  /** The only source of randomness, for custom strategies with jitter. */
  readonly seed?: string | undefined;
}

/** How long to wait after a failed attempt (docs/specification.md#s2-backoff). */
export interface BackoffStrategy {
  /**
   * Returns the delay before the next attempt, in seconds. Any value but a positive number means no delay.
   * @param attempt the attempt that failed, from 1
   */
  delaySeconds(attempt: number, options?: BackoffOptions): number;
}

/** The name of an error, or its class. */
export type ErrorType = string | { readonly name: string };

/** About validation, not about execution: how often and when a model may correct invalid arguments or outputs (docs/specification.md#s2-policy). */
export interface RetryPolicy {
  /** Maximum attempts, including the first; 1 disables retries. @default 3 */
  readonly maxAttempts: number;
  /** Delay before a further attempt. @default `new ConstantBackoff(0)` */
  readonly backoff: BackoffStrategy;
  /** Errors that the model may correct, by name or class; with `'ReducerError'` a failed reducer is reported without ending the attempts. @default `['ToolValidationError', 'StructuredOutputError']` */
  readonly retryableErrors: readonly ErrorType[];
  /** Whether the answer states how many attempts there are, and the session keeps `RetryFeedback`. @default true */
  readonly emitFeedback?: boolean | undefined;
  /** No further attempt begins later than this after the first failure. @default `null`: no limit */
  readonly timeBudgetSeconds?: number | null | undefined;
}

/** One layer of a policy. Fields that are `undefined` come from the layers below. */
export type RetryPolicyLayer = { readonly [Part in keyof RetryPolicy]?: RetryPolicy[Part] | undefined };

/** The errors of this library that a policy can name; others are those of own schemas and reducers. */
const validationErrors: readonly string[] = ['ToolValidationError', 'StructuredOutputError', 'ReducerError'];

/** The settings of validation retries, each with its rule. */
export const retryPolicyFields: Fields = {
  maxAttempts: ['a whole number, 1 or more', 1, Infinity, true],
  backoff: (value, field) => {
    if (typeof (value as BackoffStrategy | null)?.delaySeconds !== 'function')
      refuse(field, value, 'a strategy such as new LinearBackoff(1, 1)', 'backoff');
  },
  retryableErrors: (value, field) => {
    if (!Array.isArray(value) || value.some((type) => errorTypeName(type as ErrorType) === undefined))
      refuse(field, value, 'an array of error names or classes', 'array');
    for (const type of value as readonly ErrorType[]) {
      const name = errorTypeName(type) ?? '';
      const nearest = validationErrors.includes(name) ? undefined : suggest(name, validationErrors);
      if (nearest !== undefined) throw new RangeError(`${field} names '${name}'. Did you mean '${nearest}'?`);
    }
  },
  emitFeedback: 'boolean',
  timeBudgetSeconds: (value, field) => {
    if (value !== null && !(typeof value === 'number' && value >= 0))
      refuse(field, value, 'a number of seconds, 0 or more, or null', 'number');
  },
};

/** @throws TypeError | RangeError that names the field (prefixed with `where`), the value and the fix */
export function checkRetryPolicy(policy: RetryPolicyLayer, where: string): void {
  checkOptions(retryPolicyFields, policy, where);
}

/** The name that an error type is compared by; `undefined` for what names no error. */
export function errorTypeName(type: ErrorType): string | undefined {
  const name =
    typeof type === 'string' ? type : (typeof type === 'object' && type !== null) || typeof type === 'function' ? type.name : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
