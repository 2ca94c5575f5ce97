/** Statuses and codes in messages, when the message is the only evidence, and texts that only resemble them. */
import { describe, expect, it } from 'vitest';
import { of } from './meanings.ts';

const ruleOf = (text: string): string => of(new Error(text)).rule;

describe('a status in a message', () => {
  it.each([
    'status 503',
    'status code 503',
    'status_code: 503',
    'status-code=503',
    'statuscode 503',
    "'status': 503",
    '"status":503',
    'status of 503',
    'status was 503',
    'status code is 503',
    'HTTP 503',
    'HTTP/1.1 503',
    'HTTP/2 503',
    'http error 503',
    'http-code: 503',
    'HTTP_STATUS 503',
    'http status code: 503',
    'http response 503',
    'response 503',
    'response code: 503',
    'error code: 503',
    'it failed (503)',
    'the code 503',
    'error 503.',
    'error 503, sorry',
    'ended with 503',
    'returned 503',
    'returned a 503 error',
    'answered 503:',
    'got an error 503',
    'got 503 from x',
    'received error: 503',
    'received code: 503',
    'received a 503 response',
    '503',
    '503 Service',
    '503: no',
    '503, no',
    'Error: 503 Service',
    'error: 503 (x',
    'HTTPError: 503 Service',
    'x: 503 Service',
    '[503]',
    '[503] no',
  ])('%s', (text) => expect(of(new Error(text))).toMatchObject({ rule: 'text:status 503', status: 503 }));
  it.each([
    'status 5034',
    'status 1503',
    'status 50',
    'status 603',
    'status 303',
    'status of the 503',
    'substatus503',
    'https 503',
    'HTTP/1.1.1.1 503',
    'the 503 seats',
    'with 503 seats',
    'got 503 seats',
    'returned 503 rows',
    'errors 503.',
    'decode 503x',
    '503 seats',
    '5030',
    '503x',
    'a 503',
    'at 503 Main Street',
    'x:503 Y',
    '(5033)',
    '( 503',
  ])('not %s', (text) => expect(of(new Error(text))).not.toHaveProperty('status'));
  it.each([
    ['(410)', 410],
    ['(451)', 451],
    ['(599)', 599],
  ])('%s', (text, status) => expect(of(new Error(text)).status).toBe(status));
  it('means the same as in a field', () => {
    expect(of(new Error('(418)'))).toMatchObject({ rule: 'unknown' }); // only statuses that a table knows
    expect(of(new Error('(404)'))).toMatchObject({ rule: 'text:status 404', category: 'not_found' });
    expect(of(new Error('(499)'))).toMatchObject({ rule: 'text:status 499', classification: 'neutral' });
    expect(of(new Error('(500)'))).toMatchObject({ rule: 'text:status 500', ambiguous: true });
  });
  it('takes precedence over other words, which refine it', () => {
    expect(ruleOf('connection reset, status 404')).toBe('text:status 404');
    expect(ruleOf('status 403, rate limit exceeded')).toBe('status:403+text:rate limit');
    expect(ruleOf('status 404, session not found')).toBe('status:404+text:network');
  });
});

describe('a code in a message', () => {
  it.each([
    ['read ECONNRESET', 'text:ECONNRESET', 'network'],
    ['ENOENT: no such file', 'text:ENOENT', 'not_found'],
    ['x: EBUSY.', 'text:EBUSY', 'conflict'],
    ['net::ERR_NAME_NOT_RESOLVED', 'text:ERR_NAME_NOT_RESOLVED', 'network'],
    ['DEADLINE_EXCEEDED', 'text:DEADLINE_EXCEEDED', 'timeout'],
    ['ORA-00060: deadlock', 'text:ORA-00060', 'conflict'],
    ['it failed with ORA-00001.', 'text:ORA-00001', 'conflict'],
    ['SQLITE_BUSY: x', 'text:SQLITE_BUSY', 'conflict'],
    ['SQLITE_CONSTRAINT_UNIQUE: x', 'text:SQLITE_CONSTRAINT_UNIQUE', 'conflict'],
    ['A1 A2 A3 A4 A5 A6 A7 EPIPE', 'text:EPIPE', 'network'],
    ['ABC ABD ABE ABF ABG ABH ABI EPIPE', 'text:EPIPE', 'network'],
    ['ERROR_NOBODY_KNOWS then ENOSPC', 'text:ENOSPC', 'resource'],
  ])('%s', (text, rule, category) => {
    const found = of(new Error(text));
    expect(found).toMatchObject({ rule, category });
    expect(found.code).toBe(rule.slice('text:'.length));
  });
  it.each([
    'econnreset',
    'XECONNRESET',
    'ECONNRESETS',
    'ECONNRESET2X',
    'x ECONNRESE',
    'ABC ABD ABE ABF ABG ABH ABI ABJ EPIPE',
    'EOF1',
    'LOADED',
  ])('not %s', (text) => expect(ruleOf(text)).toBe('unknown'));
});

