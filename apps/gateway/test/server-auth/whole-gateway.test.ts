/** A whole gateway in front of a protected server: what clients, operators and the record see of a missing login, and after it. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { memoryStore } from '@holdfast/core';
import { expect, test, vi } from 'vitest';
import { logIn, logOut } from '../../src/index.ts';
import { connectHttp } from '../fixtures/client/http-client.ts';
import { readWords, startGateway, writeWords } from '../fixtures/gateway.ts';
import { startWorld } from './fixtures/world.ts';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('a missing login is a result and a status; a login is used at once; tokens are nowhere', { timeout: 60_000 }, async () => {
  vi.stubEnv('HOLDFAST_CREDENTIALS_KEY', randomBytes(32).toString('base64'));
  await using world = await startWorld();
  const redirect = `http://127.0.0.1:${await freePort()}/oauth/callback/crm`;
  const words = {
    mcp_servers: { crm: { url: world.url, auth: { type: 'oauth', redirect_url: redirect } } },
    tools: [{ id: 'who', run: { mcp: { server: 'crm', tool: 'who' } } }],
    gateway: { reload: false },
  };
  const manifestPath = await writeWords(words);
  const manifest = readWords(words, manifestPath);
  const store = memoryStore();
  const logged: string[] = [];
  await using gateway = await startGateway(words, { manifestPath, store, log: 'json', write: (text) => logged.push(text) });
  const origin = new URL(gateway.url).origin;
  const json = async (path: string): Promise<Record<string, unknown>> =>
    (await (await fetch(`${origin}${path}`)).json()) as Record<string, unknown>;
  const client = await connectHttp(gateway.url, { era: 'legacy' });
  const call = async (): Promise<Record<string, unknown>> => await client.request('tools/call', { name: 'who', arguments: {} });

  for (let calls = 0; calls < 6; calls += 1) {
    expect(await call()).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Run: holdfast login crm') }],
      _meta: {
        'dev.holdfast/error': { code: 'LOGIN_REQUIRED', classification: 'permanent', retryable: false, attempts: 1, circuit: 'closed' },
      },
    });
  }
  expect(await json('/readyz')).toMatchObject({ ready: true, upstreams: [{ name: 'crm', state: 'down', login_required: true }] });
  expect(await json('/v1/upstreams')).toMatchObject({ upstreams: [{ login_required: expect.stringContaining('holdfast login crm') }] });
  expect(await json('/v1/overview')).toMatchObject({
    totals: { logins_required: [{ server: 'crm', reason: expect.stringContaining('login') }] },
  });
  expect(world.requests).toEqual([]);

  const { isRenewable } = await logIn(manifest, {
    server: 'crm',
    signal: AbortSignal.timeout(20_000),
    onLink: ({ url }) => void fetch(url),
  });
  expect(isRenewable).toBe(true);
  expect(await call()).toMatchObject({ content: [{ text: 'alice' }] });
  expect((await json('/readyz'))['upstreams']).toEqual([{ name: 'crm', state: 'up' }]);
  expect((await json('/v1/overview'))['totals']).not.toHaveProperty('logins_required');

  const { turns } = (await json('/v1/turns')) as { readonly turns?: readonly unknown[] };
  const events = await Promise.all((await store.listTurns()).map(({ turnId }) => store.readTurn(turnId)));
  const everything = JSON.stringify([turns, events, logged, gateway.faults, await json('/v1/upstreams'), await json('/v1/overview')]);
  expect(everything).toContain('LOGIN_REQUIRED');
  for (const secret of ['access-alice', 'refresh-alice', world.tokenRequests[0]?.get('code') ?? '?'])
    expect(everything).not.toContain(secret);

  expect(await logOut(manifest, { server: 'crm' })).toEqual({ wasKnown: true, isRevoked: true });
  await client[Symbol.asyncDispose]();
  vi.unstubAllEnvs();
});

test('an address that was copied from the browser completes a login; a wrong one does not end it', async () => {
  vi.stubEnv('HOLDFAST_CREDENTIALS_KEY', randomBytes(32).toString('base64'));
  await using world = await startWorld();
  const redirect = `http://127.0.0.1:${await freePort()}/callback`;
  const words = { mcp_servers: { crm: { url: world.url, auth: { type: 'oauth', redirect_url: redirect } } } };
  const manifest = readWords(words, await writeWords(words));
  let link = '';
  let haveLink = (): void => {};
  const linked = new Promise<void>((resolve) => (haveLink = resolve));
  async function* pasted(): AsyncGenerator<string> {
    await linked;
    yield 'hello';
    yield `${redirect}?code=x&state=wrong`;
    yield (await world.accept(link)).href;
  }
  const refused: string[] = [];
  const done = await logIn(manifest, {
    server: 'crm',
    signal: AbortSignal.timeout(20_000),
    pasted: pasted(),
    onRefused: (reason) => refused.push(reason),
    onLink: ({ url }) => {
      link = url;
      haveLink();
    },
  });
  expect(done.issuer).toBe(world.issuer);
  expect(refused).toEqual([expect.stringContaining('begins with'), expect.stringContaining('unknown, was used already')]);
  vi.unstubAllEnvs();
});

test('a login at an unknown server, and at one without auth, says so', async () => {
  const words = { mcp_servers: { files: { command: 'true' } } };
  const manifest = readWords(words, await writeWords(words));
  const options = { signal: AbortSignal.timeout(5_000), onLink: () => {} };
  await expect(logIn(manifest, { ...options, server: 'crm' })).rejects.toThrow("The manifest has no MCP server 'crm'. It has files.");
  await expect(logIn(manifest, { ...options, server: 'files' })).rejects.toThrow("has no 'auth' in the manifest");
});
