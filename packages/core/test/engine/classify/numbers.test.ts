/** Numbers as the only evidence: statuses, and codes whose meaning depends on the rest of the error. */
import { describe, expect, it } from 'vitest';
import { errorWith } from './errors.ts';
import { group, meanings, of } from './meanings.ts';
import type { Row } from './meanings.ts';

const numbered = (fields: Readonly<Record<string, unknown>>, name?: string) => (code: string) =>
  errorWith({ ...fields, code: Number(code) }, '', name);

describe('codes that are plain numbers', () => {
  const grpc: readonly Row[] = [
    ['neutral cancelled?', '1'],
    ['transient unavailable?', '2 13 14 15'],
    ['permanent invalid_input', '3 11'],
    ['transient timeout?', '4'],
    ['permanent not_found', '5'],
    ['permanent conflict', '6 9'],
    ['permanent permission', '7'],
    ['transient rate_limit', '8'],
    ['transient conflict', '10'],
    ['permanent unsupported', '12'],
    ['permanent auth', '16'],
  ];
  group('of gRPC, recognized by metadata', 'grpc', grpc, numbered({ metadata: {} }));
  group('of gRPC, recognized by details', 'grpc', grpc, numbered({ details: 'x' }));
  describe('of gRPC, recognized by the text', () => {
    it.each([
      ['[not_found] gone', 5],
      ['5 NOT_FOUND: gone', 5],
    ])('%s', (text, code) => expect(of(errorWith({ code }, text)).rule).toBe(`grpc:${String(code)}`));
    it.each([
      ['gone [not_found] gone', 5],
      ['gone 5 NOT_FOUND: gone', 5],
      ['[note] 0', 17],
      ['[] gone', 5],
    ])('not %s', (text, code) => expect(of(errorWith({ code }, text)).rule).not.toMatch(/^grpc/));
  });
  group(
    'of JSON-RPC and MCP',
    'mcp',
    [
      ['permanent contract?', '-32700'],
      ['permanent invalid_input', '-32600 -32602'],
      ['permanent unsupported', '-32601'],
      ['permanent not_found', '-32002'],
      ['permanent auth', '-32042'],
      ['neutral cancelled?', '-32800'],
      ['transient conflict', '-32801 -32802'],
      ['transient timeout?', '-32001'],
      ['transient unavailable?', '-32603'],
    ],
    numbered({}),
  );
  it.each([-31_999, -32_000, -33_000, -33_700])('%i is not one of them', (code) => {
    expect(of(errorWith({ code })).rule).toBe('unknown');
  });
  group(
    'of SMTP and FTP',
    'reply',
    [
      ['transient network', '425'],
      ['transient network?', '426'],
      ['transient unavailable', '421 451'],
      ['transient conflict', '450'],
      ['transient resource', '452'],
      ['permanent unsupported', '502 504'],
      ['permanent auth', '430 530 535'],
      ['permanent not_found', '550 551'],
      ['permanent payload_too_large', '552'],
      ['permanent permission', '554'],
      ['permanent invalid_input', '500 501 553 599'],
    ],
    (code) => errorWith({ responseCode: Number(code) }),
  );
  it.each(['SMTPError', 'FTPError', 'FtpError'])('of a server that is named by %s', (name) => {
    expect(of(errorWith({ code: 421 }, 'x', name)).rule).toBe('reply:421');
    expect(of(errorWith({ code: 421 }, 'x', `My${name}`)).rule).toBe('status:421');
  });
  it.each([450, 452, 530, 550])('%i, which no server of HTTP says', (code) => {
    expect(of(errorWith({ code }, 'x')).rule).toBe(`reply:${String(code)}`);
    expect(of(errorWith({ status: code }, 'x')).rule).toBe(`status:${String(code)}`);
  });
  group(
    'of Cassandra',
    'cassandra',
    [
      ['transient unavailable', '4096 4097 4098'],
      ['transient timeout?', '4352 4608'],
      ['permanent invalid_input', '8192 8704'],
      ['permanent permission', '8448'],
      ['permanent conflict', '9216'],
    ],
    (code) => errorWith({ code: Number(code) }, 'x', 'ResponseError'),
  );
  it.each([200, 399, 600])('%i is not a failed reply', (responseCode) => {
    expect(of(errorWith({ responseCode })).rule).toBe('unknown');
  });
  group(
    'of WebSocket closes',
    'websocket',
    [
      ['transient network?', '1001'],
      ['transient network?', '1005 1006'],
      ['permanent contract?', '1002'],
      ['permanent unsupported', '1003 1010'],
      ['permanent invalid_input', '1007'],
      ['permanent permission', '1008'],
      ['permanent payload_too_large', '1009'],
      ['transient unavailable?', '1011'],
      ['transient unavailable', '1012 1013 1014'],
      ['permanent network', '1015'],
    ],
    (code) => ({ code: Number(code) }),
  );
  group(
    'of MongoDB',
    'mongo',
    [
      ['transient unavailable', '91 189 11600 10107'],
      ['transient network', '6 7'],
      ['transient network?', '89 9001'],
      ['transient conflict', '112 24 251'],
      ['transient timeout?', '50 262'],
      ['permanent conflict', '11000 11001 48'],
      ['permanent permission', '13'],
      ['permanent auth', '18 8000'],
      ['permanent not_found', '26 27'],
      ['permanent invalid_input', '2 9 14 121'],
      ['permanent unsupported', '59 115'],
      ['permanent payload_too_large', '10334'],
    ],
    numbered({}, 'MongoServerError'),
  );
  group(
    'of SQLite, with whatever detail in the higher bits',
    'sqlite',
    [
      ['transient conflict', '5 6 17 261 517'],
      ['transient resource', '7'],
      ['permanent permission', '3 8 23'],
      ['transient unavailable', '10 15 266'],
      ['permanent resource', '13'],
      ['permanent invalid_input', '1 11 20 25 26'],
      ['permanent not_found', '12 14'],
      ['permanent payload_too_large', '18'],
      ['permanent conflict', '19 2067'],
      ['permanent bug', '21'],
    ],
    (code) => errorWith({ errcode: Number(code) }),
  );
  group(
    'of SQL Server',
    'sqlserver',
    [
      ['transient conflict', '1205 1222 3960'],
      ['transient timeout?', '-2'],
      ['permanent conflict', '547 2601 2627'],
      ['permanent invalid_input', '102 245 515 8152'],
      ['permanent not_found', '207 208 4060'],
      ['permanent permission', '229 262'],
      ['permanent auth', '18456'],
      ['transient unavailable', '40197 40501 40613'],
      ['transient resource', '701 802 10928'],
      ['permanent quota_exhausted', '40544'],
    ],
    (code) => errorWith({ number: Number(code) }),
  );
  const exits: readonly Row[] = [
    ['transient timeout?', '124'],
    ['transient unavailable?', '69 75'],
    ['permanent permission?', '77 126'],
    ['permanent not_found?', '127'],
    ['permanent invalid_input?', '2 64 65'],
  ];
  group('of programs that ended, recognized by cmd', 'exit', exits, numbered({ cmd: 'x' }));
  group('of programs that ended, recognized by spawnargs', 'exit', exits, numbered({ spawnargs: [] }));
  it('an exit code without a meaning does not count', () => {
    expect(of(errorWith({ cmd: 'x', code: 1 })).rule).toBe('unknown');
  });
  it.each([1000, 1016, 1017, 0, 17, 999])('%i alone does not count', (code) => {
    expect(of({ code }).rule).toBe('unknown');
  });
});

