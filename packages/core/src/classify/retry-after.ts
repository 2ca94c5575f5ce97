/**
 * Owns the forms in which servers and clients say how long to wait. Does not own whether anyone should listen.
 *
 * 1. Never less than was asked: fractions are rounded up, and where two forms disagree the longer counts.
 * 2. What cannot be understood, or lies in the past by its sign, is `undefined`, not 0.
 */
import type { Code } from './evidence.ts';
import { headersIn } from './headers.ts';
import type { HeaderLookup } from './headers.ts';
import { isObject } from './reading.ts';

export interface RetryAfterOptions {
  /** Wall clock, in ms: dates and epochs are measured from it. */
  readonly nowEpochMs: number;
  /** The answer was about a limit, so that the headers that say when limits reset count too. @default false */
  readonly rateLimited?: boolean;
}

const firstEpochSeconds = 1e9;
const firstEpochMs = 1e12;

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A wait in whole ms, or nothing. */
function wait(ms: number): number | undefined {
  if (!Number.isFinite(ms) || ms < 0) return undefined;
  return Math.min(Math.ceil(Number(ms.toFixed(3))), Number.MAX_SAFE_INTEGER);
}

const until = (epochMs: number, nowEpochMs: number): number | undefined => wait(Math.max(0, epochMs - nowEpochMs));

/** `1m30s`, `850ms`, `6m0s`, `3.5s`. */
function durationMs(text: string): number | undefined {
  if (text.length > 32 || !/^(?:\d{1,12}(?:\.\d{1,9})?\s?(?:ms|s|m|h|d)){1,5}$/i.test(text)) return undefined;
  const parts = text.toLowerCase().matchAll(/(\d+(?:\.\d+)?)\s?(ms|s|m|h|d)/g);
  return [...parts].reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ''] ?? 0), 0);
}

/** HTTP dates in their three forms, and ISO 8601. Whoever names no zone means UTC. */
function dateMs(text: string): number | undefined {
  const isIso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text);
  if (!isIso && !/^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return undefined;
  const isZoned = /(?:gmt|utc|z|[+-]\d\d:?\d\d)$/i.test(text);
  const epochMs = Date.parse(isZoned ? text : `${text}${isIso ? 'Z' : ' GMT'}`);
  return Number.isNaN(epochMs) ? undefined : epochMs;
}

/** A number is seconds to wait, or a moment when it is large enough to be one. */
function secondsOrEpoch(value: number, nowEpochMs: number): number | undefined {
  if (value >= firstEpochMs) return until(value, nowEpochMs);
  if (value >= firstEpochSeconds) return until(value * 1000, nowEpochMs);
  return wait(value * 1000);
}

/**
 * One value as a `Retry-After` header or a client's field has it: seconds, fractions, a date, an epoch, or a duration
 * such as `1m30s`.
 * @param serverEpochMs what the server's clock said, where it did: its dates are measured from it
 */
export function parseRetryAfter(value: string | number, nowEpochMs: number, serverEpochMs?: number): number | undefined {
  if (typeof value === 'number') return secondsOrEpoch(value, nowEpochMs);
  const text = value.trim();
  if (/^\d{1,16}(?:\.\d{1,9})?$/.test(text)) return secondsOrEpoch(Number(text), nowEpochMs);
  const duration = durationMs(text);
  if (duration !== undefined) return wait(duration);
  const date = dateMs(text);
  return date === undefined ? undefined : until(date, serverEpochMs ?? nowEpochMs);
}

const milliseconds = (value: string): number | undefined => (/^\d{1,16}(?:\.\d{1,9})?$/.test(value) ? wait(Number(value)) : undefined);

const inMs: readonly string[] = ['retry-after-ms', 'x-ms-retry-after-ms', 'x-amz-retry-after', 'grpc-retry-pushback-ms'];

