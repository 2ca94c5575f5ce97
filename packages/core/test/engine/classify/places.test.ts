/** Where clients put evidence: one piece of evidence in each place, and similar places that do not count. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import { errorWith } from './errors.ts';

const nowEpochMs = 1_800_000_000_000;
const of = (error: unknown) => classify(error, { nowEpochMs });
const words = (text: string): readonly string[] => text.split(' ');

/** An error with only this field has this meaning; under all other names it has none. */
function places(what: string, value: unknown, rule: string, names: string, others: string): void {
  describe(what, () => {
    it.each(words(names))('in %s', (name) => {
      expect(of({ [name]: value }).rule).toBe(rule);
    });
    it.each(words(others))('not in %s', (name) => {
      expect(of({ [name]: value }).rule).toBe('unknown');
    });
  });
}

places(
  'a status',
  503,
  'status:503',
  'status statusCode status_code StatusCode httpStatus httpStatusCode http_status http_status_code responseStatus response_status_code',
  'statusText statuses exitStatus statusCodes substatus status_codes myHttpStatus request_status lastStatusCode',
);
places(
  'a status kept as a code',
  404,
  'status:404',
  'code errCode errorCode error_code',
  'codes exitCode errorCodes barcode phoneNumber numbers zipcode myErrorCode',
);
places('a reply', 550, 'reply:550', 'responseCode', 'responseCodes lastResponseCode');
places('a number of SQL Server', 1205, 'sqlserver:1205', 'number', 'numbers lineNumber');
places(
  'a code',
  'ECONNREFUSED',
  'code:ECONNREFUSED',
  'code errCode errorCode error_code originalCode codeName errorName error_name sqlState SQLSTATE __type error errno type kind errorType error_type reason status rawType',
  'codes xcode myCode codeNames sqlStates my__type __types subtype types reasons statusX rawTypes errnos hint',
);
places(
  'words',
  'the connection was refused',
  'words:network',
  'msg message errmsg errMessage errorMessage error_message sqlMessage shortMessage description error_description detail details title text stderr',
  'subtitle hint messages msgs titles xmsg descriptions context note stderrs stdout',
);
places(
  'words in what is more of the answer',
  'the connection was refused',
  'words:network',
  'error reason type body data responseBody response_body content output result payload exception',
  'request config options input params url path stack headers2',
);
places(
  'an answer',
  { code: 'ECONNREFUSED' },
  'code:ECONNREFUSED',
  'response data _data body output meta raw json http payload result parameters extensions content details error lastError error_info exception responseBody error_details message text description cancellationReasons $metadata lastResponse httpResponse',
  'request config options input params responses bodyParser contents results metaData dataset outputs jsons https payloads parametersX xhr jsonp rawBodyParser x_data',
);
places(
  'what was behind it',
  { code: 'ECONNREFUSED' },
  'code:ECONNREFUSED',
  'cause rootCause originalError original_error inner innerError inner_error lastError driverError networkError original err reason parent detail previous exception suppressed context info',
  'causes because2 innerText originals parents previously suppression reasons2 grandparent',
);
places(
  'errors side by side',
  [{ code: 'ECONNREFUSED' }],
  'code:ECONNREFUSED',
  'errors aggregateErrors validationErrors failures rejections replies graphQLErrors',
  'failure2 items rejectionsX rows reply someReplies myFailures allRejections',
);
places(
  'a list in an answer',
  [{ code: 'ECONNREFUSED' }],
  'code:ECONNREFUSED',
  'details body content data error parameters cancellationReasons',
  'items list tags paths',
);

