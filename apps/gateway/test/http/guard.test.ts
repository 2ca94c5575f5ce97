/** Which requests are admitted: hosts, origins, tokens, targets; sent as raw bytes. */
import { expect, test } from 'vitest';
import { listenHttp } from '../../src/http/http-shell.ts';
import { handshake, json, lines, raw } from './support/raw-http.ts';
import { startShell } from './support/shell.ts';

const routes: readonly { readonly method: string; readonly target: string; readonly body?: string }[] = [
  { method: 'POST', target: '/mcp', body: handshake },
  { method: 'GET', target: '/mcp' },
  { method: 'DELETE', target: '/mcp' },
  { method: 'GET', target: '/healthz' },
  { method: 'GET', target: '/readyz' },
  { method: 'POST', target: '/v1/turns', body: '{}' },
  { method: 'POST', target: '/openai/v1/chat/completions', body: '{}' },
  { method: 'OPTIONS', target: '/mcp' },
  { method: 'GET', target: '/no/such' },
];

test('a foreign Host is refused on every route, a loopback one is admitted with any port', async () => {
  await using running = await startShell();
  for (const route of routes)
    for (const host of [
      'evil.example',
      `evil.example:${running.port}`,
      'localhost.evil.example',
      'localhost.',
      '127.0.0.1.nip.io',
      '[::1',
      '127.0.0.1:x',
      'user@localhost',
      '2130706433',
      '0.0.0.0',
      '',
    ])
      expect([route.target, host, (await raw(running.port, lines({ ...route, host, headers: [json] }))).status]).toEqual([
        route.target,
        host,
        403,
      ]);
  for (const host of ['localhost', 'LOCALHOST:1', '127.0.0.1', `127.0.0.1:${running.port}`, '[::1]', `[::1]:${running.port}`])
    expect([host, (await raw(running.port, lines({ host, headers: [json], body: handshake }))).status]).toEqual([host, 200]);
});

test.each(['/sse', '/sse/', '/sse?key=1'])(
  'the older transport HTTP+SSE at %s is told what to use instead, before a token is asked for',
  async (target) => {
    await using running = await startShell({ tokens: [{ name: 'alice', secret: 'a-long-secret-of-alice' }] });
    for (const method of ['GET', 'POST']) {
      const { status, body } = await raw(
        running.port,
        lines({ method, target, headers: [json], ...(method === 'POST' ? { body: handshake } : {}) }),
      );
      expect(status).toBe(410);
      const { error } = JSON.parse(body) as { readonly error: { readonly code: string; readonly message: string } };
      expect(error.code).toBe('transport_not_supported');
      expect(error.message).toContain('replace /sse by /mcp');
    }
    expect((await raw(running.port, lines({ method: 'GET', target: '/sse', host: 'evil.example' }))).status).toBe(403);
    expect((await raw(running.port, lines({ method: 'GET', target: '/sse/other' }))).status).toBe(401);
  },
);

