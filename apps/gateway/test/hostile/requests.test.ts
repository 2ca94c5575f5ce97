/** Malicious requests: they are refused with an error, leak nothing and run nothing, and the gateway continues to serve. */
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connectHttp } from '../fixtures/client/http-client.ts';
import { initializeParams, textOf } from '../fixtures/client/raw-client.ts';
import { startGateway, type GatewayInProcess } from '../fixtures/gateway.ts';
import { startHostileServer, type HostileHttpServer } from '../fixtures/hostile/http.ts';
import { exchange, open, rawRequest, type RawAnswer, type RequestParts } from './raw-http.ts';

const token = 'a-long-and-random-token-of-the-tests';

let server: HostileHttpServer;
let gateway: GatewayInProcess;
let guarded: GatewayInProcess;

beforeAll(async () => {
  process.env['HOSTILE_TEST_TOKEN'] = token;
  server = await startHostileServer('modern');
  const words = { mcp_servers: { upstream: { url: server.url, prefix: '' } } };
  const limits = { body_bytes: 100_000, header_timeout_ms: 1_000, body_timeout_ms: 1_500 };
  gateway = await startGateway({ ...words, gateway: { reload: false, limits } });
  guarded = await startGateway({ ...words, gateway: { reload: false, limits, tokens: [{ name: 'tests', env: 'HOSTILE_TEST_TOKEN' }] } });
});
beforeAll(async () => {
  for (const { url } of [gateway, guarded]) {
    await using client = await connectHttp(url, { era: 'modern', headers: { authorization: `Bearer ${token}` } });
    await client.request('tools/list');
  }
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await guarded[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Afterwards, it still serves, and only the call that is made here has reached the server. */
afterEach(async () => {
  await using client = await connectHttp(gateway.url, { era: 'modern' });
  const answerText = textOf(await client.call('echo', { message: 'still here' }));
  if (answerText !== 'still here' || server.serverLog.times('write') > 0)
    throw new Error(`The answer is '${answerText}', and the number of calls at the server is ${server.serverLog.times('write')} times.`);
});

const callParams = {
  name: 'write',
  arguments: {},
  _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} },
};
const callBody = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: callParams });
const callHeaders = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'write' };
const initializeBody = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams({}) });

const send = async (parts: RequestParts, to: GatewayInProcess = gateway): Promise<RawAnswer> =>
  await exchange(to.url, rawRequest(to.url, parts));
const call = (parts: RequestParts = {}): RequestParts => ({ body: callBody, ...parts, headers: { ...callHeaders, ...parts.headers } });

function expectRefused(answer: RawAnswer, ...statuses: readonly number[]): void {
  expect(statuses).toContain(answer.status);
  const answerText = answer.head + answer.body;
  expect(answerText).not.toMatch(/\bat .*\.(ts|js|mjs):\d+/);
  expect(answerText).not.toContain('node_modules');
  expect(answerText).not.toContain(token);
}