describe("the client's own retry hint", () => {
  it.each(words('retryable isRetryable is_retryable $retryable retriable isRetriable transient isTransient temporary'))('in %s', (name) => {
    expect(of({ [name]: true }).rule).toBe('flag:retryable');
    expect(of({ [name]: false })).toMatchObject({ rule: 'flag:not retryable', classification: 'permanent', category: 'unknown' });
  });
  it('permanent in inverted fields', () => {
    expect(of({ permanent: true }).rule).toBe('flag:not retryable');
    expect(of({ permanent: false }).rule).toBe('flag:retryable');
  });
  it.each(words('notRetryable retryables retry isPermanent isTemporary permanently transients temporaryX xtransient'))(
    'not in %s',
    (name) => {
      expect(of({ [name]: true }).rule).toBe('unknown');
    },
  );
  it('only as a boolean', () => {
    for (const retryable of [1, 0, 'true', null]) expect(of({ retryable }).rule).toBe('unknown');
  });
  it('counts the first time it occurs', () => {
    expect(of({ retryable: false, transient: true }).rule).toBe('flag:not retryable');
    expect(of({ retryable: true, transient: false }).rule).toBe('flag:retryable');
  });
  it('of the AWS clients is an object that may contain the reason', () => {
    expect(of({ $retryable: {} }).rule).toBe('flag:retryable');
    expect(of({ $retryable: { throttling: false } }).rule).toBe('flag:retryable');
    expect(of({ $retryable: { throttling: true } })).toMatchObject({ rule: 'code:Throttling', category: 'rate_limit' });
    expect(of({ retryable: false, $retryable: {} }).rule).toBe('flag:not retryable');
  });
  it('decides the class, the message the category', () => {
    expect(of(errorWith({ retryable: true }, 'rate limited'))).toMatchObject({ category: 'rate_limit', rule: 'flag:retryable' });
    expect(of(errorWith({ retryable: true }, 'not found'))).toMatchObject({ category: 'unknown', rule: 'flag:retryable' });
    expect(of(errorWith({ retryable: false }, 'not found'))).toMatchObject({ category: 'not_found', rule: 'flag:not retryable' });
    expect(of(errorWith({ retryable: false }, 'rate limited'))).toMatchObject({ category: 'unknown', classification: 'permanent' });
  });
  it('counts less than a status or a code', () => {
    expect(of({ retryable: false, status: 503 }).rule).toBe('status:503');
    expect(of({ retryable: true, code: 'ENOENT' }).rule).toBe('code:ENOENT');
  });
});

describe('a wait', () => {
  const waitOf = (fields: object) => of({ status: 429, ...fields }).retryAfterMs;
  it.each(words('retryAfter retry_after retryAfterSeconds retry_after_seconds retryDelay retry_delay RetryAfter'))(
    'in %s, in seconds',
    (name) => {
      expect(waitOf({ [name]: 7 })).toBe(7000);
      expect(waitOf({ [name]: '7' })).toBe(7000);
    },
  );
  it.each(words('retryAfterMs retry_after_ms retryAfterMillis retryDelayMs msBeforeNext timeToReset'))('in %s, in ms', (name) => {
    expect(waitOf({ [name]: 7 })).toBe(7);
    expect(waitOf({ [name]: '7' })).toBe(7);
  });
  it.each(words('retry retries noRetryAfter maxRetryDelay msBeforeNextX timeToResets xTimeToReset retryCount'))('not in %s', (name) => {
    expect(waitOf({ [name]: 7 })).toBeUndefined();
  });
  it('in ms takes precedence, the longest of them', () => {
    expect(waitOf({ retryAfter: 60, retryAfterMs: 7, msBeforeNext: 9 })).toBe(9);
    expect(waitOf({ retryAfter: 60, retryDelay: 90 })).toBe(90_000);
    expect(waitOf({ retryAfter: 90, retryDelay: 60 })).toBe(90_000);
  });
  it('as a duration of seconds and nanoseconds', () => {
    expect(waitOf({ retryDelay: { seconds: 7 } })).toBe(7000);
    expect(waitOf({ retryDelay: { seconds: '7', nanos: 500_000_000 } })).toBe(7500);
    expect(waitOf({ retryDelay: { nanos: 500_000_000 } })).toBeUndefined();
    expect(waitOf({ retryDelay: { seconds: 'seven' } })).toBeUndefined();
  });
  it('is ignored if it is invalid', () => {
    for (const retryAfter of [-1, Number.NaN, Number.POSITIVE_INFINITY, 'later', {}, [], null, true])
      expect(waitOf({ retryAfter })).toBeUndefined();
  });
});

describe('headers', () => {
  it.each(words('headers Headers responseHeaders parsedHeaders metadata trailers'))('in %s', (name) => {
    expect(of({ status: 429, [name]: { 'retry-after': '7' } }).retryAfterMs).toBe(7000);
  });
  it.each(words('requestHeaders header headersSent metadatas trailersX config'))('not in %s', (name) => {
    expect(of({ status: 429, [name]: { 'retry-after': '7' } }).retryAfterMs).toBeUndefined();
  });
});

