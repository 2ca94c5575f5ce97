import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import { parseRetryAfter, retryAfterOf } from '../../../src/engine/classify/retry-after.ts';
import { errorWith } from './errors.ts';

const nowEpochMs = Date.parse('2026-01-05T10:00:00.250Z');
const options = { nowEpochMs, rateLimited: true };

describe('one value', () => {
  it.each([
    ['7', 7000],
    ['0', 0],
    ['1.5', 1500],
    ['0.0004', 1],
    [' 3 ', 3000],
    ['Mon, 05 Jan 2026 10:01:00 GMT', 59_750],
    ['Monday, 05-Jan-26 10:01:00 GMT', 59_750],
    ['Mon Jan  5 10:01:00 2026', 59_750],
    ['2026-01-05T10:00:10Z', 9750],
    ['2026-01-05T10:00:10', 9750],
    ['Mon, 05 Jan 2026 09:00:00 GMT', 0],
    ['1m30s', 90_000],
    ['6m0s', 360_000],
    ['850ms', 850],
    ['3.5s', 3500],
    [String(Math.floor(nowEpochMs / 1000) + 60), 59_750],
    [String(nowEpochMs + 1500), 1500],
    ['-5', undefined],
    ['soon', undefined],
    ['', undefined],
    ['5 apples', undefined],
    ['NaN', undefined],
    ['1e3', undefined],
  ])('%j', (value, expected) => {
    expect(parseRetryAfter(value, nowEpochMs)).toBe(expected);
  });
  it("measures a date against the server's own clock if it is known", () => {
    const server = Date.parse('2026-01-05T10:30:00Z');
    expect(parseRetryAfter('Mon, 05 Jan 2026 10:30:20 GMT', nowEpochMs, server)).toBe(20_000);
  });
});

describe('headers', () => {
  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'Retry-After': '7' }, 7000],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    [{ 'retry-after-ms': '250', 'retry-after': '60' }, 60_000],
    [{ 'x-ms-retry-after-ms': '1500' }, 1500],
    [{ 'x-amz-retry-after': '1500' }, 1500],
    [{ 'grpc-retry-pushback-ms': '90' }, 90],
    [{ 'grpc-retry-pushback-ms': '-1' }, undefined],
    [{ 'ratelimit-reset': '45', 'ratelimit-remaining': '0' }, 45_000],
    [{ ratelimit: '"default";r=0;t=30' }, 30_000],
    [{ ratelimit: 'limit=100, remaining=0, reset=30' }, 30_000],
    [{ ratelimit: '"a";r=5;t=90, "b";r=0;t=3' }, 3000],
    [{ 'x-ratelimit-reset': String(Math.floor(nowEpochMs / 1000) + 90) }, 89_750],
    [{ 'x-ratelimit-reset': '352' }, 352_000],
    [{ 'x-ratelimit-reset': String(nowEpochMs + 4000) }, 4000],
    [{ 'x-ratelimit-reset-after': '1.337' }, 1337],
    [
      {
        'x-ratelimit-reset-requests': '6m0s',
        'x-ratelimit-remaining-requests': '12',
        'x-ratelimit-reset-tokens': '1s',
        'x-ratelimit-remaining-tokens': '0',
      },
      1000,
    ],
    [{ 'anthropic-ratelimit-requests-reset': '2026-01-05T10:00:10Z', 'anthropic-ratelimit-requests-remaining': '0' }, 9750],
    [{ 'retry-after': 'nonsense' }, undefined],
  ])('%j', (headers, expected) => {
    const asRecord = headers as Readonly<Record<string, string>>;
    expect(retryAfterOf(asRecord, options)).toBe(expected);
    expect(retryAfterOf(new Map(Object.entries(asRecord)), options)).toBe(expected);
    expect(retryAfterOf(Object.entries(asRecord), options)).toBe(expected);
    expect(retryAfterOf(Object.entries(asRecord).flat(), options)).toBe(expected);
  });
  it('does not use the reset of a limit as a wait if the limit was not exceeded', () => {
    expect(retryAfterOf({ 'x-ratelimit-reset': '60' }, { nowEpochMs })).toBeUndefined();
  });
  it('reads Headers, and metadata with lists as values', () => {
    expect(retryAfterOf(new Headers({ 'Retry-After': '2' }), options)).toBe(2000);
    expect(retryAfterOf({ get: (name: string) => (name === 'retry-after' ? ['4'] : []) }, options)).toBe(4000);
  });
});

