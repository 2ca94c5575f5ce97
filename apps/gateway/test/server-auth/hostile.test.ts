/** Authorization servers and MCP servers that attack, lie or hang: every login ends soon, with a reason, and gives nothing away. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { openLogins, redirectUri, whoAmI } from './fixtures/logins.ts';
import { startWorld, type Trick, type World } from './fixtures/world.ts';

const at =
  (path: string, act: (response: ServerResponse, request: IncomingMessage) => void): Trick =>
  (request, response) => {
    if (request.url?.startsWith(path) !== true) return false;
    act(response, request);
    return true;
  };
const sendJson = (response: ServerResponse, body: unknown): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const metadataPath = '/.well-known/oauth-authorization-server';
const resourcePath = '/.well-known/oauth-protected-resource';

/** Rejects with the reason why a login cannot even begin. */
async function beginAt(world: World, auth: unknown = 'oauth'): Promise<string> {
  const logins = openLogins(world.url, auth, { timeoutMs: 500 });
  const startedAt = performance.now();
  const reason = await logins.auth.begin('crm', logins.entry, '', { redirectUri }).then(
    ({ url }) => `began at ${url}`,
    (error: unknown) => String(error),
  );
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  return reason;
}

describe('a login does not begin', () => {
  const cases: readonly (readonly [name: string, options: Parameters<typeof startWorld>[0], reason: RegExp])[] = [
    ['without PKCE', { metadata: { code_challenge_methods_supported: undefined } }, /PKCE with S256/],
    ['with plain PKCE only', { metadata: { code_challenge_methods_supported: ['plain'] } }, /PKCE with S256/],
    ['at another issuer than the one asked for', { metadata: { issuer: 'https://evil.example' } }, /another issuer/],
    ['at an issuer that differs by a slash', { metadata: { issuer: 'http://127.0.0.1:1/' } }, /another issuer/],
    ['with the metadata of another resource', { resource: { resource: 'https://bank.example/mcp' } }, /another resource/],
    ['with the metadata of a sibling path', { resource: { resource: 'http://127.0.0.1:1/mc' } }, /another resource/],
    ['at an authorization server without TLS', { resource: { authorization_servers: ['http://evil.example'] } }, /has to be https/],
    ['at an address that is no web address', { resource: { authorization_servers: ['file:///etc/passwd'] } }, /has to be https/],
    ['with a token endpoint without TLS', { metadata: { token_endpoint: 'http://evil.example/token' } }, /has to be https/],
    ['with a login page that is a script', { metadata: { authorization_endpoint: 'javascript:alert(1)' } }, /has to be https/],
    ['with metadata that is no object', { trick: at(metadataPath, (response) => sendJson(response, [1])) }, /not the metadata/],
    ['with metadata that is a page', { trick: at(metadataPath, (response) => void response.writeHead(200).end('<html>')) }, /not JSON/],
    [
      'with metadata of a megabyte',
      { trick: at(metadataPath, (response) => sendJson(response, { issuer: 'x', padding: 'x'.repeat(1_000_000) })) },
      /more than 262144 bytes/,
    ],
    [
      'with metadata without an end',
      {
        trick: at(resourcePath, (response) => {
          response.writeHead(200);
          const drip = setInterval(() => response.write(' '.repeat(100)), 20);
          response.on('close', () => clearInterval(drip));
        }),
      },
      /cannot be reached/,
    ],
    ['with metadata that never comes', { trick: at(metadataPath, () => {}) }, /cannot be reached/],
    ['with an MCP server that never answers', { trick: at('/mcp', () => {}) }, /cannot be reached/],
    [
      'after a redirect of the metadata',
      { trick: at(metadataPath, (response) => void response.writeHead(302, { location: 'https://evil.example/' }).end()) },
      /answered with HTTP 302/,
    ],
    ['with a failing registration', { trick: at('/register', (response) => void response.writeHead(400).end('{}')) }, /did not register/],
    ['with a registration that hangs', { trick: at('/register', () => {}) }, /cannot be reached/],
    ['where no client can be had', { metadata: { registration_endpoint: undefined } }, /set client_id/],
  ];
  test.for(cases)('%s', async ([, options, reason]) => {
    await using world = await startWorld(options);
    expect(await beginAt(world)).toMatch(reason);
    expect(world.tokenRequests).toEqual([]);
  });

  test('at an address that the manifest does not allow', async () => {
    await using world = await startWorld();
    expect(await beginAt(world, { type: 'oauth', addresses: 'public' })).toMatch(/not an allowed address/);
  });
});

describe('an answer is refused', () => {
  const change =
    (edit: (callback: URL) => void) =>
    async (world: World): Promise<string> => {
      const { auth, entry } = openLogins(world.url);
      const { url } = await auth.begin('crm', entry, '', { redirectUri });
      const callback = await world.accept(url);
      edit(callback);
      return auth
        .complete(callback, () => entry)
        .then(
          () => 'logged in',
          (error: unknown) => String(error),
        );
    };

  test.for([
    ['from another issuer (mix-up)', (callback: URL) => callback.searchParams.set('iss', 'https://evil.example')],
    ['without the issuer that was announced', (callback: URL) => callback.searchParams.delete('iss')],
    ['with the issuer spelled differently', (callback: URL) => callback.searchParams.set('iss', `${callback.searchParams.get('iss')}/`)],
    [
      'with an error of another issuer, which is not shown',
      (callback: URL) => {
        callback.searchParams.set('iss', 'https://evil.example');
        callback.searchParams.set('error', 'send-your-password');
      },
    ],
  ] as const)('%s', async ([, edit]) => {
    await using world = await startWorld();
    const outcome = await change(edit)(world);
    expect(outcome).toContain('does not come from the server that received the request');
    expect(outcome).not.toContain('password');
    expect(world.tokenRequests).toEqual([]);
  });

  test('with two states', async () => {
    await using world = await startWorld();
    expect(await change((callback) => callback.searchParams.append('state', 'x'))(world)).toContain('unknown, was used already');
  });
});

