/** What a caller may do: answered by the API, and enforced by the guard. */
import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardAddress, operatorToken, operatorVariable } from '../../src/dashboard/operator-token.ts';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { createTokens } from '../../src/http/tokens.ts';
import { version } from '../../src/plain/version.ts';
import { readWords } from '../fixtures/gateway.ts';
import { builtFolder, type Folder } from '../dashboard/folder.ts';
import { createKit } from './kit.ts';

const tools = [{ id: 'echo', run: { command: { command: 'true' } } }];
const everyRole = ['call', 'read', 'operate'];
const secret = 'operator-secret-0123456789';

test('the session is answered as documented', async () => {
  expect((await createKit().get('/v1/session')).body).toEqual({ can_act: false, roles: ['call', 'read'], needs_token: false, version });
  expect((await createKit({ needsToken: true }).get('/v1/session', { principal: 'ops' })).body).toEqual({
    can_act: true,
    roles: everyRole,
    needs_token: true,
    principal: 'ops',
    version,
  });
});

/** A running gateway, and requests with or without a token. */
async function startAt(words: object, token: string | undefined) {
  const folder = await builtFolder();
  const manifest = readWords({ tools, ...words }, 'holdfast.yaml');
  const gateway = await createGateway(manifest, { log: 'off', operatorToken: token, dashboard: { folder: folder.folder } });
  const { url } = await gateway.listen({ port: 0 });
  const ask = (path: string, bearer?: string, body?: object): Promise<Response> =>
    fetch(new URL(path, url), {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) },
      body: body === undefined ? null : JSON.stringify(body),
    });
  const open = async (bearer?: string): Promise<number> => (await ask('/v1/tools/echo/circuit', bearer, { command: 'open' })).status;
  return { gateway, folder, ask, open };
}

type Started = Awaited<ReturnType<typeof startAt>>;

describe('without tokens in the manifest', () => {
  let started: Started;
  beforeAll(async () => {
    started = await startAt({}, secret);
  });
  afterAll(() => end(started));

  test('all clients can read and call, only the operator can act', async () => {
    const { ask, open } = started;
    expect(await (await ask('/v1/session')).json()).toEqual({ can_act: false, roles: ['call', 'read'], needs_token: false, version });
    expect(await (await ask('/v1/session', secret)).json()).toEqual({
      can_act: true,
      roles: everyRole,
      needs_token: false,
      principal: 'operator',
      version,
    });
    expect((await ask('/v1/tools')).status).toBe(200);
    expect((await ask('/v1/calls', undefined, { tool_id: 'nothing' })).status).toBe(200);
    expect(await open()).toBe(401);
    expect(await open(secret)).toBe(200);
  });

  test.each([`${secret}x`, secret.slice(1), secret.toUpperCase(), 'x', `${secret} ${secret}`])('"%s" is not the token', async (wrong) => {
    expect(await started.open(wrong)).toBe(401);
  });

  test('a token outside of the header is ignored', async () => {
    const { ask } = started;
    expect((await ask(`/v1/tools/echo/circuit?token=${secret}`, undefined, { command: 'open' })).status).toBe(401);
    expect(await (await ask(`/v1/session?token=${secret}`)).json()).toMatchObject({ can_act: false });
  });
});

describe('with tokens in the manifest', () => {
  let started: Started;
  const ofManifest = 'manifest-secret-0123456789';
  beforeAll(async () => {
    process.env['SESSION_TEST_TOKEN'] = ofManifest;
    started = await startAt({ gateway: { tokens: [{ name: 'ops', env: 'SESSION_TEST_TOKEN' }] } }, secret);
    delete process.env['SESSION_TEST_TOKEN'];
  });
  afterAll(() => end(started));

  test('these tokens can act, and the operator token is invalid', async () => {
    const { ask, open } = started;
    expect(await (await ask('/v1/session', ofManifest)).json()).toEqual({
      can_act: true,
      roles: everyRole,
      needs_token: true,
      principal: 'ops',
      version,
    });
    expect(await open(ofManifest)).toBe(200);
    expect(await open(secret)).toBe(401);
    expect(await open()).toBe(401);
  });

  test('only the page and its files need no token', async () => {
    const { ask } = started;
    for (const path of ['/', '/tools/echo', '/turns/x/what-if', '/alerts', '/assets/main-Ab12.js'])
      expect([path, (await ask(path)).status]).toEqual([path, 200]);
    const data = ['/v1/session', '/v1/tools', '/v1/turns', '/v1/live', '/v1/overview', '/metrics', '/openapi.json', '/mcp', '/nothing'];
    for (const path of data) expect([path, (await ask(path)).status]).toEqual([path, 401]);
    expect((await ask('/', undefined, {})).status).toBe(401);
    expect((await ask('/assets/none.js')).status).toBe(404);
  });
});

async function end({ gateway, folder }: Started): Promise<void> {
  await (gateway satisfies Gateway).close(0);
  await (folder satisfies Folder)[Symbol.asyncDispose]();
}

describe('the operator token', () => {
  test('is generated at each start, and cannot be guessed', () => {
    const [one, other] = [operatorToken({}), operatorToken({})];
    expect(one).not.toBe(other);
    expect(Buffer.from(one, 'base64url')).toHaveLength(32);
  });

  test('can be set', () => {
    expect(operatorToken({ [operatorVariable]: secret })).toBe(secret);
  });

  test.each(['', 'short', 'with a space in the middle', 'with-ümlaut-0123456789', 'line\nbreak-0123456789'])('"%s" is invalid', (given) => {
    expect(() => operatorToken({ [operatorVariable]: given })).toThrow(
      /HOLDFAST_OPERATOR_TOKEN is invalid: .*at least 16 .*Leave it unset/,
    );
  });

  test('is in the part of the URL that browsers do not send', () => {
    const address = new URL(dashboardAddress('http://127.0.0.1:7340', 'a+b/c=d&e#f%g'));
    expect([address.pathname, address.search]).toEqual(['/', '']);
    expect(new URLSearchParams(address.hash.slice(1)).get('token')).toBe('a+b/c=d&e#f%g');
    expect(dashboardAddress('http://127.0.0.1:7340', undefined)).toBe('http://127.0.0.1:7340/');
  });

  test('is kept as a hash only', () => {
    const tokens = createTokens([], secret);
    expect(tokens.nameOf(secret)).toBe('operator');
    expect(tokens.nameOf(hash('sha256', secret))).toBeUndefined();
    expect(() => createTokens([], '')).toThrow(/is empty/);
    expect(createTokens([]).nameOf('')).toBeUndefined();
  });
});
