/** One refresh for all calls and all processes, and none that destroys a login. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sqliteSealedRows } from '@holdfast/store-sqlite';
import { describe, expect, test } from 'vitest';
import { openLogins, whoAmI } from './fixtures/logins.ts';
import { startWorld, type World } from './fixtures/world.ts';

const refreshes = (world: World): number => world.tokenRequests.filter((form) => form.get('grant_type') === 'refresh_token').length;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('in one process', () => {
  test('64 calls with an expired token make one refresh', async () => {
    await using world = await startWorld({ tokenDelayMs: 100 });
    let now = Date.now();
    const { logIn, connect } = openLogins(world.url, 'oauth', { now: () => now });
    await logIn(world);
    const server = connect();
    await whoAmI(server);
    now += 3_601_000;
    world.expireTokens();
    const answers = await Promise.all(Array.from({ length: 64 }, () => whoAmI(server)));
    expect(new Set(answers)).toEqual(new Set(['alice']));
    expect(refreshes(world)).toBe(1);
  });

  test('64 calls whose token the server refuses make one refresh', async () => {
    await using world = await startWorld({ tokenDelayMs: 100 });
    const { logIn, connect } = openLogins(world.url);
    await logIn(world);
    const server = connect();
    await whoAmI(server);
    world.expireTokens();
    const answers = await Promise.all(Array.from({ length: 64 }, () => whoAmI(server)));
    expect(new Set(answers)).toEqual(new Set(['alice']));
    expect(refreshes(world)).toBe(1);
  });

  test('a token is refreshed before it ends, and no call waits for it', async () => {
    await using world = await startWorld({ expiresIn: 100, tokenDelayMs: 400 });
    let now = Date.now();
    const { logIn, connect } = openLogins(world.url, 'oauth', { now: () => now });
    await logIn(world);
    const server = connect();
    await whoAmI(server);
    now += 90_000;
    const before = performance.now();
    await whoAmI(server);
    expect(performance.now() - before).toBeLessThan(300);
    await expect.poll(() => refreshes(world)).toBe(1);
  });

  test('while the authorization server is down, a token is used as long as it lives; then the failure is transient', async () => {
    let isDown = false;
    await using world = await startWorld({
      expiresIn: 100,
      trick: (request, response) => {
        if (!isDown || request.url !== '/token') return false;
        response.writeHead(503).end();
        return true;
      },
    });
    let now = Date.now();
    const { logIn, connect } = openLogins(world.url, 'oauth', { now: () => now });
    await logIn(world);
    const server = connect();
    await whoAmI(server);
    isDown = true;
    now += 90_000;
    expect(await whoAmI(server)).toBe('alice');
    await pause(100);
    expect(await whoAmI(server)).toBe('alice');
    now += 20_000;
    await expect(whoAmI(server)).rejects.toMatchObject({ code: 'AUTHORIZATION_SERVER_DOWN', retryable: true });
    isDown = false;
    now += 60_000;
    expect(await whoAmI(server)).toBe('alice');
  });

  test('a refresh token that is refused asks for a login, and the next login is used', async () => {
    await using world = await startWorld();
    const { logIn, connect, auth, entry } = openLogins(world.url);
    await logIn(world);
    const server = connect();
    await whoAmI(server);
    world.expireTokens();
    world.endLogins();
    const stored = await auth.stored('crm', entry);
    await expect(whoAmI(server)).rejects.toMatchObject({ code: 'LOGIN_REQUIRED' });
    // It is kept: another process may have stored a newer one.
    expect(stored).toHaveLength(1);
    expect(await auth.stored('crm', entry)).toEqual(stored);
    await logIn(world);
    expect(await whoAmI(server)).toBe('alice');
  });

  test('a server that refuses every token is asked a few times, not for ever', async () => {
    await using world = await startWorld();
    const { logIn, connect } = openLogins(world.url);
    await logIn(world);
    const server = connect();
    await whoAmI(server);
    world.refusesAll = true;
    await expect(whoAmI(server)).rejects.toMatchObject({ code: 'LOGIN_REQUIRED' });
    const asked = world.seen.length;
    await expect(whoAmI(server)).rejects.toMatchObject({ code: 'LOGIN_REQUIRED' });
    expect(world.seen.length).toBe(asked);
    expect(refreshes(world)).toBeLessThanOrEqual(2);
  });

  test('a missing scope asks for a login with all scopes, once', async () => {
    await using world = await startWorld({ callScopes: ['write'], resource: { scopes_supported: ['read'] } });
    const { logIn, connect, auth, entry } = openLogins(world.url);
    await logIn(world);
    const server = connect();
    await expect(whoAmI(server)).rejects.toMatchObject({ code: 'LOGIN_REQUIRED', message: expect.stringContaining('(write)') });
    // Other requests of the same login are not affected.
    expect(await server.listTools()).toMatchObject([{ name: 'who' }]);
    const { scopes } = await auth.begin('crm', entry, '', { redirectUri: 'http://127.0.0.1:7341/cb' });
    expect(scopes).toEqual(['read', 'write']);
    await logIn(world);
    expect(await whoAmI(server)).toBe('alice');
  });

  test('a scope that was requested and not granted is not asked for again', async () => {
    await using world = await startWorld({
      callScopes: ['admin'],
      resource: { scopes_supported: ['admin'] },
      trick: (request) => {
        // The person does not grant it.
        if (request.url?.startsWith('/authorize') === true) request.url = request.url.replace('scope=admin', '');
        return false;
      },
    });
    const { logIn, connect } = openLogins(world.url);
    await logIn(world);
    await expect(whoAmI(connect())).rejects.toMatchObject({ code: 'SCOPE_REFUSED', retryable: false });
  });
});

describe('in four processes', () => {
  test('calls with an expired token make one refresh, and the login survives it', { timeout: 60_000 }, async () => {
    await using world = await startWorld({ tokenDelayMs: 1_500 });
    const key = randomBytes(32);
    const { logIn, manifest, connect } = openLogins(world.url, 'oauth', { key: () => key });
    await logIn(world);
    world.expireTokens();
    const path = join(manifest.folder, 'holdfast.yaml');
    writeFileSync(path, JSON.stringify({ mcp_servers: { crm: { url: world.url, auth: 'oauth' } } }));
    const program = join(import.meta.dirname, 'fixtures/refresh.program.ts');
    const run = promisify(execFile);
    const flags = [
      '--conditions=@holdfast/source',
      '--disable-warning=ExperimentalWarning',
      program,
      path,
      '16',
      String(Date.now() + 5_000),
    ];
    const env = { ...process.env, HOLDFAST_CREDENTIALS_KEY: key.toString('base64') };
    const outputs = await Promise.all(Array.from({ length: 4 }, () => run(process.execPath, flags, { env })));
    for (const { stdout } of outputs) expect(JSON.parse(stdout)).toEqual(Array.from({ length: 16 }, () => 'ok'));
    expect(refreshes(world)).toBe(1);
    expect(await whoAmI(connect())).toBe('alice');
  });

  test('a process that dies during its refresh does not block the others', async () => {
    await using world = await startWorld();
    const { logIn, connect, another, file } = openLogins(world.url);
    await logIn(world);
    await whoAmI(connect());
    world.expireTokens();
    const rows = sqliteSealedRows({ path: file });
    expect(await rows.acquire(JSON.stringify(['refresh', 'crm', '', world.url]), 'a dead process', 1_500)).toBe(true);
    await rows.close();
    const before = performance.now();
    const [one, other] = [connect(), connect(undefined, another())];
    expect(await Promise.all([whoAmI(one), whoAmI(other)])).toEqual(['alice', 'alice']);
    expect(performance.now() - before).toBeGreaterThan(1_000);
    expect(refreshes(world)).toBe(1);
  });
});