describe('HTTP statuses', () => {
  meanings(
    'status',
    [
      ['permanent auth', '401 407 511'],
      ['permanent quota_exhausted', '402'],
      ['permanent permission', '403 451'],
      ['permanent not_found', '404 410'],
      ['permanent unsupported', '405 406 415 426 501 505'],
      ['transient timeout?', '504 524'],
      ['transient timeout', '408 522 598 599'],
      ['permanent conflict', '409 412 424'],
      ['permanent payload_too_large', '413 414 431'],
      ['transient network', '421 523'],
      ['transient conflict', '423'],
      ['transient unavailable', '425 503 521 525 526 529'],
      ['transient rate_limit', '420 429'],
      ['neutral cancelled?', '499'],
      ['transient unavailable?', '500 502 520 530 561'],
      ['permanent resource', '507'],
      ['permanent network', '495 496'],
      ['permanent contract?', '508'],
      ['permanent invalid_input', '400 416 418 422 428 450'],
    ],
    (status) => errorWith({ status: Number(status) }),
  );
  it.each([0, 99, 100, 200, 302, 399, 600, 999, 404.5, Number.NaN])('%d is not a failure', (status) => {
    const found = of(errorWith({ status }));
    expect(found.rule).toBe('unknown');
    expect(found).not.toHaveProperty('status');
  });
  it('may be the whole error', () => {
    expect(of(503)).toMatchObject({ rule: 'status:503', status: 503 });
    expect(of(400).rule).toBe('status:400');
    expect(of(399).rule).toBe('unknown');
    expect(of(600).rule).toBe('unknown');
  });
});