interface Moved {
  to?: string;
}

/** Names another authorization server once there is one. */
function tellMoved(request: IncomingMessage, response: ServerResponse, { to }: Moved, resource: string): boolean {
  if (to === undefined || request.url?.startsWith(resourcePath) !== true) return false;
  sendJson(response, { resource, authorization_servers: [to] });
  return true;
}

describe('the secret of a client', () => {
  test('is not sent to another issuer, even if the server names one', async () => {
    await using evil = await startWorld();
    const moved: Moved = {};
    await using world = await startWorld({ trick: (request, response) => tellMoved(request, response, moved, world.url) });
    process.env['TEST_CLIENT_SECRET'] = 'a-secret-of-the-client';
    const { auth, entry, logIn } = openLogins(world.url, { type: 'oauth', client_id: 'me', client_secret: { env: 'TEST_CLIENT_SECRET' } });
    await logIn(world);
    moved.to = evil.issuer;
    await expect(auth.begin('crm', entry, '', { redirectUri })).rejects.toThrow('client_id belongs to');
    expect(evil.requests.filter((request) => !request.startsWith('GET /.well-known'))).toEqual([]);
  });
});

describe('a token', () => {
  test('is sent neither to another host nor after a redirect', async () => {
    await using evil = await startWorld();
    let target: string | undefined;
    await using world = await startWorld({
      trick: (request, response) => {
        if (target === undefined || request.url !== '/mcp') return false;
        response.writeHead(307, { location: target }).end();
        return true;
      },
    });
    const { logIn, connect } = openLogins(world.url);
    await logIn(world);
    expect(await whoAmI(connect())).toBe('alice');
    for (target of [evil.url, '/other-tenant', `${new URL(world.url).origin}/mcp?tenant=2`]) {
      await expect(whoAmI(connect())).rejects.toMatchObject({ message: expect.stringContaining('HTTP 307') });
    }
    expect(evil.seen).toEqual([]);
    expect(world.requests.filter((request) => request === 'POST /other-tenant')).toEqual([]);
  });

  test('is sent after a redirect that adds the slash at the end of the path', async () => {
    let redirects = 0;
    await using world = await startWorld({
      trick: (request, response) => {
        if (request.url === '/mcp/') request.url = '/mcp';
        else if (request.url === '/mcp' && redirects++ < 20) return Boolean(response.writeHead(307, { location: '/mcp/' }).end());
        return false;
      },
    });
    const { logIn, connect } = openLogins(world.url);
    await logIn(world);
    expect(await whoAmI(connect())).toBe('alice');
    expect(redirects).toBeGreaterThan(0);
  });

  test('of a server that has moved to another authorization server is not given to that one', async () => {
    await using evil = await startWorld();
    const moved: Moved = {};
    await using world = await startWorld({ trick: (request, response) => tellMoved(request, response, moved, world.url) });
    const { logIn, connect } = openLogins(world.url);
    await logIn(world);
    const server = connect();
    await whoAmI(server);
    moved.to = evil.issuer;
    world.expireTokens();
    await expect(whoAmI(server)).rejects.toThrow("The authorization server of 'crm' has changed");
    expect(evil.requests.filter((request) => !request.startsWith('GET /.well-known'))).toEqual([]);
  });

  test('is in no error and no status', async () => {
    await using world = await startWorld({
      trick: at('/token', (response) => void response.writeHead(400).end('{"error":"x","error_description":"refresh-alice-1"}')),
    });
    const { auth, entry } = openLogins(world.url);
    const { url } = await auth.begin('crm', entry, '', { redirectUri });
    const error: unknown = await auth.complete(await world.accept(url), () => entry).catch((reason: unknown) => reason);
    const { code_verifier: verifier = '?', code = '?' } = Object.fromEntries(world.tokenRequests[0] ?? []);
    expect(String(error)).not.toContain(verifier);
    expect(String(error)).not.toContain(code);
  });
});

test('an authorization server that hangs delays no call to another server, and its own ends in time', async () => {
  let isHanging = false;
  await using slow = await startWorld({ trick: (request) => isHanging && request.url === '/token' });
  await using fine = await startWorld();
  const hung = openLogins(slow.url, 'oauth', { timeoutMs: 1_000 });
  const good = openLogins(fine.url);
  await hung.logIn(slow);
  await good.logIn(fine);
  const [slowServer, goodServer] = [hung.connect(), good.connect()];
  await Promise.all([whoAmI(slowServer), whoAmI(goodServer)]);
  isHanging = true;
  slow.expireTokens();
  const startedAt = performance.now();
  const ended = whoAmI(slowServer).catch((error: unknown) => error);
  const waits: number[] = [];
  for (let call = 0; call < 20; call += 1) {
    const before = performance.now();
    await whoAmI(goodServer);
    waits.push(performance.now() - before);
  }
  expect(waits.toSorted((one, other) => one - other)[10]).toBeLessThan(50);
  expect(await ended).toMatchObject({ code: 'AUTHORIZATION_SERVER_DOWN' });
  expect(performance.now() - startedAt).toBeLessThan(4_000);
});
