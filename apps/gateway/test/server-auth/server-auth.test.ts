/** Logins at servers with everything real but the network: stored, refreshed, kept apart, forgotten. */
import { readFileSync, statSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { mcpServer } from '@holdfast/runners';
import { describe, expect, test } from 'vitest';
import { ownerOf } from '../../src/access/owner.ts';
import { openLogins, redirectUri, whoAmI } from './fixtures/logins.ts';
import { startWorld } from './fixtures/world.ts';

const code = (expected: string): object => expect.objectContaining({ code: expected });

describe('a login', () => {
  test('is missing at first, says what to do, and nothing is sent', async () => {
    await using world = await startWorld();
    const { connect, auth } = openLogins(world.url);
    const server = connect();
    await expect(whoAmI(server)).rejects.toMatchObject({
      code: 'LOGIN_REQUIRED',
      retryable: false,
      ambiguous: false,
      message: "MCP server 'crm' needs a login. Run: holdfast login crm",
    });
    expect(world.requests).toEqual([]);
    expect(server.status().state).toBe('down');
    expect(auth.required()).toEqual([
      { server: 'crm', principal: '', name: '', since: expect.any(Number), reason: expect.stringContaining('holdfast login crm') },
    ]);
  });

  test('that is missing needs no key, and a key that cannot be used is reported before anything is sent', async () => {
    await using world = await startWorld();
    const { connect, auth, entry } = openLogins(world.url, 'oauth', {
      key: () => {
        throw new Error('no key here');
      },
    });
    await expect(whoAmI(connect())).rejects.toMatchObject({ code: 'LOGIN_REQUIRED' });
    await expect(auth.begin('crm', entry, '', { redirectUri })).rejects.toThrow('no key here');
    expect(world.requests).toEqual([]);
  });

  test('is used by the next call, also if another process has logged in', async () => {
    await using world = await startWorld();
    const { connect, logIn, another, auth } = openLogins(world.url);
    const elsewhere = another();
    const server = connect(undefined, elsewhere);
    await expect(whoAmI(server)).rejects.toThrow('needs a login');
    await logIn(world);
    expect(await whoAmI(server)).toBe('alice');
    expect(elsewhere.required()).toEqual([]);
    expect(auth.required()).toEqual([]);
    expect(world.seen.slice(1).every((value) => value?.startsWith('Bearer access-alice-'))).toBe(true);
  });

  test('of a client that logs in at the gateway is kept under its full name, and found by the owner of its calls', async () => {
    await using world = await startWorld();
    const { connect, logIn } = openLogins(world.url);
    const principal = 'https://id.example|alice';
    await expect(whoAmI(connect({ principal: ownerOf(principal), name: principal }))).rejects.toThrow(`--principal '${principal}'`);
    await logIn(world, principal);
    expect(await whoAmI(connect({ principal: ownerOf(principal) }))).toBe('alice');
    await expect(whoAmI(connect({ principal: ownerOf('https://id.example|bob') }))).rejects.toThrow('needs a login');
  });

  test('sends PKCE, state and resource, and registers the client once', async () => {
    await using world = await startWorld();
    const { auth, entry, logIn } = openLogins(world.url);
    const { url } = await auth.begin('crm', entry, '', { redirectUri });
    const asked = new URL(url).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      client_id: 'registered',
      redirect_uri: redirectUri,
      code_challenge_method: 'S256',
      resource: world.url,
    });
    expect(asked.get('state')).toMatch(/^[\w-]{43}$/);
    await logIn(world);
    await logIn(world);
    expect(world.requests.filter((request) => request === 'POST /register')).toHaveLength(1);
    expect(world.tokenRequests.map((form) => form.get('resource'))).toEqual([world.url, world.url]);
  });

  test('an answer is taken once, and only with a state that was given out', async () => {
    await using world = await startWorld();
    const { auth, entry } = openLogins(world.url);
    const { url } = await auth.begin('crm', entry, '', { redirectUri });
    const callback = await world.accept(url);
    const forged = new URL(callback);
    forged.searchParams.set('state', 'x'.repeat(43));
    await expect(auth.complete(forged, () => entry)).rejects.toThrow('unknown, was used already');
    await auth.complete(callback, () => entry);
    await expect(auth.complete(callback, () => entry)).rejects.toThrow('unknown, was used already');
    expect(world.tokenRequests).toHaveLength(1);
  });

  test('that fails leaves the former one as it is', async () => {
    await using world = await startWorld();
    const { auth, entry, logIn, connect } = openLogins(world.url);
    await logIn(world);
    const { url } = await auth.begin('crm', entry, '', { redirectUri });
    const callback = await world.accept(url);
    callback.searchParams.delete('code');
    callback.searchParams.set('error', 'access_denied');
    await expect(auth.complete(callback, () => entry)).rejects.toThrow('The login was not granted: access_denied');
    expect(await whoAmI(connect())).toBe('alice');
  });

  test('is forgotten and revoked by a logout, also in running processes', async () => {
    await using world = await startWorld();
    let now = Date.now();
    const { auth, entry, logIn, connect, another } = openLogins(world.url);
    await logIn(world);
    const server = connect(undefined, another({ now: () => now }));
    expect(await whoAmI(server)).toBe('alice');
    expect(await auth.logout('crm', entry, '')).toEqual({ wasKnown: true, isRevoked: true });
    expect(world.revoked.map((token) => token.split('-')[0])).toEqual(['refresh', 'access']);
    now += 6_000;
    await expect(whoAmI(server)).rejects.toThrow(code('LOGIN_REQUIRED') as never);
    expect(await auth.logout('crm', entry, '')).toEqual({ wasKnown: false, isRevoked: false });
  });
});

