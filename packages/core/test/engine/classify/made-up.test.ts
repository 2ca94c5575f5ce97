/** What a client says about an answer that never came, or that it cannot use, in the form of an answer. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import { errorWith, wrapped } from './errors.ts';

const of = (error: unknown) => classify(error, { nowEpochMs: 0 });

describe('a status without an answer', () => {
  it.each([
    ['ECONNRESET', 'network'],
    ['ETIMEDOUT', 'timeout'],
    ['ECONNREFUSED', 'network'],
  ] as const)('beside %s', (code, category) => {
    expect(of(errorWith({ status: 400 }, code))).toMatchObject({ classification: 'transient', category, ambiguous: true });
  });
  it.each(['read ECONNRESET', 'Error: connect ECONNREFUSED 10.0.0.1:5432', 'socket hang up', 'TypeError: fetch failed'])(
    'may be quoted by a server: %s',
    (text) => {
      for (const error of [errorWith({ status: 404 }, text), { status: 404, headers: {}, responseText: text }])
        expect(of(error)).toMatchObject({ classification: 'transient', category: 'network', ambiguous: true });
    },
  );
  it('is one beside a code that is about something else', () => {
    expect(of(errorWith({ status: 404 }, 'open: ENOENT'))).toMatchObject({ rule: 'status:404', ambiguous: false });
    expect(of(errorWith({ status: 400 }, 'Validation failed: EMAIL'))).toMatchObject({ rule: 'status:400', ambiguous: false });
  });
  it.each([
    ['ECONNREFUSED', 'network', false],
    ['ECONNRESET', 'network', true],
    ['ETIMEDOUT', 'timeout', true],
  ] as const)('around %s', (code, category, ambiguous) => {
    const failed = new TypeError('fetch failed', { cause: errorWith({ code }) });
    for (const status of [400, 404, 408, 409, 429, 503])
      for (const fields of [{ value: failed }, { cause: failed }, { error: failed }])
        expect(of(errorWith({ status, ...fields }))).toMatchObject({ classification: 'transient', category, ambiguous });
  });
  it('408 with the time of a client is ambiguous: the server may have the request', () => {
    for (const text of ['Request timed out after 400ms', 'Timed out after 30 s'])
      expect(of(errorWith({ status: 408 }, text))).toMatchObject({ category: 'timeout', rule: 'status:408+text:timeout', ambiguous: true });
    for (const error of [
      errorWith({ status: 408 }, 'Request Timeout'),
      errorWith({ status: 408, headers: { date: 'Fri, 27 Nov 2026 10:00:00 GMT' } }, 'Idle connection timed out after 30 s'),
    ])
      expect(of(error)).toMatchObject({ classification: 'transient', category: 'timeout', ambiguous: false });
  });
  it('in the cause is not what the error around it says', () => {
    const proxy = wrapped('fetch failed', new Error('Proxy response (407) !== 200 when HTTP Tunneling'));
    expect(of(proxy)).toMatchObject({ classification: 'permanent', category: 'auth', ambiguous: false });
  });
  it('or a code, around a connection that broke, is ambiguous', () => {
    for (const code of ['RATE_LIMITED', 'ServiceUnavailable', 'LOCKED'])
      expect(of(errorWith({ code, cause: errorWith({ code: 'ECONNRESET' }) }))).toMatchObject({
        classification: 'transient',
        ambiguous: true,
      });
  });
  it('around words of a connection that broke', () => {
    expect(of(errorWith({ status: 404, cause: new Error('socket hang up') }))).toMatchObject({ category: 'network', ambiguous: true });
  });
  it('is believed if headers came with it, or the cause is about something else', () => {
    const cause = errorWith({ code: 'ECONNREFUSED' });
    expect(of(errorWith({ status: 404, headers: { date: 'x' }, cause }))).toMatchObject({ rule: 'status:404' });
    expect(of(errorWith({ status: 404, cause: errorWith({ status: 504 }) }))).toMatchObject({ rule: 'status:404' });
    expect(of(errorWith({ status: 404, cause: errorWith({ code: 'ENOENT' }) }))).toMatchObject({ rule: 'status:404' });
    expect(of(errorWith({ status: 404, cause: new Error('The network is not what you asked for') }))).toMatchObject({ rule: 'status:404' });
  });
  it.each([402, 409, 503])('%s is ambiguous around a refused connection if its words tell of more', (status) => {
    const cause = errorWith({ code: 'ECONNREFUSED' });
    expect(of(errorWith({ status, cause }, 'Charged 50 EUR, but the receipt failed'))).toMatchObject({ ambiguous: true });
  });
  it('is one if there were headers, or more than a code', () => {
    expect(of(errorWith({ status: 400, headers: { date: 'x' } }, 'ECONNRESET'))).toMatchObject({ rule: 'status:400' });
    expect(of(errorWith({ status: 400 }, 'ECONNRESET is no channel'))).toMatchObject({ rule: 'status:400' });
    expect(of(errorWith({ status: 400 }, 'EFOOBAR'))).toMatchObject({ rule: 'status:400' });
  });
});

it('a status of failure beside one of success is about the answer, which came', () => {
  const error = errorWith(
    { output: { statusCode: 413 }, data: { raw: { statusCode: 200 } } },
    'Payload content length greater than allowed: 10',
  );
  expect(of(error)).toMatchObject({ classification: 'permanent', category: 'payload_too_large', ambiguous: true });
  expect(of(errorWith({ output: { statusCode: 413 } }, 'x'))).toMatchObject({ ambiguous: false });
});

describe("a client's own code that says unavailable", () => {
  it('may be about a connection that broke', () => {
    const error = errorWith({ code: 'ServiceUnavailable' }, 'Connection was closed by server', 'Neo4jError');
    expect(of(error)).toMatchObject({ classification: 'transient', ambiguous: true });
  });
  it('says less than what it quotes', () => {
    const error = errorWith(
      { code: 'ServiceUnavailable' },
      'Failed to connect to server. Caused by: connect ECONNREFUSED 127.0.0.1:1',
      'Neo4jError',
    );
    expect(of(error)).toMatchObject({ category: 'network', ambiguous: false });
  });
  it('is the one of a service beside a status', () => {
    expect(of(errorWith({ code: 'ServiceUnavailable', status: 503 }))).toMatchObject({ category: 'unavailable', ambiguous: false });
  });
});

it('the name that a service gives its error outranks the status', () => {
  const error = errorWith({ $fault: 'server', $metadata: { httpStatusCode: 502 } }, 'x', 'KMSAccessDeniedException');
  expect(of(error)).toMatchObject({ classification: 'permanent', category: 'permission' });
});

it('an error around that of a validator says what was invalid', () => {
  const invalid = errorWith({ issues: [] }, 'expected string', 'ZodError');
  expect(of(wrapped('Response did not match the schema', invalid))).toMatchObject({ category: 'contract', ambiguous: true });
  expect(of(wrapped("Shop: Invalid response from endpoint 'post /orders'", invalid))).toMatchObject({
    category: 'contract',
    ambiguous: true,
  });
  expect(of(wrapped("Shop: Invalid body parameter 'amount'", invalid))).toMatchObject({ category: 'invalid_input', ambiguous: false });
  expect(of(wrapped('Input of send_mail is not valid', invalid))).toMatchObject({ category: 'invalid_input', ambiguous: false });
});

it.each([
  ['ZodError', errorWith({ issues: [] }, '[]', 'ZodError')],
  ['any error with issues', errorWith({ issues: [{ path: ['id'] }] }, 'bad', 'u')],
  ['an error of the tool around it', wrapped('The order is not complete', errorWith({ issues: [] }, 'expected string', 'ZodError'))],
])('%s does not tell whether a request or a response was invalid', (_what, error) => {
  expect(of(error)).toMatchObject({ classification: 'permanent', category: 'invalid_input', ambiguous: true });
});

it.each([
  [-32602, "Structured content does not match the tool's output schema: data/total must be number"],
  [-32602, 'Output validation error: Invalid structured content for tool pay'],
  [-32600, 'Tool pay has an output schema but did not return structured content'],
])('a tool of MCP that returned something else has run: %i %s', (code, text) => {
  const said = `MCP error ${String(code)}: ${text}`;
  const result = { category: 'contract', ambiguous: true };
  expect(of(errorWith({ code }, said, 'McpError'))).toMatchObject(result);
  expect(of(new Error(said))).toMatchObject(result);
  expect(of(errorWith({ code }, `MCP error ${String(code)}: Invalid arguments for tool pay`))).toMatchObject({
    category: 'invalid_input',
    ambiguous: false,
  });
});

it('what a client says of the issues that it found is its own', () => {
  class ArgumentsError extends Error {}
  const error = Object.assign(new ArgumentsError('The following arguments failed validation: body.'), {
    errors: [{ message: 'Invalid: id' }],
  });
  expect(of(error)).toMatchObject({ category: 'invalid_input', ambiguous: false });
  const transient = Object.assign(new ArgumentsError('Validation failed'), { errors: [{ message: 'request timed out' }] });
  expect(of(transient)).toMatchObject({ category: 'timeout', ambiguous: true });
});

it('errors by host are errors side by side', () => {
  const refused = (host: string) => errorWith({ code: 'ECONNREFUSED' }, `connect ECONNREFUSED ${host}`);
  const both = { '10.0.0.1:9042': refused('10.0.0.1:9042'), '10.0.0.2:9042': refused('10.0.0.2:9042') };
  expect(of(errorWith({ innerErrors: both }, 'All hosts failed', 'NoHostAvailableError'))).toMatchObject({
    category: 'network',
    ambiguous: false,
  });
  const one = { ...both, '10.0.0.3:9042': errorWith({ code: 'ECONNRESET' }, 'read ECONNRESET') };
  expect(of(errorWith({ innerErrors: one }, 'All hosts failed', 'NoHostAvailableError'))).toMatchObject({ ambiguous: true });
});

describe('where clients keep what a server said', () => {
  it.each([
    ['the reply of a mail server', errorWith({ smtp: '550 No such user here\n' }, "bad response on command 'RCPT'"), 'not_found'],
    ['a response', errorWith({ ['res']: { statusCode: 401 } }, 'x'), 'auth'],
    ['the code of an IMAP server', errorWith({ textCode: 'AUTHENTICATIONFAILED' }, 'no'), 'auth'],
    ['a status in brackets', new Error('Request failed: Shop Error (422): Unprocessable Entity'), 'invalid_input'],
    ['a status in quotes', new Error("Failed to negotiate: Status code '401'"), 'auth'],
    ['a code behind a colon', new Error('Invalid WSDL URL: \r Code: 404'), 'not_found'],
  ] as const)('%s', (_what, error, category) => {
    expect(of(error)).toMatchObject({ classification: 'permanent', category, ambiguous: false });
  });
  it('a reply of Redis is its own, whatever it says', () => {
    expect(of(errorWith({}, "OOM command not allowed when used memory > 'maxmemory'.", 'ReplyError'))).toMatchObject({ ambiguous: false });
    expect(of(errorWith({ code: 'Neo.TransientError.General.DatabaseUnavailable' }, 'x'))).toMatchObject({ category: 'unavailable' });
  });
});

it.each([
  ['Operation `orders.insertOne()` buffering timed out after 250ms', 'MongooseError'],
  ['Timed out while authenticating with server', 'Error'],
  ['getConnection: All configured authentication methods failed', 'Error'],
  ['ECONNREFUSED connect ECONNREFUSED 127.0.0.1:1', 'Error'],
  ['/a.B/Pay UNAVAILABLE: No connection established. Last error: null', 'ClientError'],
  ['Could not connect to 127.0.0.1:28015, operation timed out.', 'DriverTimeoutError'],
  ['Unable to connect to seed host 10.0.0.3:3000. Operation timed out', 'Error'],
  ['Connection is disposed.', 'ConnectionError'],
])('nothing was sent: %s', (message, name) => {
  expect(of(errorWith({}, message, name))).toMatchObject({ ambiguous: false });
});
