/** Protection of clients from each other: sizes, slowness, numbers, smuggling, junk; sent as raw bytes. */
import { request } from 'node:http';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listenHttp } from '../../src/http/http-shell.ts';
import { closed, handshake, held, json, lines, raw } from './support/raw-http.ts';
import { startShell } from './support/shell.ts';

const session = async (port: number): Promise<string> =>
  /mcp-session-id: (\S+)/i.exec((await raw(port, lines({ headers: [json], body: handshake }))).head)?.[1] ?? '';
const ping = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });

// These wait for most of their time: side by side.
test.concurrent('a thousand idle connections do not affect others, and are closed in time', async () => {
  await using running = await startShell({ limits: { headerTimeoutMs: 8000 } });
  const idle = await Promise.all(Array.from({ length: 500 }, () => held(running.port)));
  const slow = await Promise.all(Array.from({ length: 500 }, () => held(running.port, 'POST /mcp HTTP/1.1\r\nhost: 127')));
  while (running.shell.connections() < 1000) await aMoment();
  for (let index = 0; index < 20; index++) expect((await raw(running.port, lines({ headers: [json], body: handshake }))).status).toBe(200);
  await Promise.all([...idle, ...slow].map(closed));
  expect(running.shell.connections()).toBeLessThan(5);
}, 60_000);

test.concurrent('more connections than allowed are closed at once; the others stay', async () => {
  await using running = await startShell({ limits: { connections: 5 } });
  const kept = await Promise.all(Array.from({ length: 5 }, () => held(running.port)));
  await closed(await held(running.port));
  for (const socket of kept) expect(socket.closed).toBe(false);
  kept[0]?.destroy();
  while (running.shell.connections() === 5) await aMoment();
  expect((await raw(running.port, lines({ headers: [json], body: handshake }))).status).toBe(200);
  for (const socket of kept) socket.destroy();
});

test.concurrent('the wait for headers and bodies is limited', async () => {
  await using running = await startShell({
    limits: { headerTimeoutMs: 500, bodyTimeoutMs: 1000 },
    rest: async (request) => new Response(await request.text()),
  });
  expect((await raw(running.port, 'POST /mcp HTTP/1.1\r\nhost: localhost\r\nx: ')).status).toBe(408);
  for (const target of ['/mcp', '/v1/turns', '/openai/v1/x'])
    expect([
      target,
      (await raw(running.port, lines({ target, headers: [json, 'content-length: 100'], body: '{"jsonrpc"' }))).status,
    ]).toEqual([target, 408]);
  expect((await raw(running.port, lines({ headers: [json], body: handshake }))).status).toBe(200);
  expect(running.faults).toEqual([]);
});

test.concurrent('an idle keep-alive connection is closed', async () => {
  await using running = await startShell({ limits: { idleTimeoutMs: 100 } });
  const socket = await held(running.port, lines({ headers: [json], body: handshake }));
  await new Promise((resolve) => socket.once('data', resolve));
  await closed(socket);
});

test('bodies that are too long are refused: with a length, chunked, for the endpoint and for other paths', async () => {
  await using running = await startShell({ limits: { bodyBytes: 1000 }, transportLimits: { bodyBytes: 1000 } });
  const long = `${handshake}${' '.repeat(1000)}`;
  const pieces = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  for (const target of ['/mcp', '/v1/turns']) {
    expect((await raw(running.port, lines({ target, headers: [json], body: long }))).status).toBe(413);
    expect((await raw(running.port, lines({ target, headers: [json, 'content-length: 99999999999'], body: '{' }))).status).toBe(413);
    expect((await raw(running.port, lines({ target, headers: [json, 'transfer-encoding: chunked'], body: pieces(long) }))).status).toBe(
      413,
    );
    expect(
      (await raw(running.port, lines({ target, headers: [json, 'transfer-encoding: chunked'], body: pieces(handshake) }))).status,
    ).toBe(200);
  }
  const endless = await held(running.port, lines({ headers: [json, 'transfer-encoding: chunked'], body: pieces(long).slice(0, -7) }));
  const feeding = setInterval(() => void endless.write('5\r\nxxxxx\r\n'), 5);
  await closed(endless);
  clearInterval(feeding);
});

test('headers that are too long, or too many, are refused', async () => {
  await using running = await startShell();
  expect((await raw(running.port, lines({ headers: [`x: ${'x'.repeat(20_000)}`] }))).status).toBe(431);
  const many = Array.from({ length: 2000 }, (_, index) => `x${index}: ${index}`);
  expect((await raw(running.port, lines({ headers: many }))).status).toBe(431);
  expect((await raw(running.port, `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`)).status).toBe(431);
});

