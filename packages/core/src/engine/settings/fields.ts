/**
 * Owns which fields settings have and which values each accepts, as tables for `check.ts`. Does not own their defaults (`profiles.ts`).
 *
 * 1. Plain data and functions only, so that a bundler drops unused tables.
 */
import { checkFields, checkNames, checkRule, orFalse, refuse, show, type Fields, type NumberRule } from './check.ts';

const largest = Number.MAX_VALUE;
const smallest = Number.MIN_VALUE;
const wait = 'a number of milliseconds, 0 or more';
const fromOne = 'a whole number, 1 or more';

/** The rule of a wait that ends: milliseconds, 0 or more, finite. */
export const delay: NumberRule = [wait, 0, largest];
const longDelay: NumberRule = [wait, 0, Infinity];
/** The rule of a time limit or window: milliseconds above 0; `Infinity` means no limit. */
export const period: NumberRule = ['a number of milliseconds above 0', smallest, Infinity];
/** The rule of a count: a finite whole number, 1 or more. */
export const count: NumberRule = [fromOne, 1, largest, true];
const share: NumberRule = ['a share above 0 and at most 1', smallest, 1];

export const retryFields: Fields = {
  strategy: ['exponential_backoff', 'linear_backoff', 'constant_backoff'],
  initialDelayMs: delay,
  maxDelayMs: longDelay,
  multiplier: ['a number, 1 or more', 1, largest],
  stepMs: delay,
  jitter: ['proportional', 'full', 'equal', 'decorrelated', 'none'],
  jitterPercent: ['a percentage from 0 to 100', 0, 100],
  maxAttempts: count,
  maxTotalTimeMs: longDelay,
};

const rateFields: Fields = {
  windowMs: period,
  minimumCalls: count,
  failureRate: share,
  slowCallMs: period,
  slowCallRate: share,
};

export const circuitFields: Fields = {
  failureThreshold: count,
  successThreshold: count,
  openMs: period,
  probeLeaseMs: period,
  permanentProbeLimit: count,
};

/** Fields of a circuit that only a whole gate uses. Bundlers would keep a plain spread, used or not. */
export const breakerFields: Fields = /* @__PURE__ */ gateFields({
  rate: rateFields,
});

function gateFields(own: Fields): Fields {
  return { count: ['attempt', 'call'], ...circuitFields, ...own };
}

export const concurrencyFields: Fields = {
  limit: [fromOne, 1, Infinity, true],
  queue: ['a whole number, 0 or more', 0, Infinity, true],
};
export const rateLimitFields: Fields = { limit: ['a whole number from 1 to 100000', 1, 100_000, true], windowMs: period };
export const retryBudgetFields: Fields = {
  ratio: ['a share of the calls, 0 or more', 0, largest],
  floor: ['a number of retries, 0 or more', 0, largest],
  windowMs: period,
};

export const effects: readonly string[] = ['read', 'idempotent', 'unsafe'];

/** Checks the second detector after merging: it is complete, and has a share of slow calls only when `slowCallMs` is set. */
export function checkRate(rate: unknown, field: string): void {
  const slow = (rate as { readonly slowCallRate?: unknown } | null)?.slowCallRate !== undefined;
  checkFields(rateFields, rate, field, undefined, ['windowMs', 'minimumCalls', 'failureRate', ...(slow ? ['slowCallMs'] : [])]);
}

const hedgeFields: Fields = {
  afterMs: (value, field, guess) => {
    if (value === 'p95') return;
    if (typeof value === 'number') checkRule(period, value, field, guess);
    else refuse(field, value, "a number of milliseconds above 0, or 'p95'", 'string');
  },
  maxHedges: count,
};

/** The settings of a tool, each with its rule. */
export const toolFields: Fields = {
  timeoutMs: period,
  idleTimeoutMs: period,
  abandonMs: longDelay,
  retry: retryFields,
  breaker: /* @__PURE__ */ orFalse(breakerFields),
  concurrency: /* @__PURE__ */ orFalse(concurrencyFields),
  rateLimit: /* @__PURE__ */ orFalse(rateLimitFields),
  retryBudget: /* @__PURE__ */ orFalse(retryBudgetFields),
  hedge: /* @__PURE__ */ orFalse(hedgeFields),
  waitForRecovery: /* @__PURE__ */ orFalse({ maxWaitMs: longDelay }),
  effect: effects,
  assumedEffect: effects,
  unknownFailures: ['retry', 'report'],
  alternatives: (value, field) => {
    if (!Array.isArray(value) || value.some((name) => typeof name !== 'string' || name === ''))
      refuse(field, value, 'an array of tool names', 'array');
  },
  acceptPartial: 'boolean',
  fallback: (value, field) => {
    if (typeof value !== 'object' || value === null || !('value' in value))
      refuse(field, value, 'an object { value } with the output to use instead', 'fallback');
    checkNames({ value: undefined }, value, field);
    const { value: output } = value;
    if (typeof output === 'function' || show(output) === 'a promise') refuse(`${field}.value`, output, 'the output itself', '');
  },
  maxOutputChars: ['a number of characters, 1 or more', 1, Infinity],
};

/** The settings of a turn, each with its rule; `null` means no limit. */
export const turnFields: Fields = {
  timeoutMs: (value, field, guess) => {
    if (value !== null) checkRule(period, value, field, guess);
  },
  concurrency: [fromOne, 1, Infinity, true],
  onDeadline: ['detach', 'abort'],
  maxRetries: (value, field, guess) => {
    if (value !== null) checkRule(['a whole number, 0 or more', 0, largest, true], value, field, guess);
  },
};