describe('clients', () => {
  test.for([
    { host: 'evil.example' },
    { host: 'localhost.evil.example' },
    { host: '127.0.0.1.evil.example:80' },
    { host: '127.0.0.1@evil.example' },
    { host: '' },
  ])('a foreign host is refused: $host', async (headers) => {
    expectRefused(await send(call({ headers })), 400, 403, 421);
  });

  test.for(['http://evil.example', 'https://localhost.evil.example', 'null', 'file://', 'http://127.0.0.1.evil.example'])(
    'a foreign origin is refused: %s',
    async (origin) => {
      const answer = await send(call({ headers: { origin } }));
      expectRefused(answer, 403);
      expect(answer.head.toLowerCase()).not.toContain('access-control-allow-origin');
    },
  );

  test('a preflight request of a foreign page is not allowed', async () => {
    const answer = await send({ method: 'OPTIONS', headers: { origin: 'http://evil.example', 'access-control-request-method': 'POST' } });
    expect(answer.head.toLowerCase()).not.toContain('access-control-allow-origin');
  });

  test.for([
    '',
    'Bearer',
    'Bearer wrong',
    `Bearer ${token}x`,
    `Bearer ${token.slice(0, -1)}`,
    `Basic ${token}`,
    token,
    `Bearer ${token},${token}`,
  ])('without a valid token a request is refused: %s', async (authorization) => {
    const answer = await send(call({ headers: { authorization } }), guarded);
    if (/^bearer\s+\S+\s*$/i.test(authorization) && authorization.trim().endsWith(` ${token}`)) return;
    expectRefused(answer, 401);
    expect(answer.head.toLowerCase()).toContain('www-authenticate');
  });

  test('a token in the URL is ignored, and not repeated in the answer', async () => {
    expectRefused(await send(call({ path: `/mcp?token=${token}&access_token=${token}` }), guarded), 401);
  });

  test('two authorization headers are refused', async () => {
    const text = rawRequest(guarded.url, call()).replace(
      'connection: close',
      `authorization: Bearer wrong\r\nauthorization: Bearer ${token}\r\nconnection: close`,
    );
    expectRefused(await exchange(guarded.url, text), 400, 401);
  });

  test('a valid token is accepted, over the API too', async () => {
    await using client = await connectHttp(guarded.url, { era: 'modern', headers: { authorization: `Bearer ${token}` } });
    expect(textOf(await client.call('echo', { message: 'in' }))).toBe('in');
    expectRefused(await send({ method: 'GET', path: '/v1/tools' }, guarded), 401);
    expect((await send({ method: 'GET', path: '/v1/tools', headers: { authorization: `Bearer ${token}` } }, guarded)).status).toBe(200);
  });
});

describe('bodies', () => {
  test.for([
    '',
    '{',
    'null',
    '42',
    '[]',
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":1,"method":42}',
    '\u0000',
    '{"a":'.repeat(5_000),
  ])('an invalid request is refused: %#', async (body) => {
    expectRefused(await send({ body }), 400, 202, 415);
  });

  test('deep nesting is answered', async () => {
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":${'{"a":'.repeat(8_000)}1${'}'.repeat(8_000)}}}`;
    expectRefused(await send({ body: deep }), 400, 200, 404);
  });

  test('one that is too large is refused, with or without content-length', async () => {
    const large = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'write', arguments: { a: 'x'.repeat(200_000) } },
    });
    expectRefused(await send({ body: large }), 413);
    expectRefused(await send({ headers: { 'content-length': '999999999' } }), 413);
    const chunked = rawRequest(gateway.url, { headers: { 'content-length': '', 'transfer-encoding': 'chunked' } });
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    expectRefused(await exchange(gateway.url, chunked + chunk.repeat(8)), 413, 400);
  });

  test('one of another type is refused', async () => {
    expectRefused(await send(call({ headers: { 'content-type': 'text/plain' } })), 400, 415);
    expectRefused(await send(call({ headers: { 'content-type': 'application/x-www-form-urlencoded' } })), 400, 415);
  });

  test('the wait for a missing one is limited', async () => {
    const answer = await exchange(gateway.url, rawRequest(gateway.url, { headers: { 'content-length': '1000' } }), 10_000);
    expect([0, 400, 408]).toContain(answer.status);
  });

  test('the wait for missing headers is limited', { timeout: 60_000 }, async () => {
    const answer = await exchange(gateway.url, 'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ', 50_000);
    expect([0, 400, 408]).toContain(answer.status);
  });
});