/** Headers that say when a limit resets, each with the one that says what is left of it. */
const resets: readonly (readonly [string, string])[] = [
  ['x-ratelimit-reset-after', 'x-ratelimit-remaining'],
  ['x-ratelimit-reset', 'x-ratelimit-remaining'],
  ['ratelimit-reset', 'ratelimit-remaining'],
  ['x-rate-limit-reset', 'x-rate-limit-remaining'],
  ['x-ratelimit-reset-requests', 'x-ratelimit-remaining-requests'],
  ['x-ratelimit-reset-tokens', 'x-ratelimit-remaining-tokens'],
  ['anthropic-ratelimit-requests-reset', 'anthropic-ratelimit-requests-remaining'],
  ['anthropic-ratelimit-tokens-reset', 'anthropic-ratelimit-tokens-remaining'],
  ['anthropic-ratelimit-input-tokens-reset', 'anthropic-ratelimit-input-tokens-remaining'],
  ['anthropic-ratelimit-output-tokens-reset', 'anthropic-ratelimit-output-tokens-remaining'],
];

const longest = (waits: readonly (number | undefined)[]): number | undefined => {
  const known = waits.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
};

/** What response headers ask to wait, in ms: `Retry-After` in all its forms, else, for limits, when they reset. */
export function retryAfterOf(headers: unknown, options: RetryAfterOptions): number | undefined {
  if (!isObject(headers)) return undefined;
  const { nowEpochMs, rateLimited = false } = options;
  const headerOf = headersIn(headers);
  const precise = longest(inMs.map((name) => milliseconds(headerOf(name) ?? '')));
  const date = dateMs(headerOf('date') ?? '');
  const stated = parseRetryAfter(headerOf('retry-after') ?? '', nowEpochMs, date);
  if (precise !== undefined && (stated === undefined || stated - precise < 1000)) return precise;
  if (stated !== undefined) return stated;
  return rateLimited ? untilReset(headerOf, nowEpochMs) : undefined;
}

function untilReset(headerOf: HeaderLookup, nowEpochMs: number): number | undefined {
  const waits = resets.map(([reset, remaining]) => {
    const left = headerOf(remaining);
    const isUsedUp = left === undefined || Number(left) <= 0;
    return isUsedUp ? parseRetryAfter(headerOf(reset) ?? '', nowEpochMs) : undefined;
  });
  return longest([...waits, structuredReset(headerOf('ratelimit') ?? '')]);
}

/** `"default";r=0;t=30` and the older `limit=100, remaining=0, reset=30`. */
function structuredReset(header: string): number | undefined {
  const policies = header.split(',').filter((policy) => !/;\s?r=[1-9]/.test(policy));
  return longest(policies.map((policy) => wait(Number(/(?:;|^|\s)(?:t|reset)=(\d{1,9})/.exec(policy)?.[1] ?? Number.NaN) * 1000)));
}

/** What a client's own fields ask to wait; where one is in ms, those in seconds are not read. */
export function retryAfterOfFields(hints: readonly Code[], nowEpochMs: number): number | undefined {
  const inMilliseconds = hints.filter(({ field }) => /ms$|millis|InMs|^timeToReset$|BeforeNext/i.test(field));
  if (inMilliseconds.length > 0) return longest(inMilliseconds.map(({ value }) => milliseconds(String(value))));
  return longest(hints.map(({ value }) => parseRetryAfter(value, nowEpochMs)));
}

const spoken =
  /(?:retry|try|wait|again)[^.\d]{0,40}?\b(?:after|in|for|within)\s(?:about |approximately )?(\d{1,9}(?:\.\d{1,9})?)\s?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)(?:(\d{1,5}(?:\.\d{1,9})?)s)?\b/i;

/** What a message asks to wait: `Please try again in 1.898s`. */
export function retryAfterOfText(text: string): number | undefined {
  const [, amount, unit = '', seconds] = spoken.exec(text) ?? [];
  if (amount === undefined) return undefined;
  const lower = unit.toLowerCase();
  const factor = lower.startsWith('ms') || lower.startsWith('milli') ? 1 : unitMs[lower.slice(0, 1)];
  return wait(Number(amount) * (factor ?? 1000) + Number(seconds ?? 0) * 1000);
}
