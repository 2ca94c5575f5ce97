import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import type { ErrorCategory, ErrorClass } from '../../../src/engine/classify/classification.ts';
import { errorWith, wrapped } from './errors.ts';

const nowEpochMs = 1_800_000_000_000;
const of = (error: unknown) => classify(error, { nowEpochMs });

type Row = readonly [what: string, error: unknown, classification: ErrorClass, category: ErrorCategory, rule: string];

function table(rows: readonly Row[]): void {
  it.each(rows)('%s', (_what, error, classification, category, rule) => {
    expect(of(error)).toMatchObject({ classification, category, rule });
  });
}

describe('the texts of the specification', () => {
  table([
    ['1.1', 'Connection timeout after 30s', 'transient', 'timeout', 'words:timeout'],
    ['1.2', new Error('Invalid airport code: XYZ'), 'permanent', 'invalid_input', 'text:invalid input'],
    ['1.3', new Error('Rate limit exceeded (429)'), 'transient', 'rate_limit', 'text:status 429'],
    ['1.4', new Error('Authentication failed (401)'), 'permanent', 'auth', 'text:status 401'],
    ['1.5 without its override', new Error('Service unavailable (503)'), 'transient', 'unavailable', 'text:status 503'],
    ['4.1', new Error('Tool timeout after 30s'), 'transient', 'timeout', 'words:timeout'],
    ['unknown tool', new Error('Unknown tool: nonexistent'), 'permanent', 'not_found', 'text:not found'],
    ['missing parameter', new Error("Required parameter 'symbol' missing"), 'permanent', 'invalid_input', 'text:invalid input'],
    ['no known evidence', new Error('the oracle was silent'), 'transient', 'unknown', 'unknown'],
  ]);
});

describe('HTTP statuses', () => {
  it.each([
    [400, 'permanent'],
    [401, 'permanent'],
    [403, 'permanent'],
    [404, 'permanent'],
    [405, 'permanent'],
    [408, 'transient'],
    [410, 'permanent'],
    [413, 'permanent'],
    [415, 'permanent'],
    [418, 'permanent'],
    [422, 'permanent'],
    [425, 'transient'],
    [429, 'transient'],
    [499, 'neutral'],
    [500, 'transient'],
    [501, 'permanent'],
    [502, 'transient'],
    [503, 'transient'],
    [504, 'transient'],
    [520, 'transient'],
    [524, 'transient'],
    [529, 'transient'],
    [450, 'permanent'],
    [561, 'transient'],
  ] as const)('%i is %s in every place', (status, classification) => {
    const places = [
      { status },
      { statusCode: status },
      { status: String(status) },
      { response: { status } },
      { response: { statusCode: status } },
      { $metadata: { httpStatusCode: status } },
      { output: { statusCode: status } },
      { meta: { statusCode: status } },
    ];
    for (const fields of places) {
      expect(of(errorWith(fields, 'no'))).toMatchObject({ classification, status, rule: `status:${String(status)}` });
    }
  });

  it('is not a failure below 400', () => {
    expect(of(errorWith({ status: 200 }, 'no')).rule).toBe('unknown');
  });

  table([
    [
      "a service's own code takes precedence over 400",
      errorWith({ status: 400, code: 'ThrottlingException' }),
      'transient',
      'rate_limit',
      'code:ThrottlingException',
    ],
    ['and 429', errorWith({ status: 429, code: 'insufficient_quota' }), 'permanent', 'quota_exhausted', 'code:insufficient_quota'],
    ['a vague code does not', errorWith({ status: 503, type: 'invalid_request_error' }), 'transient', 'unavailable', 'status:503'],
    [
      '403 that mentions a rate limit',
      errorWith({ status: 403 }, 'API rate limit exceeded'),
      'transient',
      'rate_limit',
      'status:403+text:rate limit',
    ],
    [
      '403 with no remaining quota',
      errorWith({ status: 403, headers: { 'X-RateLimit-Remaining': '0' } }),
      'transient',
      'rate_limit',
      'status:403+header:rate limit',
    ],
    [
      '429 that mentions billing',
      errorWith({ status: 429 }, 'check your plan and billing details'),
      'permanent',
      'quota_exhausted',
      'status:429+text:quota exhausted',
    ],
    [
      'unless it has a Retry-After',
      errorWith({ status: 429, headers: { 'retry-after': '3' } }, 'check your billing'),
      'transient',
      'rate_limit',
      'status:429',
    ],
    [
      'the server says not to retry',
      errorWith({ status: 503, headers: { 'x-should-retry': 'false' } }),
      'permanent',
      'unavailable',
      'status:503+header:x-should-retry',
    ],
    ['a lost session under 404', errorWith({ status: 404 }, 'Session not found'), 'transient', 'network', 'status:404+text:network'],
    [
      'a generated 500 around a reset',
      errorWith({ status: 500, cause: errorWith({ code: 'ECONNRESET' }) }),
      'transient',
      'network',
      'code:ECONNRESET',
    ],
  ]);
});