describe('a reply of Redis in a message', () => {
  it.each([
    ['LOADING x', 'unavailable'],
    ['-LOADING x', 'unavailable'],
    ['ReplyError: LOADING x', 'unavailable'],
    ['Error: BUSY x', 'unavailable'],
    ['BUSYKEY x', 'conflict'],
    ['NOAUTH x', 'auth'],
    ['WRONGPASS x', 'auth'],
    ['NOPERM x', 'permission'],
    ['WRONGTYPE x', 'invalid_input'],
    ['NOSCRIPT x', 'not_found'],
    ['CLUSTERDOWN x', 'unavailable'],
    ['MASTERDOWN x', 'unavailable'],
    ['MOVED 1 x', 'network'],
    ['ASK 1 x', 'network'],
    ['READONLY x', 'unavailable'],
    ['MISCONF x', 'unavailable'],
    ['OOM x', 'resource'],
    ['TRYAGAIN x', 'conflict'],
    ['EXECABORT x', 'invalid_input'],
    ['CROSSSLOT x', 'invalid_input'],
    ['UNKILLABLE x', 'unavailable'],
    ['INPROG x', 'conflict'],
    ['NOREPLICAS x', 'unavailable'],
  ])('%s', (text, category) => {
    expect(of(new Error(text)).category).toBe(category);
    expect(ruleOf(text)).toMatch(/^text:[A-Z]+$/);
  });
  it.each(['the LOADING dock', 'x: MOVED out', 'I ASK you', 'loading dock', '--OOM x', 'moved on', 'XLOADING x', 'HTTP x'])(
    'not %s',
    (text) => {
      expect(ruleOf(text)).toBe('unknown');
    },
  );
});

describe('a SQLSTATE in a message', () => {
  it.each(['SQLSTATE 40001', 'SQLSTATE: 40001', 'SQLSTATE[40001]', 'SQLSTATE=40001', 'x (SQLSTATE 40001)'])('%s', (text) => {
    expect(of(new Error(text))).toMatchObject({ rule: 'text:SQLSTATE 40001', category: 'conflict', code: '40001' });
  });
  it.each(['SQLSTATE 4000', 'SQLSTATE 400011', 'SQLSTATE - 40001', 'SQLSTATE', 'sqlstate 40001', 'SQLSTATES 40001', 'SQLSTATE HY000'])(
    'not %s',
    (text) => {
      expect(ruleOf(text)).toBe('unknown');
    },
  );
});

describe('a constraint as MySQL prints it', () => {
  const text = "Error 1062 (23000): Duplicate entry '1' for key 'PRIMARY'";
  it('outweighs a code or status that only says that a server failed', () => {
    for (const fields of [{ status: 500 }, { status: 500, details: { code: 'INTERNAL', message: text } }])
      expect(of(Object.assign(new Error(text), fields, { name: 'DatabaseError' }))).toMatchObject({
        classification: 'permanent',
        category: 'conflict',
        ambiguous: false,
      });
  });
  it('is ambiguous behind other statements, and in a message of anyone', () => {
    expect(of(new Error(`Charged; then ${text}`))).toMatchObject({ classification: 'permanent', ambiguous: true });
    expect(of(Object.assign(new Error(`Saved the order, but ${text}`), { status: 500 }))).toMatchObject({ ambiguous: true });
  });
  it('says nothing with a vague class', () => {
    expect(ruleOf('Error 1105 (HY000): x')).toBe('unknown');
  });
});

describe('a JSON-RPC code in a message', () => {
  it('is the innermost', () => {
    expect(of(new Error('MCP error -32603: MCP error -32602: x'))).toMatchObject({ rule: 'mcp:-32602', code: '-32602' });
    expect(ruleOf('x\nMCP error -32601: x')).toBe('mcp:-32601');
  });
  it.each(['MCP error 32602', 'MCP error -3260', 'MCP error -326021', 'mcp error -32602', 'error -32602'])('not %s', (text) => {
    expect(ruleOf(text)).toBe('unknown');
  });
});

describe('a gRPC status in a message', () => {
  it.each([
    'StatusCode.NOT_FOUND',
    'x StatusCode.not_found',
    'rpc error: code = NotFound desc = x',
    'code = not_found',
    '5 NOT_FOUND: x',
    'Error: 5 NOT_FOUND: x',
    '[not_found] x',
    '[NotFound] x',
  ])('%s', (text) => expect(of(new Error(text)).category).toBe('not_found'));
  it.each([
    ['code = DeadlineExceeded', 'text:DeadlineExceeded', 'timeout'],
    ['code = deadlineExceeded', 'text:deadlineExceeded', 'timeout'],
    ['[data_loss] x', 'text:data_loss', 'unavailable'],
    ['14 UNAVAILABLE: x', 'text:UNAVAILABLE', 'unavailable'],
    ['[aborted] x', 'text:aborted', 'conflict'],
    ['code = Internal', 'text:Internal', 'unavailable'],
    ['code = Unknown', 'text:Unknown', 'unavailable'],
    ['StatusCode.ABORTED', 'text:ABORTED', 'conflict'],
  ])('%s', (text, rule, category) => expect(of(new Error(text))).toMatchObject({ rule, category, code: rule.slice('text:'.length) }));
  it.each([
    'x [data_loss] x',
    'x 13 internal y',
    '130 INTERNAL: x',
    'xStatusCode.INTERNAL',
    'mycode = Internal',
    'code = i',
    'Error: Error: 13 INTERNAL',
  ])('not %s', (text) => expect(ruleOf(text)).not.toMatch(/^text:(?:data_loss|internal|INTERNAL|Internal|i)$/));
});

describe('certificates in a message', () => {
  it.each(['self signed', 'self-signed x', 'the Certificate is bad', 'x509: unknown authority', 'tls: x509: unknown'])('%s', (text) => {
    expect(of(new Error(text))).toMatchObject({ rule: 'text:certificate', classification: 'permanent', category: 'network' });
  });
  it.each(['selfsigned', 'signed by itself', 'ax509: x', 'x5 091: x'])('not %s', (text) => expect(ruleOf(text)).toBe('unknown'));
  it('take precedence over the words around them', () => {
    expect(ruleOf('fetch failed: not found: self-signed')).toBe('text:certificate');
  });
});