test('a request without Host is refused, whatever its version', async () => {
  await using running = await startShell();
  expect((await raw(running.port, lines({ host: null, headers: [json], body: handshake }))).status).toBe(400);
  expect((await raw(running.port, 'GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(403);
});

test('hosts may be allowed, by name or with their port', async () => {
  await using running = await startShell({ allowedHosts: ['Gateway.internal', 'exact.internal:99'] });
  const status = async (host: string): Promise<number> =>
    (await raw(running.port, lines({ host, headers: [json], body: handshake }))).status;
  expect(await status('gateway.internal')).toBe(200);
  expect(await status('gateway.internal:1234')).toBe(200);
  expect(await status('exact.internal:99')).toBe(200);
  expect(await status('exact.internal:98')).toBe(403);
  expect(await status('localhost')).toBe(200);
});

test('the Origin must be the own one or an allowed one, on every route', async () => {
  await using running = await startShell({ allowedOrigins: ['https://app.example'] });
  const own = `127.0.0.1:${running.port}`;
  for (const route of routes)
    for (const origin of [
      'http://evil.example',
      'null',
      'http://localhost:3000',
      'https://app.example.evil.example',
      'https://app.example:444',
      `http://${own}0`,
      'file://',
    ])
      expect([origin, (await raw(running.port, lines({ ...route, host: own, headers: [json, `origin: ${origin}`] }))).status]).toEqual([
        origin,
        403,
      ]);
  for (const origin of [`http://${own}`, 'https://app.example', 'HTTPS://APP.example'])
    expect([origin, (await raw(running.port, lines({ host: own, headers: [json, `Origin: ${origin}`], body: handshake }))).status]).toEqual(
      [origin, 200],
    );
});

test('only the page of an allowed Origin gets CORS headers', async () => {
  await using running = await startShell({ allowedOrigins: ['https://app.example'], tokens: [{ name: 'a', secret: 'right' }] });
  const page = 'origin: https://app.example';
  const preflight = await raw(
    running.port,
    lines({ method: 'OPTIONS', headers: [page, 'access-control-request-headers: mcp-param-region, x-evil'] }),
  );
  expect(preflight.status).toBe(204);
  expect(preflight.head).toMatch(/access-control-allow-origin: https:\/\/app\.example\r\n/);
  expect(preflight.head).toMatch(/access-control-allow-headers: .*mcp-session-id.*, mcp-param-region\r\n/);
  const answered = await raw(running.port, lines({ headers: [json, page, 'authorization: Bearer right'], body: handshake }));
  expect([answered.status, /access-control-allow-origin: https:\/\/app\.example\r\n/.test(answered.head)]).toEqual([200, true]);
  expect(answered.head).toMatch(/access-control-expose-headers: .*mcp-session-id/);
  expect((await raw(running.port, lines({ headers: [json, page], body: handshake }))).status).toBe(401);
  const plain = await raw(running.port, lines({ headers: [json, 'authorization: Bearer right'], body: handshake }));
  expect(plain.head).not.toMatch(/access-control/);
  expect((await raw(running.port, lines({ method: 'OPTIONS', headers: ['authorization: Bearer right'] }))).status).toBe(405);
});

const secret = 'a-secret-of-many-letters';

test('with tokens, only health checks need none', async () => {
  await using running = await startShell({
    tokens: [
      { name: 'ann', secret },
      { name: 'bob', secret: 'another' },
    ],
  });
  const statusWith = async (target: string, ...headers: string[]): Promise<number> =>
    (await raw(running.port, lines({ method: 'GET', target, headers }))).status;
  for (const authorization of [
    [],
    ['authorization: Bearer wrong'],
    ['authorization: Bearer'],
    [`authorization: Basic ${secret}`],
    [`authorization: ${secret}`],
    [`authorization: Bearer ${secret}x`],
    [`authorization: Bearer ${secret.slice(0, -1)}`],
    [`authorization: Bearer ${secret} ${secret}`],
    [`proxy-authorization: Bearer ${secret}`],
    [`cookie: token=${secret}`],
    [`x-api-key: ${secret}`],
  ])
    expect([authorization, await statusWith('/v1/tools', ...authorization)]).toEqual([authorization, 401]);
  for (const target of [`/v1/tools?token=${secret}`, '/healthz/', '/healthz/x', '/Healthz', '/%68ealthz', '/mcp', '/openai/v1/models'])
    expect([target, await statusWith(target)]).toEqual([target, 401]);
  expect(await statusWith('/healthz')).toBe(200);
  expect(await statusWith('/readyz?verbose')).toBe(200);
  expect(await statusWith('/v1/tools', `authorization: bearer   ${secret}`)).toBe(200);
  expect(await statusWith('/v1/tools', 'Authorization: Bearer another')).toBe(200);
  const refused = await raw(running.port, lines({ headers: [json], body: handshake }));
  expect(refused.head).toMatch(/\r\nwww-authenticate: Bearer/i);
  expect(refused.body).not.toContain(secret);
  expect(refused.body).toContain('A token is required');
  const unknown = await raw(running.port, lines({ headers: [json, `authorization: Bearer ${secret}x`], body: handshake }));
  expect(unknown.head).toMatch(/\r\nwww-authenticate: Bearer realm="holdfast", error="invalid_token"\r\n/i);
  expect(unknown.body).toContain('This token is not valid');
  expect(unknown.body).not.toContain(secret);
});

test('model clients send their key in their usual header, on the model paths only', async () => {
  const seen: [string, string | undefined, string[]][] = [];
  await using running = await startShell({
    tokens: [{ name: 'ann', secret }],
    rest: (request, { principal }) => {
      seen.push([new URL(request.url).pathname, principal, [...request.headers.keys()].toSorted()]);
      return Promise.resolve(new Response('ok'));
    },
  });
  for (const header of ['x-api-key', 'x-goog-api-key', 'api-key', 'authorization']) {
    const value = header === 'authorization' ? `Bearer ${secret}` : secret;
    const headers = [`${header}: ${value}`, 'X-Kept: 1', 'Cookie: a=b', 'Proxy-Authorization: Basic x'];
    for (const target of ['/anthropic/v1/messages', '/openai', '/gemini/v1beta/models/x:generateContent', '/v1/tools', '/openaix/y'])
      expect((await raw(running.port, lines({ target, headers, body: '{}' }))).status).toBe(
        header === 'authorization' || /^\/(?:anthropic|openai|gemini)(?:\/|$)/.test(target) ? 200 : 401,
      );
  }
  expect(new Set(seen.map(([, principal]) => principal))).toEqual(new Set(['ann']));
  expect(new Set(seen.flatMap(([, , names]) => names))).toEqual(new Set(['content-length', 'host', 'x-kept']));
});

test('the principal of a session is the name of its token', async () => {
  const principals: (string | undefined)[] = [];
  await using running = await startShell({
    tokens: [{ name: 'ann', secret }],
    handler: {
      describe: (client) => {
        principals.push(client.principal);
        return { serverInfo: {}, capabilities: {} };
      },
      handle: () => Promise.resolve({}),
    },
  });
  await raw(running.port, lines({ headers: [json, `authorization: Bearer ${secret}`], body: handshake }));
  expect(principals).toEqual(['ann']);
});

const crooked: readonly string[] = [
  'http://127.0.0.1/healthz',
  'http://evil.example/mcp',
  '*',
  '//evil.example/healthz',
  '/../mcp',
  '/healthz/../mcp',
  '/x/%2e%2e/mcp',
  '/x/%2E./mcp',
  '/./mcp',
  '/x\\..\\mcp',
  '/x%5c..%5cmcp',
  '/mcp%00',
];

test.for(crooked)('an ambiguous target is refused: %s', async (target) => {
  await using running = await startShell();
  const reply = await raw(running.port, lines({ method: 'GET', target }));
  expect([target, reply.status]).toEqual([target, 400]);
});

test('targets that only look like the endpoint are not found', async () => {
  await using running = await startShell();
  for (const target of ['/mcp/', '/MCP', '/mcp;x', '/mcp%2f', '/%6dcp', '/mcpx'])
    expect([target, (await raw(running.port, lines({ target, headers: [json], body: handshake }))).body]).toEqual([
      target,
      expect.stringContaining('"path"'),
    ]);
  expect((await raw(running.port, lines({ target: '/mcp?x=/../', headers: [json], body: handshake }))).body).toContain('"result"');
});

test('duplicates of unique headers are refused', async () => {
  await using running = await startShell({ tokens: [{ name: 'ann', secret }] });
  const own = `127.0.0.1:${running.port}`;
  for (const twice of [
    ['host: evil.example'],
    [`Host: ${own}`],
    ['authorization: Bearer wrong'],
    [`origin: http://${own}`, 'origin: http://evil.example'],
    ['mcp-session-id: a', 'Mcp-Session-Id: b'],
    ['content-length: 1', 'content-length: 1'],
  ]) {
    const headers = [json, `authorization: Bearer ${secret}`, ...twice];
    expect([twice, (await raw(running.port, lines({ host: own, headers, body: handshake }))).status]).toEqual([twice, 400]);
  }
});

test('it does not listen on a public address without a token, and the error names the fix', async () => {
  const rest = (): Promise<Response> => Promise.resolve(new Response());
  for (const host of ['0.0.0.0', '::', '[::]', '192.168.0.1', 'gateway.example', '128.0.0.1', '127.0.0.1.evil.example', ''])
    await expect(listenHttp({ listen: { host, port: 0 }, rest, mcp: () => {} })).rejects.toThrow(
      /gateway\.listen\.host .* gateway\.tokens .* listen on 127\.0\.0\.1/,
    );
  await expect(
    listenHttp({ listen: { host: '127.0.0.1', port: 0 }, tokens: [{ name: 'x', secret: '' }], rest, mcp: () => {} }),
  ).rejects.toThrow(/tokens\[0\]\.secret/);
  await expect(
    listenHttp({ listen: { host: '0.0.0.0', port: 0 }, tokens: [{ name: 'x', secret: 'y'.repeat(15) }], rest, mcp: () => {} }),
  ).rejects.toThrow(/the token 'x' has 15 characters: use at least 16/);
  const secret = 'y'.repeat(16);
  const open = await listenHttp({ listen: { host: '0.0.0.0', port: 0 }, tokens: [{ name: 'x', secret }], rest, mcp: () => {} });
  expect(
    (
      await raw(
        open.port ?? 0,
        lines({ method: 'GET', target: '/v1', host: 'anything.example', headers: [`authorization: Bearer ${secret}`] }),
      )
    ).status,
  ).toBe(200);
  await open.close(0);
  const named = await listenHttp({
    listen: { host: '0.0.0.0', port: 0 },
    allowedHosts: ['gw.example'],
    tokens: [{ name: 'x', secret }],
    rest,
    mcp: () => {},
  });
  expect(
    (
      await raw(
        named.port ?? 0,
        lines({ method: 'GET', target: '/v1', host: 'anything.example', headers: ['authorization: Bearer yyyyyyyyyyyyyyyy'] }),
      )
    ).status,
  ).toBe(403);
  await named.close(0);
});
