/** Every format in which a server can send a wait. */

interface Hint {
  readonly error: Error;
  /** From the time of the error: not earlier. */
  readonly promisedMs: number;
}

const errorWith = (fields: object, message = 'Too many requests'): Error => Object.assign(new Error(message), fields);
const limited = (headers: Readonly<Record<string, string>>, status = 429): Error => errorWith({ status, headers });
const upToSecond = (milliseconds: number): number => Math.ceil(milliseconds / 1_000);

/** By format: the error that requests the milliseconds, or the next longer time that the format can express. */
export const hints: Readonly<Record<string, (askedMs: number, nowEpochMs: number) => Hint>> = {
  'seconds in Retry-After': (asked) => ({
    error: limited({ 'retry-after': String(upToSecond(asked)) }),
    promisedMs: upToSecond(asked) * 1_000,
  }),
  'seconds with a fraction': (asked) => ({ error: limited({ 'Retry-After': (asked / 1_000).toFixed(3) }), promisedMs: asked }),
  'Retry-After of a 503': (asked) => ({
    error: limited({ 'retry-after': String(upToSecond(asked)) }, 503),
    promisedMs: upToSecond(asked) * 1_000,
  }),
  'an HTTP date': (asked, now) => {
    const at = upToSecond(now + asked) * 1_000;
    return { error: limited({ 'retry-after': new Date(at).toUTCString() }), promisedMs: at - now };
  },
  'an HTTP date by the server’s clock': (asked, now) => {
    const server = Math.floor((now + 1_800_000) / 1_000) * 1_000;
    const at = server + upToSecond(asked) * 1_000;
    return {
      error: limited({ date: new Date(server).toUTCString(), 'retry-after': new Date(at).toUTCString() }),
      promisedMs: at - server,
    };
  },
  'retry-after-ms': (asked) => ({ error: limited({ 'retry-after-ms': String(asked) }), promisedMs: asked }),
  'x-ms-retry-after-ms': (asked) => ({ error: limited({ 'x-ms-retry-after-ms': String(asked) }), promisedMs: asked }),
  'the longer of two headers': (asked) => ({
    error: limited({ 'retry-after-ms': '1', 'retry-after': String(upToSecond(asked) + 1) }),
    promisedMs: (upToSecond(asked) + 1) * 1_000,
  }),
  'x-ratelimit-reset as a moment': (asked, now) => {
    const at = upToSecond(now + asked);
    return { error: limited({ 'x-ratelimit-reset': String(at), 'x-ratelimit-remaining': '0' }), promisedMs: at * 1_000 - now };
  },
  'ratelimit of the IETF': (asked) => ({
    error: limited({ ratelimit: `"default";r=0;t=${upToSecond(asked)}` }),
    promisedMs: upToSecond(asked) * 1_000,
  }),
  'x-ratelimit-reset-tokens': (asked) => ({
    error: limited({ 'x-ratelimit-reset-tokens': `${asked}ms`, 'x-ratelimit-remaining-tokens': '0' }),
    promisedMs: asked,
  }),
  'grpc pushback': (asked) => ({
    error: errorWith({ code: 8, metadata: new Map([['grpc-retry-pushback-ms', String(asked)]]) }, '8 RESOURCE_EXHAUSTED: slow down'),
    promisedMs: asked,
  }),
  'RetryInfo of Google, a string': (asked) => ({
    error: errorWith({
      status: 429,
      errorDetails: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${asked / 1_000}s` }],
    }),
    promisedMs: asked,
  }),
  'RetryInfo of gRPC, a duration': (asked) => ({
    error: errorWith({
      code: 8,
      metadata: {},
      statusDetails: [{ retryDelay: { seconds: String(Math.floor(asked / 1_000)), nanos: (asked % 1_000) * 1_000_000 } }],
    }),
    promisedMs: asked,
  }),
  'a field in milliseconds': (asked) => ({ error: errorWith({ status: 429, retryAfterMs: asked }), promisedMs: asked }),
  'a field in seconds': (asked) => ({
    error: errorWith({ status: 429, retryAfter: upToSecond(asked) }),
    promisedMs: upToSecond(asked) * 1_000,
  }),
  'deep in a cause': (asked) => ({
    error: new Error('tool failed', { cause: limited({ 'retry-after-ms': String(asked) }) }),
    promisedMs: asked,
  }),
  'a sentence': (asked) => ({
    error: new Error(`Rate limit reached. Please try again in ${(asked / 1_000).toFixed(3)}s.`),
    promisedMs: asked,
  }),
};