const smuggled: readonly [string, string][] = [
  [
    'length and chunks',
    lines({ headers: [json, 'content-length: 4', 'transfer-encoding: chunked'], body: '0\r\n\r\nGET /x HTTP/1.1\r\n\r\n' }),
  ],
  ['two lengths', lines({ headers: [json, 'content-length: 4', 'content-length: 5'], body: 'abcde' })],
  ['a length with a sign', lines({ headers: [json, 'content-length: +4'], body: 'abcd' })],
  ['a list of lengths', lines({ headers: [json, 'content-length: 4, 4'], body: 'abcd' })],
  ['an odd encoding', lines({ headers: [json, 'transfer-encoding: xchunked'], body: '0\r\n\r\n' })],
  ['an encoding twice', lines({ headers: [json, 'transfer-encoding: chunked', 'transfer-encoding: identity'], body: '0\r\n\r\n' })],
  ['a space before the colon', lines({ headers: [json, 'transfer-encoding : chunked'], body: '0\r\n\r\n' })],
  ['a folded header', lines({ headers: [json, 'x: a\r\n b: c'], body: handshake })],
  ['a bare line feed', `GET /healthz HTTP/1.1\nhost: localhost\n\n`],
  ['a bare carriage return', `GET /healthz HTTP/1.1\r\nhost: localhost\rx: y\r\n\r\n`],
  ['a zero byte', `GET /healthz HTTP/1.1\r\nhost: local\0host\r\n\r\n`],
  ['no HTTP', 'hello\r\n\r\n'],
  ['another protocol', '\x16\x03\x01\x02\x00\x01\x00'],
  ['a tunnel', 'CONNECT evil.example:80 HTTP/1.1\r\nhost: evil.example\r\n\r\n'],
];

test.for(smuggled)('refused without internal details: %s', async ([, bytes]) => {
  await using running = await startShell();
  const reply = await raw(running.port, bytes);
  expect([0, 400, 403, 501, 505]).toContain(reply.status);
  expect(reply.body).not.toMatch(/Error|node:|\.ts|HPE_/);
  expect((await raw(running.port, lines({ headers: [json], body: handshake }))).status).toBe(200);
  expect(running.faults).toEqual([]);
});

test('an upgrade is ignored: the request is answered normally', async () => {
  await using running = await startShell();
  const headers = [json, 'connection: upgrade, http2-settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAARAAAAAAAIAAAAA'];
  expect((await raw(running.port, lines({ headers, body: handshake }))).status).toBe(200);
});

test('unsupported media types are refused', async () => {
  await using running = await startShell();
  const status = async (...headers: string[]): Promise<number> => (await raw(running.port, lines({ headers, body: handshake }))).status;
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/json, text/plain',
    '',
  ])
    expect([type, await status(`content-type: ${type}`)]).toEqual([type, 415]);
  expect(await status()).toBe(415);
  expect(await status(json, 'content-encoding: gzip')).toBe(415);
  expect(await status(json, 'accept: text/html')).toBe(406);
  expect(await status('content-type: application/json; charset=utf-8', 'accept: */*')).toBe(200);
  expect(await status(json, 'expect: 100-continue')).toBe(200);
});