describe('a schema error', () => {
  it.each([
    ['issues', []],
    ['issues', [{ path: [] }]],
    ['isJoi', true],
    ['schemaPath', '#/required'],
  ])('in %s', (name, value) => {
    expect(of({ [name]: value })).toMatchObject({ rule: 'shape:issues', classification: 'permanent', category: 'invalid_input' });
  });
  it.each([
    ['issues', 3],
    ['isJoi', false],
    ['schemaPath', 7],
    ['openIssues', []],
    ['issuesX', []],
  ])('not in %s: %j', (name, value) => {
    expect(of({ [name]: value }).rule).toBe('unknown');
  });
});

describe('a program ended by a time limit', () => {
  it.each([
    [{ killed: true, cmd: 'x' }, 'code:ETIMEDOUT'],
    [{ killed: true, spawnargs: [] }, 'code:ETIMEDOUT'],
    [{ killed: true }, 'unknown'],
    [{ cmd: 'x' }, 'unknown'],
    [{ killed: false, cmd: 'x' }, 'unknown'],
    [{ killed: 'yes', cmd: 'x' }, 'unknown'],
    [{ killed: true, command: 'x' }, 'unknown'],
  ])('%j', (error, rule) => expect(of(error).rule).toBe(rule));
});

describe('an effect that cannot have happened', () => {
  const reset = (fields: object, text = '', name?: string) => of(errorWith({ code: 'ECONNRESET', ...fields }, text, name)).ambiguous;
  it('is only certain if the error says so', () => {
    expect(reset({})).toBe(true);
  });
  it.each([
    { syscall: 'connect' },
    { syscall: 'getaddrinfo' },
    { event: 'lookup' },
    { event: 'secureConnect' },
    { timeoutType: 'connect' },
    { timeoutType: 'CONNECTION_TIMEOUT' },
    { timeoutType: 'GREETING_TIMEOUT' },
    { beforeHandshake: true },
  ])('%j', (fields) => expect(reset(fields)).toBe(false));
  it.each([
    { syscall: 'read' },
    { syscall: 'reconnect' },
    { syscall: 'connected' },
    { event: 'response' },
    { timeoutType: 'SOCKET_TIMEOUT' },
    { beforeHandshake: false },
    { beforeHandshake: 1 },
    { syscalls: 'connect' },
    { Syscall: 'connect' },
  ])('not %j', (fields) => expect(reset(fields)).toBe(true));
  it('in the cause counts too', () => {
    expect(reset({ cause: errorWith({ syscall: 'connect' }) })).toBe(false);
  });
  it.each(['Request timeout (400 ms) exceeded.', 'Timeout (500ms)', 'Limit exceeded (413 bytes)'])(
    'not by a number with a unit: %s',
    (text) => {
      expect(of(errorWith({}, text))).toMatchObject({ classification: 'transient', ambiguous: true });
      expect(of(errorWith({}, text)).status).toBeUndefined();
    },
  );
  it.each([
    ['ECONNRESET', true],
    ['ECONNREFUSED', false],
  ])('not by a status that the client made up for %s: %s', (code, ambiguous) => {
    const failed = new TypeError('fetch failed', { cause: errorWith({ code }) });
    for (const fields of [{ value: failed }, { cause: failed }, { error: failed }])
      expect(classify(errorWith({ status: 503, ...fields }), { nowEpochMs: 0 })).toMatchObject({ classification: 'transient', ambiguous });
  });
  it.each([
    'Client network socket disconnected before secure TLS connection was established',
    'connect ECONNRESET 127.0.0.1:1',
    'getaddrinfo ENOTFOUND api.test',
    'Opening handshake has timed out',
    'Knex: Timeout acquiring a connection. The pool is probably full.',
    'Acquire mutex pay timed out',
    'async-lock timed out in queue pay',
    'Too many pending tasks in queue pay',
    'channel acquisition timed out',
  ])('in words: %s', (text) => expect(reset({}, text)).toBe(false));
  it.each([
    'read ECONNRESET',
    'reconnect ECONNRESET',
    'connect EX',
    'disconnecting',
    'handshake',
    'he failed to disconnect',
    'connected',
    'reset while connecting',
    'The receipt failed: connect ECONNREFUSED',
  ])('not in words: %s', (text) => expect(reset({}, text)).toBe(true));
  it('in the name of a pool that gave none', () => {
    expect(reset({}, '', 'ConnectionAcquireTimeoutError')).toBe(false);
    expect(reset({}, '', 'ConnectionRequireTimeoutError')).toBe(true);
  });
});
