/**
 * Owns which fields settings have and what each may be, as tables for `check.ts`. Does not own their defaults (`profiles.ts`).
 *
 * 1. Plain data and functions only, so that a bundler drops the tables that nobody uses.
 */
import { checkFields, checkRule, refuse, type Fields } from './check.ts';

export const retryFields: Fields = {
  strategy: ['exponential_backoff', 'linear_backoff', 'constant_backoff'],
  initialDelayMs: 'delay',
  maxDelayMs: 'longDelay',
  multiplier: 'factor',
  stepMs: 'delay',
  jitter: ['proportional', 'full', 'equal', 'decorrelated', 'none'],
  jitterPercent: 'percentage',
  maxAttempts: 'count',
  maxTotalTimeMs: 'longDelay',
};

const rateFields: Fields = {
  windowMs: 'period',
  minimumCalls: 'count',
  failureRate: 'share',
  slowCallMs: 'period',
  slowCallRate: 'share',
};

export const breakerFields: Fields = {
  count: ['attempt', 'call'],
  failureThreshold: 'count',
  successThreshold: 'count',
  openMs: 'period',
  probeLeaseMs: 'period',
  permanentProbeLimit: 'count',
  rate: rateFields,
};

export const concurrencyFields: Fields = { limit: 'count', queue: 'wholeFromZeroOrNoLimit' };
export const rateLimitFields: Fields = { limit: 'rateLimit', windowMs: 'period' };
export const retryBudgetFields: Fields = { ratio: 'shareOfCalls', floor: 'retries', windowMs: 'period' };

export const effects: readonly string[] = ['read', 'idempotent', 'unsafe'];

/** The second detector as it must be in the end: complete, and a share of slow calls only where it is said what is slow. */
export function checkRate(rate: unknown, field: string): void {
  const slow = (rate as { readonly slowCallRate?: unknown } | null)?.slowCallRate !== undefined;
  checkFields(rateFields, rate, field, ['windowMs', 'minimumCalls', 'failureRate', ...(slow ? ['slowCallMs'] : [])]);
}

export const toolFields: Fields = {
  timeoutMs: 'period',
  abandonMs: 'longDelay',
  retry: retryFields,
  breaker: (value, field) => orFalse(breakerFields, value, field),
  concurrency: (value, field) => orFalse(concurrencyFields, value, field),
  rateLimit: (value, field) => orFalse(rateLimitFields, value, field),
  retryBudget: (value, field) => orFalse(retryBudgetFields, value, field),
  hedge: (value, field) => orFalse(hedgeFields, value, field),
  effect: effects,
  alternatives: (value, field) => {
    if (!Array.isArray(value) || value.some((name) => typeof name !== 'string' || name === ''))
      refuse(field, value, 'an array of tool names');
  },
  acceptPartial: (value, field) => {
    if (typeof value !== 'boolean') refuse(field, value, 'true or false');
  },
  fallback: (value, field) => {
    if (typeof value !== 'object' || value === null || !('value' in value))
      refuse(field, value, 'an object { value } holding what stands in for the output');
  },
  maxOutputChars: 'characters',
};

const hedgeFields: Fields = {
  afterMs: (value, field) => {
    if (value !== 'p95') checkRule('period', value, field);
  },
  maxHedges: 'count',
};

export const turnFields: Fields = {
  timeoutMs: (value, field) => {
    if (value !== null) checkRule('period', value, field);
  },
  concurrency: 'countOrNoLimit',
  onDeadline: ['detach', 'abort'],
  maxRetries: (value, field) => {
    if (value !== null) checkRule('wholeFromZero', value, field);
  },
};

function orFalse(fields: Fields, value: unknown, field: string): void {
  if (value !== false) checkFields(fields, value, field);
}
