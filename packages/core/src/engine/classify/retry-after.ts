/**
 * Owns the formats in which servers and clients state how long to wait. Does not own whether to honour them.
 *
 * 1. Never less than requested: fractions are rounded up, and where two values disagree the longer one counts.
 * 2. A value that cannot be parsed, or is negative, is `undefined`, not 0.
 */
import type { Code } from './layer.ts';
import { headersIn } from './headers.ts';
import type { HeaderMap } from './headers.ts';
import { isObject } from '../plain/is-object.ts';

export interface RetryAfterOptions {
  /** Wall clock, in ms: the reference for dates and epochs. */
  readonly nowEpochMs: number;
  /** The response was about a limit, so that headers with the reset time of a limit count too. @default false */
  readonly rateLimited?: boolean;
}

const firstEpochSeconds = 1e9;
const firstEpochMs = 1e12;

/** A unit by the beginning of its name: `ms` and `milliseconds`, otherwise by its first letter. */
const unitMs = (unit: string): number =>
  /^m(?:s|illi)/i.test(unit) ? 1 : ({ s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit.charAt(0).toLowerCase()] ?? 1000);

/** A wait in whole ms, if valid. */
function wait(ms: number): number | undefined {
  if (!Number.isFinite(ms) || ms < 0) return undefined;
  return Math.min(Math.ceil(Number(ms.toFixed(3))), Number.MAX_SAFE_INTEGER);
}

const until = (epochMs: number, nowEpochMs: number): number | undefined => wait(Math.max(0, epochMs - nowEpochMs));

/** `1m30s`, `850ms`, `6m0s`, `3.5s`. */
function durationMs(text: string): number | undefined {
  if (text.length > 32 || !/^(?:\d{1,12}(?:\.\d{1,9})?\s?(?:ms|s|m|h|d)){1,5}$/i.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit = ''] of text.matchAll(/([\d.]+)\s?([a-z]+)/gi)) sum += Number(amount) * unitMs(unit);
  return sum;
}

/** HTTP dates in their three formats, and ISO 8601. Without a zone, UTC. */
function dateMs(text: string): number | undefined {
  const isIso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text);
  if (!isIso && !/^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return undefined;
  const isZoned = /(?:gmt|utc|z|[+-]\d\d:?\d\d)$/i.test(text);
  const epochMs = Date.parse(isZoned ? text : `${text}${isIso ? 'Z' : ' GMT'}`);
  return Number.isNaN(epochMs) ? undefined : epochMs;
}

/** A number is seconds to wait, or a point in time when it is large enough to be one. */
function secondsOrEpoch(value: number, nowEpochMs: number): number | undefined {
  if (value >= firstEpochMs) return until(value, nowEpochMs);
  return value >= firstEpochSeconds ? until(value * 1000, nowEpochMs) : wait(value * 1000);
}

/** Digits, with or without a fraction. */
function amountOf(text: string): number | undefined {
  return /^\d{1,16}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
}

/**
 * One value as in a `Retry-After` header or a client's field: seconds, fractions, a date, an epoch, or a duration
 * such as `1m30s`.
 */
export function parseRetryAfter(value: string | number, nowEpochMs: number, serverEpochMs: number = nowEpochMs): number | undefined {
  const text = String(value).trim();
  const amount = typeof value === 'number' ? value : amountOf(text);
  if (amount !== undefined) return secondsOrEpoch(amount, nowEpochMs);
  const duration = durationMs(text);
  if (duration !== undefined) return wait(duration);
  const date = dateMs(text);
  return date === undefined ? undefined : until(date, serverEpochMs);
}

const milliseconds = (value: string | number): number | undefined => wait(amountOf(String(value)) ?? Number.NaN);

/** The longer of two waits. */
export const longest = (wait: number | undefined, other: number | undefined): number | undefined =>
  wait === undefined || (other !== undefined && other > wait) ? other : wait;

const nameInMs = /^(?:retry-after|x-ms-retry-after|grpc-retry-pushback)-ms$|^x-amz-retry-after$/;

/** The wait that response headers ask for, in ms: `Retry-After` in all its forms, else, for limits, when they reset. */
export function retryAfterOf(headers: unknown, options: RetryAfterOptions): number | undefined {
  return isObject(headers) ? retryAfterOfHeaders(headersIn(headers), options.nowEpochMs, options.rateLimited ?? false) : undefined;
}

export function retryAfterOfHeaders(headers: HeaderMap, nowEpochMs: number, rateLimited: boolean): number | undefined {
  let precise: number | undefined;
  let reset: number | undefined;
  for (const [name, value] of headers) {
    if (nameInMs.test(name)) precise = longest(precise, milliseconds(value));
    if (rateLimited && name.includes('rate')) reset = longest(reset, untilReset(name, value, headers, nowEpochMs));
  }
  const header = headers.get('retry-after');
  const isDate = header !== undefined && header.length > 16;
  const stated =
    header === undefined ? undefined : parseRetryAfter(header, nowEpochMs, isDate ? dateMs(headers.get('date') ?? '') : undefined);
  if (precise !== undefined && (stated === undefined || stated - precise < 1000)) return precise;
  return stated ?? reset;
}

/** `x-ratelimit-reset` in its many spellings, when the matching `remaining` header is 0. */
function untilReset(name: string, value: string, headers: HeaderMap, nowEpochMs: number): number | undefined {
  if (name === 'ratelimit') return structuredReset(value);
  if (!/rate-?limit.*-reset/.test(name)) return undefined;
  const left = headers.get(name.replace(/reset(?:-after)?/, 'remaining'));
  return left === undefined || Number(left) <= 0 ? parseRetryAfter(value, nowEpochMs) : undefined;
}

/** `"default";r=0;t=30` and the older `limit=100, remaining=0, reset=30`. */
function structuredReset(header: string): number | undefined {
  let asked: number | undefined;
  for (const policy of header.split(',')) {
    const seconds = /(?:;|^|\s)(?:t|reset)=(\d{1,9})/.exec(policy)?.[1];
    if (seconds !== undefined && !/;\s?r=[1-9]/.test(policy)) asked = longest(asked, wait(Number(seconds) * 1000));
  }
  return asked;
}

const fieldInMs = /ms$|millis|^timeToReset$|BeforeNext/i;

/** The wait in a client's own fields; when one is in ms, those in seconds are not read. */
export function retryAfterOfFields(waits: readonly Code[], nowEpochMs: number): number | undefined {
  const isPrecise = waits.some(({ field }) => fieldInMs.test(field));
  let asked: number | undefined;
  for (const { field, value } of waits) {
    if (!isPrecise) asked = longest(asked, parseRetryAfter(value, nowEpochMs));
    else if (fieldInMs.test(field)) asked = longest(asked, milliseconds(value));
  }
  return asked;
}

const waitPhrases =
  /(?:retry|try|wait|again)[^.\d]{0,40}?\b(?:after|in|for|within)\s(?:about |approximately )?(\d{1,9}(?:\.\d{1,9})?)\s?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)(?:(\d{1,5}(?:\.\d{1,9})?)s)?\b/i;

/** The wait that a message asks for: `Please try again in 1.898s`. */
export function retryAfterOfText(text: string): number | undefined {
  const [, amount, unit = '', seconds = 0] = waitPhrases.exec(text) ?? [];
  return amount === undefined ? undefined : wait(Number(amount) * unitMs(unit) + Number(seconds) * 1000);
}