describe('codes', () => {
  table([
    ['refused', errorWith({ code: 'ECONNREFUSED' }), 'transient', 'network', 'code:ECONNREFUSED'],
    ['no such file', errorWith({ code: 'ENOENT' }), 'permanent', 'not_found', 'code:ENOENT'],
    ['certificate', errorWith({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }), 'permanent', 'network', 'code:DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['parser', errorWith({ code: 'HPE_INVALID_CONSTANT' }), 'permanent', 'contract', 'code:HPE_INVALID_CONSTANT'],
    ["a vendor's SQLSTATE", errorWith({ code: '40P01' }, 'deadlock'), 'transient', 'conflict', 'code:40P01'],
    ['SQLSTATE by class', errorWith({ code: '22P02' }), 'permanent', 'invalid_input', 'code:22P02'],
    ['SQLite family', errorWith({ code: 'SQLITE_BUSY_SNAPSHOT' }), 'transient', 'conflict', 'code:SQLITE_BUSY_SNAPSHOT'],
    ['SQLite number', errorWith({ code: 'ERR_SQLITE_ERROR', errcode: 1299 }), 'permanent', 'conflict', 'sqlite:1299'],
    ['MySQL', errorWith({ code: 'ER_LOCK_DEADLOCK', errno: 1213 }), 'transient', 'conflict', 'code:ER_LOCK_DEADLOCK'],
    ['SQL Server', errorWith({ code: 'EREQUEST', number: 1205 }), 'transient', 'conflict', 'sqlserver:1205'],
    ['MongoDB', errorWith({ code: 11_000 }, 'E11000', 'MongoServerError'), 'permanent', 'conflict', 'mongo:11000'],
    ['Redis', new Error('LOADING Redis is loading the dataset in memory'), 'transient', 'unavailable', 'text:LOADING'],
    ['SMTP', errorWith({ code: 'EENVELOPE', responseCode: 450 }), 'transient', 'conflict', 'reply:450'],
    ['FTP', errorWith({ code: 550 }, '550 No such file', 'FTPError'), 'permanent', 'not_found', 'reply:550'],
    ['WebSocket', { type: 'close', code: 1013 }, 'transient', 'unavailable', 'websocket:1013'],
    ['process', errorWith({ code: 127, cmd: 'nope' }), 'permanent', 'not_found', 'exit:127'],
    ['killed by a time limit', errorWith({ killed: true, signal: 'SIGTERM', cmd: 'sleep 5' }), 'transient', 'timeout', 'code:ETIMEDOUT'],
    ['gRPC', errorWith({ code: 14, details: 'down', metadata: {} }, '14 UNAVAILABLE: down'), 'transient', 'unavailable', 'grpc:14'],
    ['gRPC not found', errorWith({ code: 5, details: 'x', metadata: {} }), 'permanent', 'not_found', 'grpc:5'],
    ['a bare small number is no gRPC code', errorWith({ code: 5 }), 'transient', 'unknown', 'unknown'],
    ['words of an unknown code', errorWith({ code: 'WIDGET_NOT_FOUND' }), 'permanent', 'not_found', 'code:WIDGET_NOT_FOUND'],
    ['words of an unknown name', errorWith({}, 'x', 'WidgetThrottledError'), 'transient', 'rate_limit', 'words:WidgetThrottledError'],
    ['OAuth', { error: 'invalid_grant' }, 'permanent', 'auth', 'code:invalid_grant'],
    ['GraphQL', { errors: [{ message: 'x', extensions: { code: 'FORBIDDEN' } }] }, 'permanent', 'permission', 'code:FORBIDDEN'],
    [
      'JSON in a string body',
      errorWith({ code: 403, body: '{"reason":"rateLimitExceeded"}' }),
      'transient',
      'rate_limit',
      'code:rateLimitExceeded',
    ],
    ['a schema error', { issues: [{ path: ['a'] }] }, 'permanent', 'invalid_input', 'shape:issues'],
    ["the client's own retry hint", errorWith({ retryable: true }, 'hm'), 'transient', 'unknown', 'flag:retryable'],
    ['a refusal by the client', errorWith({ isRetryable: false }, 'hm'), 'permanent', 'unknown', 'flag:not retryable'],
    ['a bug', new TypeError('x is not a function'), 'permanent', 'bug', 'text:bug'],
    ['a bug by name alone', new RangeError('hm'), 'permanent', 'bug', 'name:RangeError'],
    ['not a bug', new TypeError('fetch failed'), 'transient', 'network', 'text:network'],
  ]);
});

describe('MCP', () => {
  const result = (text: string) => ({ isError: true, content: [{ type: 'text', text }] });
  table([
    ['invalid parameters', errorWith({ code: -32_602 }, 'MCP error -32602: bad'), 'permanent', 'invalid_input', 'mcp:-32602'],
    ['in a result', result('MCP error -32602: Tool nope not found'), 'permanent', 'invalid_input', 'mcp:-32602'],
    ['validation in a result', result('Input validation error: city is required'), 'permanent', 'invalid_input', 'text:invalid input'],
    [
      'wrapped twice',
      result('MCP error -32603: MCP error -32603: connect ECONNREFUSED 127.0.0.1:1'),
      'transient',
      'network',
      'text:ECONNREFUSED',
    ],
    ['timeout', errorWith({ code: -32_001 }, 'MCP error -32001: Request timed out'), 'transient', 'timeout', 'text:timeout'],
    ['closed', errorWith({ code: -32_000 }, 'MCP error -32000: Connection closed'), 'transient', 'network', 'text:network'],
    ['meaningless -32000', errorWith({ code: -32_000 }, 'MCP error -32000: eeee'), 'transient', 'unknown', 'unknown'],
    ['free words with -32000', errorWith({ code: -32_000 }, 'The room is unavailable'), 'transient', 'unavailable', 'words:unavailable'],
    ['a wait with -32000', errorWith({ code: -32_000, retryAfter: 5 }, 'rate limited'), 'transient', 'rate_limit', 'text:rate limit'],
    ['silent -32603', errorWith({ code: -32_603 }, 'hm'), 'transient', 'unavailable', 'mcp:-32603'],
    ['JSON in a result', result('{"error":"rate_limited","retry_after":12}'), 'transient', 'rate_limit', 'code:rate_limited'],
  ]);
});

describe('messages', () => {
  table([
    ['Go', 'dial tcp 127.0.0.1:80: connect: connection refused', 'transient', 'network', 'text:network'],
    ['Go, gRPC', 'rpc error: code = DeadlineExceeded desc = slow', 'transient', 'timeout', 'text:DeadlineExceeded'],
    [
      'Python',
      'requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url',
      'transient',
      'unavailable',
      'text:status 503',
    ],
    ['PHP', 'SQLSTATE[23000]: Integrity constraint violation', 'permanent', 'conflict', 'text:SQLSTATE 23000'],
    ['browser', 'page.goto: net::ERR_CONNECTION_REFUSED at http://x', 'transient', 'network', 'text:ERR_CONNECTION_REFUSED'],
    ['stringified', 'Error: Request failed with status code 404', 'permanent', 'not_found', 'text:status 404'],
    ['a bad timeout setting', 'Invalid timeout: must be positive', 'permanent', 'invalid_input', 'text:invalid input'],
    ['a response out of contract', 'Response does not match its schema', 'permanent', 'contract', 'text:contract'],
    ['the end of a long text', `${'x '.repeat(50_000)} ECONNRESET`, 'transient', 'network', 'words:ECONNRESET'],
  ]);
});

describe('words that only resemble an error', () => {
  table([
    ['a number before an unrelated phrase', 'Order 429 not found', 'permanent', 'not_found', 'text:not found'],
    ['connections of a pool', 'All connections are in use', 'transient', 'resource', 'words:resource'],
    ['hope', 'Oops. This should be fixed soon', 'transient', 'unknown', 'unknown'],
    ['an old connection', 'stale connection was closed', 'transient', 'network', 'words:network'],
    ['a user session', 'Session expired', 'permanent', 'auth', 'text:auth'],
    ['a property called timeout', "Cannot read properties of undefined (reading 'timeout')", 'permanent', 'bug', 'text:bug'],
    ['a required key', '500 rows returned, none fit', 'transient', 'unknown', 'unknown'],
  ]);
});

describe('aborts', () => {
  const abort = errorWith({}, 'This operation was aborted', 'AbortError');
  it("are the caller's unless other evidence exists", () => {
    expect(of(abort)).toMatchObject({ classification: 'neutral', category: 'cancelled' });
    expect(of(wrapped('request failed', abort)).classification).toBe('neutral');
  });
  it("is the tool's own timeout if the caller did not abort", () => {
    expect(classify(abort, { nowEpochMs, callerAborted: false })).toMatchObject({
      classification: 'transient',
      category: 'timeout',
      ambiguous: true,
    });
  });
  it('makes every error neutral if the caller aborted, but keeps it ambiguous', () => {
    const reset = classify(errorWith({ code: 'ECONNRESET' }), { nowEpochMs, callerAborted: true });
    expect(reset).toMatchObject({ classification: 'neutral', category: 'cancelled', rule: 'caller:aborted', ambiguous: true });
  });
  it('treats the abort of a timer as a timeout, by name, cause or message', () => {
    const timer = errorWith({}, 'The operation was aborted due to timeout', 'TimeoutError');
    for (const error of [
      timer,
      wrapped('x', timer),
      errorWith({ cause: timer }, 'aborted', 'AbortError'),
      errorWith({}, 'aborted due to timeout', 'AbortError'),
    ]) {
      expect(of(error)).toMatchObject({ classification: 'transient', category: 'timeout' });
    }
    expect(of(errorWith({ code: 'ECONNABORTED' }, 'timeout of 300ms exceeded')).category).toBe('timeout');
  });
});