describe('paths and headers', () => {
  test.for([
    '/mcp/../v1/tools',
    '//mcp',
    '/mcp/',
    '/%6dcp',
    '/mcp%2f..%2fv1',
    '/.env',
    '/etc/passwd',
    '/v1/../../etc/passwd',
    '/mcp\\',
    'http://evil.example/mcp',
    '*',
    '/v1/tools/..%2f..%2fcircuit',
  ])('a crafted path is refused: %s', async (path) => {
    const answer = await send(call({ path, headers: { authorization: '' } }), guarded);
    expectRefused(answer, 400, 401, 403, 404, 405, 421);
  });

  test.for([
    [
      'content-length and transfer-encoding',
      'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /v1/tools HTTP/1.1\r\n\r\n',
    ],
    ['two lengths', 'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\nabcde'],
    ['two hosts', 'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nhost: evil.example\r\ncontent-length: 0\r\n\r\n'],
    ['a bare line feed', 'POST /mcp HTTP/1.1\nhost: 127.0.0.1\ncontent-length: 0\n\n'],
    ['no HTTP at all', '\u0016\u0003\u0001\u0002\u0000'],
    ['an unknown version', 'POST /mcp HTTP/9.9\r\nhost: 127.0.0.1\r\n\r\n'],
    ['a space before the colon', 'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length : 0\r\n\r\n'],
  ] as const)('%s', async ([, bytes]) => {
    const answer = await exchange(gateway.url, bytes);
    expect([0, 400, 403, 408, 415, 421, 505]).toContain(answer.status);
  });

  test('too many headers are refused', async () => {
    expectRefused(await send(call({ headers: { 'x-long': 'x'.repeat(200_000) } })), 431, 400, 0);
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`x-${index}`, 'y'.repeat(20)]));
    expectRefused(await send(call({ headers: many })), 431, 400, 0);
  });

  test('a header that contradicts the body is refused', async () => {
    expectRefused(await send(call({ headers: { 'mcp-method': 'tools/list' } })), 400);
    expectRefused(await send(call({ headers: { 'mcp-name': 'echo' } })), 400);
    expectRefused(await send(call({ headers: { 'mcp-name': '=?base64?????=' } })), 400);
    expectRefused(await send(call({ headers: { 'mcp-protocol-version': '2099-01-01' } })), 400);
  });

  test.for(['not-a-session', '../../etc', "' or 1=1", 'x'.repeat(10_000)])('an unknown session is refused: %#', async (session) => {
    const answer = await send({
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      headers: { 'mcp-session-id': session },
    });
    expectRefused(answer, 400, 404);
  });

  test.for(['GET', 'PUT', 'PATCH', 'TRACE', 'CONNECT', 'DELETE', 'PROPFIND'])('the method %s is not allowed', async (method) => {
    expectRefused(await send(call({ method })), 0, 400, 404, 405, 406, 501);
  });
});

describe('many', () => {
  test('a thousand idle connections do not block others', { timeout: 60_000 }, async () => {
    const idle: Socket[] = [];
    for (let count = 0; count < 1_000; count += 1) idle.push(await open(gateway.url));
    await using client = await connectHttp(gateway.url, { era: 'modern' });
    expect(textOf(await client.call('echo', { message: 'through' }))).toBe('through');
    for (const socket of idle) socket.destroy();
  });

  test('sessions are limited: the oldest idle ones are closed, or new ones are refused', async () => {
    await using small = await startGateway({
      mcp_servers: { upstream: { url: server.url, prefix: '' } },
      gateway: { reload: false, limits: { sessions: 10 } },
    });
    const statuses = await Promise.all(Array.from({ length: 30 }, async () => (await send({ body: initializeBody }, small)).status));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(10);
    expect(statuses.every((status) => [200, 429, 503].includes(status))).toBe(true);
  });

  test('requests in flight are limited; further ones are refused with an error', async () => {
    await using small = await startGateway({
      mcp_servers: { upstream: { url: server.url, prefix: '' } },
      gateway: { reload: false, limits: { in_flight: 5 } },
    });
    await using client = await connectHttp(small.url, { era: 'modern' });
    await client.request('tools/list');
    const waiting = Array.from({ length: 5 }, async () => await client.call('slow', { milliseconds: 600 }));
    await expect.poll(() => server.serverLog.times('slow'), { timeout: 10_000 }).toBe(5);
    await expect(client.call('slow', { milliseconds: 1 })).rejects.toThrow(/many|busy|limit/i);
    for (const answer of await Promise.all(waiting)) expect(textOf(answer)).toContain('done');
  });
});
