/**
 * Owns the checks of settings given in code. Every refusal names the field, its value and the mend. Manifests are checked with positions by
 * `@holdfast/manifest` before they come here.
 */
import { suggest } from '../text/suggest.ts';
import type { CallPolicy, ToolPolicy, TurnSettings } from './settings.ts';

type Check = (value: unknown, field: string) => void;

function fail(field: string, value: unknown, mend: string): never {
  throw new RangeError(`${field} must be ${mend}, got ${show(value)}.`);
}

function show(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return String(value);
}

const number =
  (minimum: number, mend: string, { integer = false, infinite = false }: { integer?: boolean; infinite?: boolean } = {}): Check =>
  (value, field) => {
    const fits =
      typeof value === 'number' &&
      value >= minimum &&
      (infinite || Number.isFinite(value)) &&
      (!integer || !Number.isFinite(value) || Number.isInteger(value));
    if (!fits) fail(field, value, mend);
  };

const milliseconds: Check = number(0, 'a number of milliseconds, 0 or more');
const positiveMilliseconds: Check = number(Number.MIN_VALUE, 'a number of milliseconds above 0', { infinite: true });
const count: Check = number(1, 'a whole number, 1 or more', { integer: true });
const share: Check = (value, field) => {
  if (typeof value !== 'number' || !(value > 0) || value > 1) fail(field, value, 'a share above 0 and at most 1');
};
const boolean: Check = (value, field) => {
  if (typeof value !== 'boolean') fail(field, value, 'true or false');
};
const oneOf =
  (...allowed: readonly string[]): Check =>
  (value, field) => {
    if (typeof value === 'string' && allowed.includes(value)) return;
    const nearest = typeof value === 'string' ? suggest(value, allowed) : undefined;
    fail(field, value, `one of ${allowed.join(', ')}${nearest ? ` (did you mean '${nearest}'?)` : ''}`);
  };

/** Checks the named fields of a settings object; unknown names are refused with the nearest known one. */
function shape(fields: Readonly<Record<string, Check>>): Check {
  return (value, field) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(field, value, 'an object');
    for (const [name, part] of Object.entries(value)) {
      const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (!check) throw new TypeError(`${field} has no setting '${name}'.${hint(name, Object.keys(fields))}`);
      if (part !== undefined) check(part, `${field}.${name}`);
    }
  };
}

function hint(name: string, known: readonly string[]): string {
  const nearest = suggest(name, known);
  return nearest ? ` Did you mean '${nearest}'?` : ` Known: ${known.join(', ')}.`;
}

const orFalse =
  (check: Check): Check =>
  (value, field) => {
    if (value !== false) check(value, field);
  };

const toolPolicy: Check = shape({
  timeoutMs: positiveMilliseconds,
  abandonMs: number(0, 'a number of milliseconds, 0 or more', { infinite: true }),
  retry: shape({
    strategy: oneOf('exponential_backoff', 'linear_backoff', 'constant_backoff'),
    initialDelayMs: milliseconds,
    maxDelayMs: number(0, 'a number of milliseconds, 0 or more', { infinite: true }),
    multiplier: number(1, 'a number, 1 or more'),
    stepMs: milliseconds,
    jitter: oneOf('proportional', 'full', 'equal', 'decorrelated', 'none'),
    jitterPercent: (value, field) => {
      if (typeof value !== 'number' || !(value >= 0) || value > 100) fail(field, value, 'a percentage from 0 to 100');
    },
    maxAttempts: count,
    maxTotalTimeMs: number(0, 'a number of milliseconds, 0 or more', { infinite: true }),
  }),
  breaker: orFalse(
    shape({
      count: oneOf('attempt', 'call'),
      failureThreshold: count,
      successThreshold: count,
      openMs: positiveMilliseconds,
      probeLeaseMs: positiveMilliseconds,
      permanentProbeLimit: count,
      rate: shape({
        windowMs: positiveMilliseconds,
        minimumCalls: count,
        failureRate: share,
        slowCallMs: positiveMilliseconds,
        slowCallRate: share,
      }),
    }),
  ),
  concurrency: orFalse(shape({ limit: count, queue: number(0, 'a whole number, 0 or more', { integer: true, infinite: true }) })),
  rateLimit: orFalse(
    shape({
      limit: (value, field) => {
        count(value, field);
        if ((value as number) > 100_000) fail(field, value, 'at most 100000');
      },
      windowMs: positiveMilliseconds,
    }),
  ),
  retryBudget: orFalse(
    shape({
      ratio: number(0, 'a share of the calls, 0 or more'),
      floor: number(0, 'a number of retries, 0 or more'),
      windowMs: positiveMilliseconds,
    }),
  ),
  hedge: orFalse(
    shape({
      afterMs: (value, field) => {
        if (value !== 'p95') positiveMilliseconds(value, field);
      },
      maxHedges: count,
    }),
  ),
  effect: oneOf('read', 'idempotent', 'unsafe'),
  alternatives: (value, field) => {
    if (!Array.isArray(value) || value.some((name) => typeof name !== 'string' || name === ''))
      fail(field, value, 'an array of tool names');
  },
  acceptPartial: boolean,
  fallback: (value, field) => {
    if (typeof value !== 'object' || value === null || !('value' in value))
      fail(field, value, 'an object { value } holding what stands in for the output');
  },
  maxOutputChars: number(1, 'a number of characters, 1 or more', { infinite: true }),
});

const turnSettings: Check = shape({
  timeoutMs: (value, field) => {
    if (value !== null) positiveMilliseconds(value, field);
  },
  concurrency: number(1, 'a whole number, 1 or more', { integer: true, infinite: true }),
  onDeadline: oneOf('detach', 'abort'),
  maxRetries: (value, field) => {
    if (value !== null) number(0, 'a whole number, 0 or more', { integer: true })(value, field);
  },
});

/** @throws TypeError | RangeError naming the field (with `where` in front), the value and the mend. */
export function checkToolPolicy(policy: ToolPolicy, where: string): void {
  toolPolicy(policy, where);
}

/** Settings of one call. @throws TypeError | RangeError naming the field (with `where` in front), the value and the mend. */
export function checkCallPolicy(policy: CallPolicy, where: string): void {
  for (const name of ['breaker', 'concurrency', 'rateLimit', 'retryBudget']) {
    if (Object.hasOwn(policy, name))
      throw new TypeError(`${where} cannot set '${name}': all calls of a tool share it. Set it on the tool.`);
  }
  toolPolicy(policy, where);
}

/** @throws TypeError | RangeError naming the field (with `where` in front), the value and the mend. */
export function checkTurnSettings(settings: Partial<TurnSettings>, where: string): void {
  turnSettings(settings, where);
}
