/** How long a server or client requests to wait: every format, invalid values, and the precedence of several. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import { parseRetryAfter, retryAfterOf } from '../../../src/engine/classify/retry-after.ts';
import { errorWith } from './errors.ts';

const nowEpochMs = Date.parse('2026-01-05T10:00:00.250Z');
const inHeaders = (headers: unknown, rateLimited = true) => retryAfterOf(headers, { nowEpochMs, rateLimited });
const ofError = (error: unknown) => classify(error, { nowEpochMs }).retryAfterMs;

describe('a value', () => {
  it.each<[string | number, number | undefined]>([
    [7, 7000],
    [0, 0],
    [0.5, 500],
    [-1, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [999_999_999, 999_999_999_000],
    [1_000_000_000, 0],
    [999_999_999_999, 999_999_999_999_000 - nowEpochMs],
    [1_000_000_000_000, 0],
    [nowEpochMs + 5, 5],
    ['12.123456789', 12_124],
    ['12.1234567891', undefined],
    ['1234567890123456', 1_234_567_890_123_456 - nowEpochMs],
    ['12345678901234567', undefined],
    ['7.', undefined],
    ['.5', undefined],
    ['x7', undefined],
    ['7x', undefined],
  ])('%j', (value, expected) => expect(parseRetryAfter(value, nowEpochMs)).toBe(expected));
});

describe('a duration', () => {
  it.each<[string, number | undefined]>([
    ['7ms', 7],
    ['7 ms', 7],
    ['7s', 7000],
    ['7S', 7000],
    ['7 s', 7000],
    ['2m', 120_000],
    ['2M', 120_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['1D2H3M4S5MS', 93_784_005],
    ['1h30m', 5_400_000],
    ['2m59.56s', 179_560],
    ['1.25s', 1250],
    ['1.123456789s', 1124],
    ['1.1234567891s', undefined],
    ['123456789012ms', 123_456_789_012],
    ['1234567890123ms', undefined],
    ['1s1s1s1s1s', 5000],
    ['1s1s1s1s1s1s', undefined],
    ['7w', undefined],
    ['x7s', undefined],
    ['7sx', undefined],
    ['7  s', undefined],
    ['7_s', undefined],
    ['s', undefined],
    ['1111111.11111111s1111111.1111111s', undefined],
    ['1111111.11111111s1111111.111111s', 2_222_222_223],
  ])('%j', (value, expected) => expect(parseRetryAfter(value, nowEpochMs)).toBe(expected));
});

describe('a date', () => {
  it.each<[string, number | undefined]>([
    ['Mon, 05 Jan 2026 10:00:10 GMT', 9750],
    ['Tue, 06 Jan 2026 10:00:00 GMT', 86_399_750],
    ['Wed, 07 Jan 2026 10:00:00 GMT', 172_799_750],
    ['Thu, 08 Jan 2026 10:00:00 GMT', 259_199_750],
    ['Fri, 09 Jan 2026 10:00:00 GMT', 345_599_750],
    ['Sat, 10 Jan 2026 10:00:00 GMT', 431_999_750],
    ['Sun, 11 Jan 2026 10:00:00 GMT', 518_399_750],
    ['mon, 05 jan 2026 10:00:10 gmt', 9750],
    ['Mon, 05 Jan 2026 10:00:10 UTC', 9750],
    ['Mon, 05 Jan 2026 10:00:10 +0000', 9750],
    ['Mon, 05 Jan 2026 11:00:10 +0100', 9750],
    ['Mon, 05 Jan 2026 08:00:10 -0200', 9750],
    ['Mon Jan 05 2026 10:00:10', 9750],
    ['2026-01-05 10:00:10', 9750],
    ['2026-01-05T10:00', 0],
    ['2026-01-05T10:01', 59_750],
    ['2026-01-05T10:00:10.500Z', 10_250],
    ['2026-01-05T10:00:10z', 9750],
    ['2026-01-05T11:00:10+01:00', 9750],
    ['2026-01-05T08:00:10-02:00', 9750],
    ['2026-01-05T11:00:10+0100', 9750],
    ['2026-01-05', undefined],
    ['05 Jan 2026 10:00:10 GMT', undefined],
    ['x2026-01-05T10:00:10Z', undefined],
    ['on Monday', undefined],
    ['Monday', undefined],
    ['2026-99-05T10:00:10Z', undefined],
  ])('%j', (value, expected) => expect(parseRetryAfter(value, nowEpochMs)).toBe(expected));
  it("is measured against the server's clock if the response contains it", () => {
    const server = { date: 'Mon, 05 Jan 2026 10:30:00 GMT' };
    expect(inHeaders({ ...server, 'retry-after': 'Mon, 05 Jan 2026 10:30:20 GMT' })).toBe(20_000);
    expect(inHeaders({ date: 'nonsense', 'retry-after': 'Mon, 05 Jan 2026 10:00:10 GMT' })).toBe(9750);
    expect(inHeaders({ ...server, 'retry-after': '7' })).toBe(7000);
    expect(inHeaders({ ...server, 'retry-after': '2026-01-05T10:30Z' })).toBe(0);
  });
});

describe('several headers', () => {
  it.each<[Readonly<Record<string, string>>, number | undefined]>([
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after-ms': '250', 'retry-after': '0' }, 250],
    [{ 'retry-after-ms': '1', 'retry-after': '1' }, 1],
    [{ 'retry-after-ms': '0', 'retry-after': '1' }, 1000],
    [{ 'retry-after-ms': 'x', 'retry-after': '1' }, 1000],
    [{ 'retry-after-ms': '-1' }, undefined],
    [{ 'retry-after-ms': '250', 'x-ms-retry-after-ms': '300' }, 300],
    [{ 'x-ms-retry-after-ms': '300', 'retry-after-ms': '250' }, 300],
    [{ 'retry-after': '7', 'x-ratelimit-reset': '60' }, 7000],
    [{ 'retry-after': 'x', 'x-ratelimit-reset': '60' }, 60_000],
    [{ 'retry-after-ms': '7', 'x-ratelimit-reset': '60' }, 7],
    [{ 'x-retry-after-ms': '7' }, undefined],
    [{ 'retry-after-msx': '7' }, undefined],
    [{ 'x-amz-retry-afterx': '7' }, undefined],
    [{ 'grpc-retry-pushback-ms': '7' }, 7],
  ])('%j', (headers, expected) => expect(inHeaders(headers)).toBe(expected));
});

describe('the reset of a limit', () => {
  it.each<[Readonly<Record<string, string>>, number | undefined]>([
    [{ 'x-ratelimit-reset': '60' }, 60_000],
    [{ 'x-rate-limit-reset': '60' }, 60_000],
    [{ 'ratelimit-reset': '60' }, 60_000],
    [{ 'x-ratelimit-reset': '60', 'x-ratelimit-remaining': '0' }, 60_000],
    [{ 'x-ratelimit-reset': '60', 'x-ratelimit-remaining': '-1' }, 60_000],
    [{ 'x-ratelimit-reset': '60', 'x-ratelimit-remaining': '1' }, undefined],
    [{ 'x-ratelimit-reset-after': '1.5', 'x-ratelimit-remaining': '1' }, undefined],
    [{ 'x-ratelimit-reset-after': '1.5', 'x-ratelimit-remaining': '0' }, 1500],
    [{ 'x-ratelimit-reset-requests': '9s', 'x-ratelimit-reset-tokens': '12s' }, 12_000],
    [{ 'x-ratelimit-reset-tokens': '12s', 'x-ratelimit-reset-requests': '9s' }, 12_000],
    [{ 'x-rate-reset': '60' }, undefined],
    [{ 'x-ratelimit-limit': '60' }, undefined],
    [{ 'x-limit-reset': '60' }, undefined],
    [{ reset: '60' }, undefined],
    [{ ratelimit: 't=30' }, 30_000],
    [{ ratelimit: 'reset=30' }, 30_000],
    [{ ratelimit: '"a";t=30' }, 30_000],
    [{ ratelimit: '"a";r=0;t=30' }, 30_000],
    [{ ratelimit: '"a"; r=0; t=30' }, 30_000],
    [{ ratelimit: '"a"; r=1; t=30' }, undefined],
    [{ ratelimit: '"a";r=9;t=30' }, undefined],
    [{ ratelimit: '"a";r=0;t=3, "b";r=0;t=30' }, 30_000],
    [{ ratelimit: '"a";r=0;t=30, "b";r=0;t=3' }, 30_000],
    [{ ratelimit: '"a";r=0;t=30, "b";r=0' }, 30_000],
    [{ ratelimit: '"a";r=0;at=30' }, undefined],
    [{ ratelimit: '"a";r=0;t=123456789' }, 123_456_789_000],
    [{ ratelimit: '"a"' }, undefined],
    [{ 'x-ratelimit': 't=30' }, undefined],
    [{ 'x-ratelimit-reset': 'soon' }, undefined],
  ])('%j', (headers, expected) => {
    expect(inHeaders(headers)).toBe(expected);
    expect(inHeaders(headers, false)).toBeUndefined();
  });
});

describe('carriers of headers', () => {
  const pairs = (count: number) => [
    ...Array.from({ length: count }, (_unused, index) => [`x-${String(index)}`, '1']),
    ['retry-after', '7'],
  ];
  it.each<[string, unknown, number | undefined]>([
    ['numbers', { 'retry-after': 7 }, 7000],
    ['lists of values', { 'retry-after': ['7', '9'] }, 7000],
    ['spaces', { 'retry-after': ' 7 ' }, 7000],
    ['the first of two capitalizations', { 'Retry-After': '7', 'retry-after': '9' }, 7000],
    [
      'the first of two pairs',
      [
        ['retry-after', '7'],
        ['Retry-After', '9'],
      ],
      7000,
    ],
    ['not booleans', { 'retry-after': true }, undefined],
    ['not objects', { 'retry-after': { seconds: 7 } }, undefined],
    ['not a list of lists', { 'retry-after': [['7']] }, undefined],
    ['not long values', { 'retry-after': `${'0'.repeat(256)}7` }, undefined],
    ['entries', { entries: () => [['retry-after', '7']] }, 7000],
    ['entries of a Map', new Map([['retry-after', '7']]), 7000],
    ['getMap, as in gRPC', { getMap: () => ({ 'retry-after': '7' }) }, 7000],
    ['entries before getMap', { entries: () => [['retry-after', '7']], getMap: () => ({ 'retry-after': '9' }) }, 7000],
    ['get alone', { get: (name: string) => (name === 'retry-after' ? '7' : undefined) }, 7000],
    ['get that returns a list', { get: (name: string) => (name === 'retry-after' ? ['7'] : undefined) }, 7000],
    ['get before the rest', { get: () => '7', 'retry-after': '9' }, 7000],
    ['entries that are not objects', { entries: () => 7, 'retry-after': '9' }, undefined],
    [
      'names that are not strings',
      [
        [7, '7'],
        ['retry-after', '9'],
      ],
      9000,
    ],
    ['a flat list', ['date', 'x', 'retry-after', '7'], 7000],
    ['a flat list whose value has the name', ['x', 'retry-after', '7', 'x'], undefined],
    ['512 pairs', pairs(511), 7000],
    ['not more pairs', pairs(512), undefined],
    ['512 fields', Object.fromEntries(pairs(511)), 7000],
    ['not more fields', Object.fromEntries(pairs(512)), undefined],
  ])('%s', (_what, headers, expected) => expect(inHeaders(headers)).toBe(expected));
  it('end if an iterator is endless or throws', () => {
    const endless = {
      *[Symbol.iterator]() {
        yield ['retry-after', '7'];
        for (;;) yield ['x', '1'];
      },
    };
    const broken = {
      *[Symbol.iterator]() {
        yield ['retry-after', '7'];
        throw new Error('x');
      },
    };
    expect(inHeaders(endless)).toBe(7000);
    expect(inHeaders(broken)).toBe(7000);
  });
});

describe('a message', () => {
  it.each<[string, number | undefined]>([
    ['retry after 7 seconds', 7000],
    ['Retry in 7s', 7000],
    ['try again in 7 seconds', 7000],
    ['wait for 7 s', 7000],
    ['again within 7 secs', 7000],
    ['try again in about 7 sec', 7000],
    ['try again in approximately 7 second', 7000],
    ['try again in 7ms', 7],
    ['try again in 7 milliseconds', 7],
    ['try again in 1 millisecond', 1],
    ['try again in 7m', 420_000],
    ['try again in 7 min', 420_000],
    ['try again in 7 mins', 420_000],
    ['try again in 7 minutes', 420_000],
    ['try again in 1 hour', 3_600_000],
    ['try again in 2 hours', 7_200_000],
    ['try again in 2h', 7_200_000],
    ['try again in 1m30s', 90_000],
    ['try again in 1m30.5s', 90_500],
    ['try again in 1.898s', 1898],
    ['retry your request after 7 seconds', 7000],
    ['try again in 7 days', undefined],
    ['try again in 7', undefined],
    ['try again in seven seconds', undefined],
    ['try again 7 seconds', undefined],
    ['try again. It came in 7 seconds', undefined],
    ['in 7 seconds', undefined],
    ['try again in 7 sx', undefined],
    ['retry 3 of 4 in 7 seconds', undefined],
    [`retry ${'x'.repeat(38)} in 7 s`, 7000],
    [`retry ${'x'.repeat(39)} in 7 s`, undefined],
  ])('%s', (text, expected) => {
    expect(ofError(errorWith({ status: 429 }, text))).toBe(expected);
    expect(ofError(errorWith({ status: 503 }, text))).toBeUndefined();
  });
  it('counts only if neither headers nor fields contain a wait', () => {
    expect(ofError(errorWith({ status: 429, retryAfter: 3 }, 'try again in 7s'))).toBe(3000);
    expect(ofError(errorWith({ status: 429, headers: { 'retry-after': '3' } }, 'try again in 7s'))).toBe(3000);
  });
  it('the longest of several', () => {
    expect(ofError(errorWith({ status: 429, description: 'try again in 9s' }, 'try again in 7s'))).toBe(9000);
    expect(ofError(errorWith({ status: 429, description: 'try again in 7s' }, 'try again in 9s'))).toBe(9000);
  });
});

describe('an error', () => {
  it('uses the longest of headers and fields', () => {
    expect(ofError({ status: 429, retryAfter: 9, headers: { 'retry-after': '3' } })).toBe(9000);
    expect(ofError({ status: 429, retryAfter: 3, headers: { 'retry-after': '9' } })).toBe(9000);
  });
  it('that is not a rate limit has its wait, but no resets', () => {
    expect(ofError({ status: 503, retryAfter: 9 })).toBe(9000);
    expect(ofError({ status: 503, headers: { 'retry-after': '9' } })).toBe(9000);
    expect(ofError({ status: 503, headers: { ratelimit: 't=9' } })).toBeUndefined();
  });
  it('that is permanent has none', () => {
    const found = classify({ status: 404, retryAfter: 9 }, { nowEpochMs });
    expect(found).not.toHaveProperty('retryAfterMs');
  });
  it('with several parts reads all of them', () => {
    const limited = (retryAfter: number) => ({ status: 429, retryAfter });
    expect(ofError({ errors: [limited(3), limited(9)] })).toBe(9000);
    expect(ofError({ cause: limited(9), ...limited(3) })).toBe(9000);
    expect(ofError({ response: limited(9), ...limited(3) })).toBe(9000);
  });
});
