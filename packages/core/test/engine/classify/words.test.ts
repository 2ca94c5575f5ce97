/** The meaning of words in messages without other evidence, and words that only resemble them. */
import { describe, expect, it } from 'vitest';
import { errorWith } from './errors.ts';
import { of } from './meanings.ts';

/** Whether words count as evidence is tested in `authors.test.ts`. */
const ruleOf = (text: string): string => of(new Error(text)).rule.replace(/^words:/, 'text:');

describe('words', () => {
  const rows: readonly (readonly [rule: string, texts: readonly string[]])[] = [
    [
      'text:bug',
      ['cannot read properties of null', 'x is not a function', 'x is not iterable', 'x is not defined', 'null pointer', 'NameError: x'],
    ],
    [
      'text:invalid input',
      [
        'invalid timeout',
        'timeout must be a number',
        'malformed x',
        'x is required',
        'bad request',
        'x should be a string',
        'x out of range',
        'expected a, got b',
        'Unrecognized x',
        'File is not a zip file',
        'cat: loop: Too many levels of symbolic links',
      ],
    ],
    [
      'text:network',
      [
        'Connection to 127.0.0.1 closed by remote host.',
        'getaddrinfo x',
        'no such host',
        'host unreachable',
        'connection refused',
        'socket hang up',
        'connection reset',
        'broken pipe',
        'fetch failed',
        'unknown session',
        'network down',
        'terminated',
      ],
    ],
    [
      'text:quota exhausted',
      ['insufficient funds', 'you exceeded your current quota', 'billing', 'quota reached', 'credits exhausted', 'usage limit'],
    ],
    [
      'text:rate limit',
      [
        'rate limited',
        'rate-limit',
        'too many requests',
        'Throttled',
        'slow down',
        'requests per minute',
        'Resource exhausted',
        'flood wait',
      ],
    ],
    [
      'text:conflict',
      [
        'deadlock detected',
        'write conflict',
        'lock wait',
        'the row is locked',
        'another git process',
        'already there',
        'duplicate x',
        'unique constraint',
        'violates x',
        'file exists',
      ],
    ],
    [
      'text:resource',
      [
        'pool is full',
        'no free slot',
        'queue full',
        'out of memory',
        'lua5.4: not enough memory',
        'Allowed memory size of 8388608 bytes exhausted',
        'too many open files',
        'no space left',
        'disk x',
        'all connections in use',
      ],
    ],
    [
      'text:timeout',
      [
        'connection timed out',
        'timeout',
        'timed out',
        'deadline exceeded',
        'took too long',
        'did not respond in time',
        'connect timeout',
        'time limit',
      ],
    ],
    [
      'text:unavailable',
      [
        'service unavailable',
        'temporarily x',
        'overloaded',
        'bad gateway',
        'maintenance',
        'circuit is open',
        'model is loading',
        'not ready',
        'try again',
        'internal error',
        'server error',
        'went wrong on our side',
      ],
    ],
    [
      'text:contract',
      ['too many redirects', 'invalid json', 'unexpected end of json', 'response does not match', 'parse failure', 'unknown response'],
    ],
    ['text:payload too large', ['too large', 'payload size', 'maximum context length', 'larger than x', 'exceeds the limit']],
    [
      'text:auth',
      [
        'unauthorized',
        'authentication failed',
        'unknown token',
        'invalid api key',
        'token expired',
        'not logged in',
        'sign in first',
        'no token',
        'wrong password',
        'bad credentials',
      ],
    ],
    [
      'text:permission',
      [
        'forbidden',
        'permission denied',
        'access denied',
        'not allowed to x',
        'insufficient scope',
        'missing scope',
        'read-only',
        'blocked by x',
      ],
    ],
    [
      'text:unsupported',
      ['not implemented', 'not yet supported', 'unsupported x', 'unknown command', 'not acceptable', 'feature disabled'],
    ],
    [
      'text:not found',
      ['not found', 'no such x', 'does not exist', 'could not find x', 'no results', 'unknown city', 'no longer there', 'nothing found'],
    ],
    ['text:unknown', ['not retryable', 'a permanent error', 'unrecoverable', 'retryable', 'transient x']],
    [
      'text:cancelled',
      [
        'aborted',
        'the operation was aborted',
        'Request cancelled',
        'the user aborted a request',
        'canceled',
        'context canceled',
        'KeyboardInterrupt',
      ],
    ],
  ];
  it.each(rows.flatMap(([rule, texts]) => texts.map((text) => [text, rule] as const)))('%s: %s', (text, rule) =>
    expect(ruleOf(text)).toBe(rule),
  );
  it('distinguish permanent from temporary', () => {
    expect(of(new Error('not retryable')).classification).toBe('permanent');
    expect(of(new Error('retryable')).classification).toBe('transient');
    expect(of(new Error('disk full')).classification).toBe('permanent');
    expect(of(new Error('out of memory')).classification).toBe('transient');
    expect(of(new Error('deadlock')).classification).toBe('transient');
    expect(of(new Error('duplicate')).classification).toBe('permanent');
  });
  it('of a message do not show that a request was rejected, the name of a class does', () => {
    expect(of(new Error('connection reset')).ambiguous).toBe(true);
    expect(of(new Error('connection refused')).ambiguous).toBe(true);
    expect(of(new Error('timed out')).ambiguous).toBe(true);
    expect(of(new Error('connect timeout')).ambiguous).toBe(true);
    expect(of(new Error('internal error')).ambiguous).toBe(true);
    // Rooms are unavailable, busy and locked, too: such words do not show that a request was rejected. The name of a class does.
    for (const text of ['try again', 'the room is unavailable', 'the doctor is busy', 'the door is locked'])
      expect(of(new Error(text))).toMatchObject({ classification: 'transient', ambiguous: true });
    expect(of(Object.assign(new Error('the room'), { name: 'ServiceUnavailableError' })).ambiguous).toBe(false);
    expect(of(new Error('rate limit exceeded')).ambiguous).toBe(true);
  });
  it.each([
    'connect ECONNREFUSED 127.0.0.1:80',
    'Error: getaddrinfo ENOTFOUND db',
    'request to http://a.test/x failed, reason: connect ECONNREFUSED 127.0.0.1:80',
    'timeout exceeded when trying to connect',
    'Request failed with status code 429 (Too Many Requests): GET http://a.test',
    '[POST] "http://a.test/x": 429 Too Many Requests',
    '429 Rate limit reached for gpt-x',
    '8 RESOURCE_EXHAUSTED: quota',
    'BUSY Redis is busy running a script.',
    'database is locked',
    'could not serialize access due to concurrent update',
  ])('of a client or server at the beginning of a message do: %s', (text) => {
    expect(of(new Error(text))).toMatchObject({ classification: 'transient', ambiguous: false });
    expect(of(new Error(`Charged, but the receipt was not sent: ${text}`)).ambiguous).toBe(true);
  });
  it.each([
    '429 rooms are booked',
    '420 Too late',
    'Request failed with status code 504',
    'database is locked by the owner',
    'Too many requests for this room',
  ])('of people that look like them do not: %s', (text) => {
    expect(of(new Error(text)).ambiguous).toBe(true);
  });
  it.each(['40000 tokens per min', '100 requests per 10 seconds', '5 queries per user'])('of a rate: %s', (text) => {
    expect(ruleOf(text)).toBe('text:rate limit');
  });
  it('of a size are none of a rate', () => {
    const error = Object.assign(new Error('At most 120000 tokens per submitted batch are allowed'), { status: 400 });
    expect(of(error)).toMatchObject({ classification: 'permanent', category: 'invalid_input', ambiguous: false });
  });
  it.each([
    'crate limits', // rate limit
    'a tooth many requests',
    'thequota',
    'unlocked',
    'the carpool is fuller',
    'abillings',
    'overtimed x',
    'the notebook found',
    'a foundation',
    'reconnect reset',
    'subdomain names',
    'she was not there',
    'I was fond of it',
    'sometime',
  ])('that only resemble them: %s', (text) => expect(ruleOf(text)).toBe('unknown'));
  it('are recognized in every form', () => {
    for (const text of ['NotFound', 'NOT_FOUND', 'not-found', 'Not Found', 'XMLNotFound', 'notFound', 'xNotFound']) {
      expect(of(new Error(text)).category).toBe('not_found');
    }
    for (const text of ["it doesn't exist", 'it doesn’t exist', "couldn't find it", 'couldn’t find it'])
      expect(ruleOf(text)).toBe('text:not found');
    for (const text of ['Error: aborted', 'Uncaught Error: aborted', 'Error: Error: aborted', 'error aborted'])
      expect(ruleOf(text)).toBe('text:cancelled');
    expect(ruleOf('x\naborted')).toBe('text:cancelled');
  });
  it('of specific terms take precedence over vague ones', () => {
    expect(ruleOf('invalid api key')).toBe('text:auth');
    expect(ruleOf('invalid response')).toBe('text:contract');
    expect(ruleOf('too many requests, try again')).toBe('text:rate limit');
    expect(ruleOf('operation was aborted due to timeout')).toBe('text:timeout');
    expect(ruleOf('this operation was aborted due to x')).toBe('unknown');
  });
});

describe('the position of messages', () => {
  it('a second message adds what the first does not say', () => {
    expect(of(errorWith({ description: 'not found' }, 'hm')).rule).toBe('text:not found');
    expect(of(errorWith({ description: 'hm' }, 'not found')).rule).toBe('text:not found');
    expect(of(errorWith({ description: 'ECONNRESET' }, 'hm')).rule).toBe('text:ECONNRESET');
    expect(of(errorWith({ description: '(503)' }, 'hm')).rule).toBe('text:status 503');
  });
  it('a string may be the whole error', () => {
    expect(of('not found').rule).toBe('text:not found');
    expect(of('read ECONNRESET').rule).toBe('text:ECONNRESET');
    expect(of({ cause: 'not found' }).rule).toBe('text:not found');
  });
});
