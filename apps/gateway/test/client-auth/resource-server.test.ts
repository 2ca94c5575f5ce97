/** Clients that log in at an authorization server: metadata, challenges, tokens, groups, endpoints, and issuers that do not answer. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { GatewayInProcess } from '../fixtures/gateway.ts';
import { boardServer, gatewayOf, Person, secrets } from '../access/people.ts';
import { startIssuer, type TestIssuer } from './issuer.ts';

const root = 'https://tools.example.com';
const resource = `${root}/mcp`;

let issuer: TestIssuer;
let gateway: GatewayInProcess;

const gatewayWith = (more: object = {}, entry: object = {}): Promise<GatewayInProcess> =>
  gatewayOf(
    {
      tokens: [{ name: 'alice', env: 'ALICE_TOKEN' }],
      public_url: root,
      auth: { issuers: [{ issuer: issuer.url, scopes: ['tools'], ...entry }] },
      endpoints: { reading: { tools: ['board__recall'] } },
      ...more,
    },
    { board: boardServer() },
  );

beforeAll(async () => {
  issuer = await startIssuer();
  gateway = await gatewayWith();
});
beforeEach(() => {
  issuer.mode = 'works';
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
});

const valid = { aud: resource, scope: 'openid tools' };
const at = async (token: Promise<string> | string, where = gateway): Promise<Person> => new Person(where.url, await token);

describe('the metadata of the resource', () => {
  test.each([
    ['/.well-known/oauth-protected-resource', resource],
    ['/.well-known/oauth-protected-resource/mcp', resource],
    ['/.well-known/oauth-protected-resource/mcp/reading', `${resource}/reading`],
  ])('%s is public, for every page', async (path, of) => {
    const response = await fetch(new URL(path, gateway.url), { headers: { host: 'tools.example.com' } });
    expect(await response.json()).toEqual({
      resource: of,
      authorization_servers: [issuer.url],
      scopes_supported: ['tools'],
      bearer_methods_supported: ['header'],
      resource_name: 'Holdfast',
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  test('does not exist without logins, and a challenge does not point to it', async () => {
    await using plain = await gatewayOf({}, {});
    const nobody = new Person(plain.url, 'nobody');
    expect((await nobody.send('GET', '/.well-known/oauth-protected-resource/mcp')).status).toBe(401);
    expect((await nobody.mcp('tools/list')).headers.get('www-authenticate')).toBe('Bearer realm="holdfast", error="invalid_token"');
  });
});

describe('a challenge', () => {
  test.each(['POST', 'GET', 'DELETE'])('%s without a token names the metadata and the scopes', async (method) => {
    const response = await fetch(gateway.url, { method });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${root}/.well-known/oauth-protected-resource/mcp", scope="tools"`,
    );
  });

  test('of an endpoint names its own metadata; a token of the wrong kind is an error', async () => {
    const response = await fetch(`${gateway.url}/reading`, { method: 'POST', headers: { authorization: 'Bearer nothing' } });
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${root}/.well-known/oauth-protected-resource/mcp/reading", scope="tools", error="invalid_token"`,
    );
  });

  test('a missing scope is 403 with all scopes', async () => {
    const answer = await (await at(issuer.sign({ ...valid, scope: 'openid' }))).mcp('tools/list');
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining('scope="tools", error="insufficient_scope"'),
    ]);
  });
});

describe('a signed token', () => {
  test('is valid for every route, and its client is issuer and subject', async () => {
    const ann = await at(issuer.sign(valid, { typ: 'at+jwt' }));
    expect((await (await ann.greet()).call('board__recall')).text).toContain('last:');
    expect((await ann.modern('tools/list')).status).toBe(200);
    expect((await ann.send('GET', '/v1/session')).body).toMatchObject({ principal: `${issuer.url}|ann`, roles: ['call'] });
    const machine = await at(issuer.sign({ ...valid, sub: '', client_id: 'batch' }));
    expect((await machine.send('GET', '/v1/session')).body.principal).toBe(`${issuer.url}|client:batch`);
    const scp = await at(issuer.sign({ aud: [root, 'x'], scp: ['tools'] }));
    expect((await scp.send('GET', '/v1/session')).status).toBe(200);
  });

  test('is checked once a minute, and static tokens stay valid beside it', async () => {
    const ann = await at(issuer.sign({ ...valid, sub: 'often' }));
    const before = issuer.requests.length;
    await Promise.all(Array.from({ length: 50 }, () => ann.send('GET', '/v1/session')));
    expect(issuer.requests.length - before).toBeLessThan(2);
    expect((await (await at(secrets.alice)).send('GET', '/v1/session')).body.principal).toBe('alice');
  });

  const now = Math.floor(Date.now() / 1000);
  test.each<[string, () => Promise<string> | string]>([
    ['another audience', () => issuer.sign({ ...valid, aud: 'https://other.example.com/mcp' })],
    ['no audience', () => issuer.sign({ scope: 'tools' })],
    ['the audience of an endpoint, elsewhere', () => issuer.sign({ ...valid, aud: `${resource}/reading` })],
    ['another issuer', () => issuer.sign({ ...valid, iss: 'https://evil.example.com' })],
    ['an expired one', () => issuer.sign({ ...valid, exp: now - 60 })],
    ['no expiry', () => issuer.sign({ ...valid, exp: undefined as never })],
    ['one that is not valid yet', () => issuer.sign({ ...valid, nbf: now + 600 })],
    ['no subject', () => issuer.sign({ ...valid, sub: undefined as never })],
    ['an ID token', () => issuer.sign(valid, { typ: 'id+jwt' })],
    ['an unknown key', () => issuer.sign(valid, { kid: 'other' })],
    ['another signature', async () => `${(await issuer.sign(valid)).slice(0, -8)}AAAAAAAA`],
    ['no signature', () => forged({ alg: 'none' }, '')],
    ['a symmetric signature', () => forged({ alg: 'HS256', kid: 'k0' }, 'key')],
    ['no token at all', () => 'a.b.c'],
  ])('%s is refused', async (_what, token) => {
    const answer = await (await at(token())).mcp('tools/list');
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
  });

  test('a new key is fetched; a flood of unknown keys asks the issuer hardly ever', async () => {
    await using fresh = await gatewayWith();
    expect((await (await at(issuer.sign(valid), fresh)).mcp('tools/list')).status).toBe(200);
    const before = issuer.requests.length;
    const tokens = await Promise.all(Array.from({ length: 100 }, (_, index) => issuer.sign(valid, { kid: `unknown-${index}` })));
    await Promise.all(tokens.map(async (token) => (await at(token, fresh)).mcp('tools/list')));
    expect(issuer.requests.length - before).toBeLessThan(3);
  });
});

function forged(header: object, key: string): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: issuer.url, sub: 'ann', exp: Math.floor(Date.now() / 1000) + 600, ...valid };
  const body = `${part(header)}.${part(claims)}`;
  return `${body}.${key === '' ? '' : createHmac('sha256', key).update(body).digest('base64url')}`;
}

test('groups of a token give tools, roles and limits; without a known group there is no access', async () => {
  await using grouped = await gatewayWith(
    { groups: { eng: { tools: ['board__*'], deny: ['*erase'] }, ops: { roles: ['read', 'operate'], tools: [] } } },
    { groups_claim: 'realm.groups' },
  );
  const withGroups = async (...groups: readonly string[]): Promise<Person> => at(issuer.sign({ ...valid, realm: { groups } }), grouped);
  const eng = await withGroups('eng', 'unknown');
  expect((await eng.mcp('tools/list')).text).not.toContain('erase');
  expect((await eng.send('GET', '/v1/overview')).status).toBe(403);
  const both = await withGroups('eng', 'ops');
  expect([(await both.mcp('tools/list')).status, (await both.send('GET', '/v1/overview')).status]).toEqual([200, 200]);
  const ops = await withGroups('ops');
  expect([(await ops.mcp('tools/list')).status, (await ops.send('GET', '/v1/overview')).status]).toEqual([403, 200]);
  for (const groups of [[], ['unknown']]) {
    const answer = await (await withGroups(...groups)).mcp('tools/list');
    expect([answer.status, answer.body.error.code]).toEqual([403, 'no_access']);
  }
});

test('people of one issuer are kept apart from each other, and from static tokens', async () => {
  const [ann, ben, alice] = [await at(issuer.sign(valid)), await at(issuer.sign({ ...valid, sub: 'ben' })), await at(secrets.alice)];
  await ann.greet();
  const made = await ann.send('POST', '/v1/turns', { turn_id: 't', calls: [{ call_id: 'c', tool_id: 'board__recall' }] });
  expect(made.body.turn_id).toMatch(/^~[\da-f]{32}\/t$/);
  for (const other of [ben, alice]) {
    expect((await other.mcp('ping', {}, other.inSession(ann.session))).status).toBe(404);
    expect((await other.send('GET', `/v1/turns/${encodeURIComponent(made.body.turn_id)}`)).status).toBe(404);
  }
});

test('an endpoint has a part of the tools, and sessions and audiences of its own', async () => {
  const ann = await at(issuer.sign({ ...valid, aud: `${resource}/reading` }));
  await ann.greet({}, '/mcp/reading');
  const listed = await ann.mcp('tools/list', {}, ann.inSession(), '/mcp/reading');
  expect(listed.body.result.tools.map(({ name }: { name: string }) => name)).toEqual(['board__recall']);
  const call = await ann.mcp('tools/call', { name: 'board__erase' }, ann.inSession(), '/mcp/reading');
  expect(call.body.error.message).toMatch(/^Unknown tool/);
  const alice = await at(secrets.alice);
  await alice.greet({}, '/mcp/reading');
  expect((await alice.mcp('ping', {}, alice.inSession(), '/mcp')).status).toBe(404);
  expect((await alice.mcp('ping', {}, {}, '/mcp/none')).status).toBe(404);
  expect((await alice.mcp('tools/list', {}, {}, '/mcp')).body.result.tools).toHaveLength(9);
});

describe('an issuer that does not answer', () => {
  test.each(['hangs', 'fails'] as const)(
    '%s: it delays only its own tokens, which get 503, and known keys stay valid',
    { timeout: 20_000 },
    async (mode) => {
      await using cold = await gatewayWith();
      const alice = await at(secrets.alice, cold);
      await alice.mcp('tools/list');
      issuer.mode = mode;
      const ann = await at(issuer.sign(valid), cold);
      const beganAt = performance.now();
      const waiting = Promise.all(Array.from({ length: 20 }, () => ann.mcp('tools/list')));
      for (let count = 0; count < 20; count += 1) {
        const askedAt = performance.now();
        expect((await alice.mcp('ping', {}, {})).status).toBe(200);
        expect(performance.now() - askedAt).toBeLessThan(500);
      }
      const answers = await waiting;
      expect(performance.now() - beganAt).toBeLessThan(9_000);
      expect(new Set(answers.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`))).toEqual(new Set(['503 5']));
      issuer.mode = 'works';
      expect((await ann.mcp('tools/list')).status).toBe(200);
      issuer.mode = mode;
      expect((await (await at(issuer.sign({ ...valid, sub: 'later' }), cold)).mcp('tools/list')).status).toBe(200);
      expect(cold.faults.join('\n')).toContain('A login cannot be checked');
    },
  );
});

describe('introspection', () => {
  test('an opaque token is asked for once, and must be active and for this audience', async () => {
    process.env['INTROSPECTION_SECRET'] = 'introspection-secret';
    const introspection = { client_id: 'gateway', client_secret: { env: 'INTROSPECTION_SECRET' } };
    await using asking = await gatewayWith({}, { introspection });
    const exp = Math.floor(Date.now() / 1000) + 600;
    issuer.opaque.set('good', { active: true, sub: 'ann', exp, ...valid });
    issuer.opaque.set('foreign', { active: true, sub: 'ann', exp, ...valid, aud: 'other' });
    issuer.opaque.set('unbound', { active: true, sub: 'ann', exp, scope: 'tools' });
    const before = issuer.requests.length;
    const ann = await at('good', asking);
    const statuses = await Promise.all(Array.from({ length: 30 }, async () => (await ann.send('GET', '/v1/session')).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(issuer.requests.slice(before).filter((request) => request === 'POST /introspect')).toHaveLength(1);
    for (const token of ['foreign', 'unbound', 'unknown']) expect((await (await at(token, asking)).mcp('tools/list')).status).toBe(401);
  });
});