describe('the store', () => {
  test('is readable by the user alone, and has no secret in it', async () => {
    await using world = await startWorld();
    const { logIn, file } = openLogins(world.url);
    await logIn(world);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const stolen = readFileSync(file, 'latin1');
    const form = world.tokenRequests[0];
    for (const secret of ['access-alice', 'refresh-alice', form?.get('code_verifier') ?? '?', form?.get('code') ?? '?'])
      expect(stolen).not.toContain(secret);
  });

  test('is useless without its key, and a wrong key loses nothing', async () => {
    await using world = await startWorld();
    const { logIn, connect, another } = openLogins(world.url);
    await logIn(world);
    const thief = connect(undefined, another({ key: () => randomBytes(32) }));
    await expect(whoAmI(thief)).rejects.toThrow('sealed with another key');
    expect(world.seen.filter((value) => value !== undefined)).toEqual([]);
    expect(await whoAmI(connect())).toBe('alice');
  });
});

describe('two principals', () => {
  test('never get the token of the other', async () => {
    await using world = await startWorld({ expiresIn: 1 });
    const { logIn, connect } = openLogins(world.url);
    await logIn(world, 'alice');
    world.subject = 'bob';
    await logIn(world, 'bob');
    const [alice, bob] = ['alice', 'bob'].map((principal) => connect({ principal })) as [
      ReturnType<typeof connect>,
      ReturnType<typeof connect>,
    ];
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => [index % 2 === 0 ? 'alice' : 'bob', await whoAmI(index % 2 === 0 ? alice : bob)]),
    );
    for (const [caller, answer] of answers) expect(answer).toBe(caller);
    await expect(whoAmI(connect({ principal: 'carol' }))).rejects.toThrow('holdfast login crm --principal carol');
    await expect(whoAmI(connect())).rejects.toThrow('needs a login');
  });

  test('a logout of one is not a logout of the other', async () => {
    await using world = await startWorld();
    const { logIn, connect, auth, entry } = openLogins(world.url);
    await logIn(world, 'alice');
    await logIn(world, 'bob');
    await auth.logout('crm', entry, 'alice');
    expect(await whoAmI(connect({ principal: 'bob' }))).toBe('alice');
    await expect(whoAmI(connect({ principal: 'alice' }))).rejects.toThrow('needs a login');
  });

  test('an exchanged token is that of the caller', async () => {
    await using world = await startWorld();
    const exchange = { type: 'token_exchange', client_id: 'gateway' };
    const { connect, auth, entry } = openLogins(world.url, exchange);
    expect(await whoAmI(connect({ principal: 'alice', subjectToken: () => 'a-token' }))).toBe('exchanged-a-token');
    expect(await whoAmI(connect({ principal: 'bob', subjectToken: () => 'b-token' }))).toBe('exchanged-b-token');
    await expect(whoAmI(connect({ principal: 'carol' }))).rejects.toThrow(code('LOGIN_REQUIRED') as never);
    expect(world.tokenRequests[0]?.get('subject_token_type')).toBe('urn:ietf:params:oauth:token-type:access_token');
    // Over a connection that runs calls of all clients, the gateway does not use its own rights.
    const shared = auth.authorizer('crm', { ...entry, isolation: 'shared' });
    const server = mcpServer({ url: world.url, protocol: 'legacy', ...(shared === undefined ? {} : { authorizer: shared }) });
    await expect(whoAmI(server)).rejects.toThrow(code('LOGIN_REQUIRED') as never);
    await server.close();
  });

  test("lists are the gateway's own requests where the clients have connections of their own", async () => {
    await using world = await startWorld();
    const { auth, entry } = openLogins(world.url, { type: 'token_exchange', client_id: 'gateway' });
    const own = auth.authorizer('crm', entry);
    const server = mcpServer({ url: world.url, protocol: 'legacy', ...(own === undefined ? {} : { authorizer: own }) });
    expect(await server.listTools()).toMatchObject([{ name: 'who' }]);
    expect(world.tokenRequests.map((form) => form.get('grant_type'))).toEqual(['client_credentials']);
    await server.close();
  });
});