const junk: readonly [string, number][] = [
  ['', -32_700],
  ['{', -32_700],
  ['{"jsonrpc":"2.0","id":1,"method":"ping"}{}', -32_700],
  ['NaN', -32_700],
  ['"x"', -32_600],
  ['null', -32_600],
  ['{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}', -32_600],
  ['{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32_600],
  ['{"jsonrpc":"2.0","id":1,"method":{"toString":1}}', -32_600],
  ['{"__proto__":{"jsonrpc":"2.0","id":1,"method":"ping"}}', -32_600],
  [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, -32_600],
  [`{"a":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_001)}`, -32_600],
];

test.for(junk)('junk is refused with its code, session or not: %s', async ([body, code]) => {
  await using running = await startShell();
  for (const headers of [[json], [json, `mcp-session-id: ${await session(running.port)}`], [json, 'mcp-protocol-version: 2026-07-28']]) {
    const reply = await raw(running.port, lines({ headers, body }));
    expect([reply.status, (JSON.parse(reply.body) as { error: { code: number } }).error.code]).toEqual([400, code]);
  }
  expect(running.faults).toEqual([]);
});

test('pipelined requests are answered in order', async () => {
  await using running = await startShell();
  const id = await session(running.port);
  const socket = await held(running.port);
  let all = '';
  socket.setEncoding('utf8').on('data', (part: string) => (all += part));
  socket.write(Array.from({ length: 20 }, (_, index) => lines({ headers: [json, `mcp-session-id: ${id}`], body: ping(index) })).join(''));
  while ((all.match(/"result"/g)?.length ?? 0) < 20) await new Promise((resolve) => setTimeout(resolve, 5));
  expect([...all.matchAll(/"id":(\d+)/g)].map(([, at]) => Number(at))).toEqual(Array.from({ length: 20 }, (_, index) => index));
  socket.destroy();
});

test('close() lets running requests end, closes idle connections, and accepts no new ones', async () => {
  let release: (() => void) | undefined;
  const running = await startShell({
    rest: () =>
      new Promise((resolve) => {
        release = () => resolve(new Response('late'));
      }),
  });
  const idle = await held(running.port, lines({ headers: [json], body: handshake }));
  await new Promise((resolve) => idle.once('data', resolve));
  const late = raw(running.port, lines({ method: 'GET', target: '/v1/slow' }));
  while (release === undefined) await aMoment();
  const closing = running.shell.close(20_000);
  await closed(idle);
  await expect(held(running.port)).rejects.toThrow(/ECONNREFUSED/);
  release();
  expect((await late).body).toContain('late');
  await closing;
});

test('close() ends requests that exceed the limit', async () => {
  let isRunning = false;
  const stuck = await startShell({
    rest: () => {
      isRunning = true;
      return new Promise(() => {});
    },
  });
  const never = raw(stuck.port, lines({ method: 'GET', target: '/v1/slow' }));
  while (!isRunning) await aMoment();
  await stuck.shell.close(50);
  expect((await never).status).toBe(0);
});

const aMoment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test('a port in use says what to do', async () => {
  const parts = { mcp: (): void => {}, rest: () => Promise.resolve(new Response('here')) } as const;
  const shell = await listenHttp({ ...parts, listen: { host: '127.0.0.1', port: 0 } });
  const again = listenHttp({ ...parts, listen: { host: '127.0.0.1', port: shell.port ?? 0 } });
  await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE', message: expect.stringMatching(/is in use.*--port/) as unknown });
  await shell.close(0);
});

test.each([
  [{ host: 'no-such-host.invalid', port: 0 }, /no-such-host\.invalid has no address: set gateway\.listen\.host/],
  [{ path: join(tmpdir(), 'x'.repeat(200)) }, /too long.*gateway\.listen\.path of at most 103 bytes/],
  [
    { path: join(tmpdir(), 'no-such-folder-of-the-tests', 'a.sock') },
    /no-such-folder-of-the-tests of the socket does not exist: create it/,
  ],
])('an address that cannot be used says what to do: %j', async (listen, message) => {
  const tokens = [{ name: 'alice', secret: 'x'.repeat(20) }];
  const parts = { mcp: (): void => {}, rest: () => Promise.resolve(new Response('here')), tokens } as const;
  await expect(listenHttp({ ...parts, listen })).rejects.toThrow(message);
});

test('a Unix socket is accessible to its owner only; a stale one is replaced, one in use is not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-http-'));
  const path = join(folder, 'gateway.sock');
  const options = { listen: { path }, mcp: (): void => {}, rest: () => Promise.resolve(new Response('here')) } as const;
  const shell = await listenHttp(options);
  try {
    expect([shell.url, shell.port, (await stat(path)).mode & 0o777]).toEqual([`unix:${path}`, undefined, 0o600]);
    expect(await over(path)).toBe('here');
    const message = expect.stringContaining(`another gateway or another program listens on ${path}`) as unknown;
    await expect(listenHttp(options)).rejects.toMatchObject({ code: 'EADDRINUSE', message });
    expect(await over(path)).toBe('here');
  } finally {
    await shell.close(0);
  }
  await leaveStale(path);
  const again = await listenHttp(options);
  expect(await over(path)).toBe('here');
  await again.close(0);
  await rm(folder, { recursive: true });
});

function over(socketPath: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path: '/x', host: 'localhost' }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });
}

/** Leaves a stale socket, like a killed process. */
async function leaveStale(path: string): Promise<void> {
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, [
    '-e',
    `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`,
  ]);
  await new Promise((resolve) => child.on('close', resolve));
  await stat(path);
}