describe('in a classification', () => {
  const hint = (error: unknown) => classify(error, { nowEpochMs }).retryAfterMs;
  it.each([
    [{ status: 429, headers: { 'retry-after': '7' } }, 7000],
    [{ response: { status: 503, headers: { 'retry-after': '3' } } }, 3000],
    [{ cause: errorWith({ status: 429, headers: { 'retry-after': '5' } }) }, 5000],
    [{ status: 429, retryAfter: 30 }, 30_000],
    [{ status: 429, retryAfterMs: 1234 }, 1234],
    [{ status: 429, retryAfter: 1234, timeToReset: 1234 }, 1234],
    [{ response: { error_code: 429, parameters: { retry_after: 5 } } }, 5000],
    [{ status: 429, errorDetails: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3.5s' }] }, 3500],
    [{ code: 8, metadata: {}, statusDetails: [{ retryDelay: { seconds: '7', nanos: 500_000_000 } }] }, 7500],
    [{ code: 429, body: '{"details":{"retryAfterSeconds":2}}' }, 2000],
    [{ status: 404, headers: { 'retry-after': '7' } }, undefined],
    [{ status: 503, headers: { 'x-ratelimit-reset': '7' } }, undefined],
  ])('%j', (fields, expected) => {
    expect(hint(errorWith(fields, 'no'))).toBe(expected);
  });
  it.each([
    ['Rate limit reached. Please try again in 1.898s.', 1898],
    ['429 Too Many Requests: retry after 30 seconds', 30_000],
    ['Rate limit reached, try again in 6m30s', 390_000],
    ['Rate limit of 30 seconds', undefined],
  ])('%s', (message, expected) => {
    expect(hint(new Error(message))).toBe(expected);
  });
  it('takes the longest of several', () => {
    const limited = (seconds: string) => errorWith({ status: 429, headers: { 'retry-after': seconds } });
    expect(hint(new AggregateError([limited('3'), limited('9')]))).toBe(9000);
  });
});

describe('never less than requested', () => {
  const clock = fc.integer({ min: 1e12, max: 4e12 });
  it('for seconds and fractions', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e6, noNaN: true }), (seconds) => {
        const text = seconds.toFixed(9);
        expect(parseRetryAfter(text, nowEpochMs)).toBeGreaterThanOrEqual(Number(text) * 1000 - 1e-3);
      }),
    );
  });
  it('for dates', () => {
    fc.assert(
      fc.property(clock, fc.integer({ min: 0, max: 1e6 }), (now, seconds) => {
        const target = Math.floor(now / 1000 + seconds) * 1000;
        const wait = parseRetryAfter(new Date(target).toUTCString(), now) ?? -1;
        expect(now + wait).toBeGreaterThanOrEqual(target);
      }),
    );
  });
  it('for epochs in seconds and ms', () => {
    fc.assert(
      fc.property(clock, fc.integer({ min: 0, max: 1e6 }), (now, seconds) => {
        const target = Math.floor(now / 1000) + seconds;
        expect(now + (parseRetryAfter(target, now) ?? -1)).toBeGreaterThanOrEqual(target * 1000);
        expect(now + (parseRetryAfter(target * 1000, now) ?? -1)).toBeGreaterThanOrEqual(target * 1000);
      }),
    );
  });
  it('for a precise and a rounded form together', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e7 }), (ms) => {
        expect(retryAfterOf({ 'retry-after-ms': String(ms), 'retry-after': String(Math.ceil(ms / 1000)) }, options)).toBe(ms);
      }),
    );
  });
});
