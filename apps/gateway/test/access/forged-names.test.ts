/** One of two people forges names: owners in ids, tokens in other places, sessions in other forms, names of prototypes. None of it reaches the other. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GatewayInProcess } from '../fixtures/gateway.ts';
import { boardServer, gatewayOf, Person, secrets } from './people.ts';

const mark = 'alice-secret';
let gateway: GatewayInProcess;
let alice: Person;
let bob: Person;
let uri: string;

beforeAll(async () => {
  gateway = await gatewayOf({ results: { max_bytes: 20_000 } }, { own: boardServer({ isolation: 'per_principal' }), all: boardServer() });
  alice = await new Person(gateway.url, secrets.alice).greet();
  bob = await new Person(gateway.url, secrets.bob).greet();
  await alice.call('own__remember', { text: mark });
  await bob.call('own__remember', { text: 'bobs' });
  await alice.send('POST', '/v1/turns', { turn_id: 'x', calls: [{ call_id: 'c', tool_id: 'own__recall' }] });
  uri = /holdfast:\/\/results\/[\w-]{22}/.exec((await alice.call('all__big', { text: mark })).text)?.[0] ?? '';
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

const origin = (): URL => new URL(gateway.url);

/** Sends bytes over one connection; resolves with everything that comes back. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(origin().port), origin().hostname, () => socket.write(text));
    let got = '';
    socket.setEncoding('utf8').on('data', (part: string) => (got += part));
    socket.on('error', reject).on('close', () => resolve(got));
    setTimeout(() => socket.destroy(), 250);
  });
}

const turnOf = (turnId: string, headers: readonly string[]): string =>
  [`GET /v1/turns/${turnId} HTTP/1.1`, `Host: ${origin().host}`, ...headers, '', ''].join('\r\n');

describe('credentials', () => {
  const bearer = { authorization: `Bearer ${secrets.alice}` };
  test.each([
    ['in other case', { authorization: `Bearer ${secrets.alice.toUpperCase()}` }],
    ['percent-encoded', { authorization: `Bearer ${secrets.alice.replace('-', '%2D')}` }],
    ['cut', { authorization: `Bearer ${secrets.alice.slice(0, -1)}` }],
    ['with more behind it', { authorization: `Bearer ${secrets.alice}0` }],
    ['twice in one header', { authorization: `Bearer ${secrets.bob}, Bearer ${secrets.alice}` }],
    ['as a password', { authorization: `Basic ${Buffer.from(`alice:${secrets.alice}`).toString('base64')}` }],
    ['in a cookie', { cookie: `token=${secrets.alice}` }],
    ['in another header', { 'x-api-key': secrets.alice, 'proxy-authorization': bearer.authorization }],
  ])("the other's token %s", async (_how, headers) => {
    const response = await fetch(`${origin().origin}/v1/turns/x`, { headers });
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain(mark);
  });

  test("the other's token in the address", async () => {
    for (const query of [`access_token=${secrets.alice}`, `token=${secrets.alice}`])
      expect((await fetch(`${origin().origin}/v1/turns/x?${query}`)).status).toBe(401);
  });

  test.each(['x-forwarded-user', 'x-remote-user', 'x-holdfast-principal', 'remote-user', 'x-auth-request-user', 'forwarded'])(
    'the name of the other in %s',
    async (header) => {
      const { body } = await bob.send('GET', '/v1/session', undefined, { [header]: 'alice' });
      expect(body).toMatchObject({ principal: 'bob' });
    },
  );

  test('the connection of the other, without a token, and with a second request inside of a body', async () => {
    const token = [`Authorization: Bearer ${secrets.alice}`];
    const answers = await raw(`${turnOf('x', token)}${turnOf('x', ['X-Second: 1'])}`);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 401']);
    const own = `Authorization: Bearer ${secrets.bob}`;
    const smuggled = await raw(
      `POST /v1/calls HTTP/1.1\r\nHost: ${origin().host}\r\n${own}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${turnOf('x', token)}`,
    );
    expect(smuggled).not.toContain(mark);
    expect(await raw(turnOf('x', [own, ...token]))).not.toContain(mark);
  });
});

describe('owners in ids', () => {
  test.each([
    'alice/x',
    'alice%2Fx',
    '..%2Falice%2Fx',
    'bob%2F..%2Falice%2Fx',
    'ALICE%2Fx',
    'alice%252Fx',
    'alice%00%2Fx',
    '%61lice%2Fx',
    '__proto__',
  ])('a turn %s of the other', async (id) => {
    const answer = await bob.send('GET', `/v1/turns/${id}`);
    expect([400, 404]).toContain(answer.status);
    expect(answer.text).not.toContain(mark);
    for (const path of ['events', 'export']) expect((await bob.send('GET', `/v1/turns/${id}/${path}`)).text).not.toContain(mark);
    expect((await bob.send('POST', `/v1/turns/${id}/what-if`, { policy: {} })).status).toBeGreaterThanOrEqual(400);
    expect((await bob.send('POST', `/v1/turns/${id}/cancel`)).status).toBeGreaterThanOrEqual(400);
  });

  test('a turn that exists for the other, and one that does not: the answers are the same', async () => {
    const [there, not] = [await bob.send('GET', '/v1/turns/alice%2Fx'), await bob.send('GET', '/v1/turns/alice%2Fy')];
    expect(there.text.replaceAll('alice/x', '')).toBe(not.text.replaceAll('alice/y', ''));
    expect(there.status).toBe(not.status);
  });

  test('a call or turn that names the other as its owner uses the own state', async () => {
    const call = await bob.send('POST', '/v1/calls', { call_id: 'alice/c', tool_id: 'own__recall' });
    expect(call.text).not.toContain(mark);
    for (const turn_id of ['alice/new', '/alice/new', 'alice//new']) {
      const turn = await bob.send('POST', '/v1/turns', { turn_id, calls: [{ call_id: 'alice/c', tool_id: 'own__recall' }] });
      expect(turn.text).not.toContain(mark);
    }
    expect((await bob.call('own__recall', {}, { _meta: { 'dev.holdfast/principal': 'alice', progressToken: 'alice/c' } })).text).toContain(
      'bobs',
    );
    const named = await bob.send('POST', '/mcp', bob.message('tools/call', { name: 'own__recall' }, 'alice/c'), bob.inSession());
    expect(named.text).toContain('last: bobs');
    expect((await alice.send('GET', '/v1/turns')).text).not.toContain('new');
  });

  test("the other's idempotency key with its name runs anew", async () => {
    const send = (person: Person, key: string) => person.send('POST', '/v1/calls', { tool_id: 'own__recall' }, { 'idempotency-key': key });
    expect((await send(alice, 'k')).text).toContain(mark);
    for (const key of ['k', 'alice/k', 'alice k']) expect((await send(bob, key)).text).not.toContain(mark);
  });

  test('lists with filters for the turns of the other', async () => {
    for (const query of ['turn_id=alice%2Fx', 'q=alice', 'tool_id=own__recall', 'limit=1000'])
      expect((await bob.send('GET', `/v1/turns?${query}`)).text).not.toMatch(/"alice\/|alice-secret/);
  });
});

describe('sessions and results in other forms', () => {
  test.each([
    ['in other case', (id: string) => id.toUpperCase()],
    ['behind the own one', (id: string) => `${bob.session}, ${id}`],
    ['before the own one', (id: string) => `${id}, ${bob.session}`],
    ['percent-encoded', (id: string) => encodeURIComponent(`${id} `)],
  ])("the other's session %s", async (_how, change) => {
    const headers = bob.inSession(change(alice.session ?? ''));
    expect((await bob.send('DELETE', '/mcp', undefined, headers)).status).toBeGreaterThanOrEqual(400);
    expect((await alice.mcp('ping')).status).toBe(200);
  });

  test("the other's session in the address and in the body", async () => {
    const answer = await bob.mcp(
      'tools/call',
      { name: 'own__recall', _meta: { sessionId: alice.session } },
      {},
      `/mcp?sessionId=${alice.session}`,
    );
    expect(answer.text).not.toContain(mark);
  });

  test('the stored result of the other by variants of its URI, and a subscription to it', async () => {
    expect((await alice.mcp('resources/read', { uri })).text).toContain(mark);
    const variants = [
      uri.toUpperCase(),
      uri.replace('results/', 'results//'),
      uri.replace('results/', 'results/./'),
      `${uri}#a`,
      `${uri}%20`,
    ];
    for (const each of variants) expect((await bob.mcp('resources/read', { uri: each })).text).not.toContain(mark);
    const [there, not] = [uri, 'holdfast://results/0000000000000000000000'].map((each) => bob.mcp('resources/subscribe', { uri: each }));
    expect({ ...(await there)?.body, id: 0 }).toEqual({ ...(await not)?.body, id: 0 });
  });

  test("a completion and a cancellation for the other's ids", async () => {
    const ref = { type: 'ref/resource', uri };
    expect((await bob.mcp('completion/complete', { ref, argument: { name: 'a', value: 'alice' } })).text).not.toContain(mark);
    const running = alice.send(
      'POST',
      '/mcp',
      alice.message('tools/call', { name: 'all__slow', arguments: { text: mark, ms: 300 } }, 77),
      alice.inSession(),
    );
    for (const requestId of [77, '77', 'alice/77', 77.0])
      await bob.send(
        'POST',
        '/mcp',
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } },
        bob.inSession(alice.session),
      );
    expect((await running).text).toContain(mark);
  });
});

describe('what only operators and readers may', () => {
  test.each([
    ['POST', '/v1/tools/own__recall/circuit', { command: 'open' }],
    ['POST', '/v1/tools/own__recall/circuit', { command: 'open', client: 'alice' }],
    ['POST', '/v1/silences', { matchers: [{ name: 'tool', value: 'x' }], duration_ms: 60_000, comment: 'c' }],
    ['GET', '/v1/overview', undefined],
    ['GET', '/v1/live', undefined],
    ['GET', '/v1/failures', undefined],
    ['GET', '/v1/tools/own__recall/history', undefined],
    ['GET', '/v1/upstreams', undefined],
    ['GET', '/v1/alerts', undefined],
    ['GET', '/metrics', undefined],
  ])('%s %s', async (method, path, body) => {
    const answer = await bob.send(method, path, body);
    expect(answer.status).toBe(403);
    expect(answer.text).not.toContain('alice');
    expect((await alice.call('own__recall')).text).toContain(mark);
  });

  test('an end of a login, and a callback with a guessed state', async () => {
    expect((await bob.send('DELETE', '/v1/logins/own?principal=alice')).status).toBeGreaterThanOrEqual(400);
    for (const path of ['/oauth/callback', '/v1/logins/callback'])
      expect((await bob.send('GET', `${path}?code=x&state=alice`)).status).toBeGreaterThanOrEqual(400);
  });

  test.each(['x-http-method-override', 'x-original-url', 'x-rewrite-url'])('%s', async (header) => {
    const answer = await bob.send('GET', '/v1/session', undefined, {
      [header]: header.includes('method') ? 'DELETE' : '/v1/turns/alice%2Fx',
    });
    expect(answer.text).not.toContain(mark);
    expect(answer.body).toMatchObject({ principal: 'bob' });
  });
});

test('clients with the names of prototypes are people like others', async () => {
  const names = ['constructor', '__proto__', 'toString'];
  for (const name of names) process.env[`${name}_TOKEN`] = `${name}-token-0123456789ab`;
  const tokens = names.map((name) => ({ name, env: `${name}_TOKEN` }));
  const other = await gatewayOf({ tokens }, { own: boardServer({ isolation: 'per_principal' }) });
  try {
    const people = await Promise.all(names.map((name) => new Person(other.url, `${name}-token-0123456789ab`).greet()));
    for (const [index, person] of people.entries()) await person.call('own__remember', { text: `of ${index}` });
    for (const [index, person] of people.entries()) {
      expect((await person.call('own__recall')).text).toContain(`last: of ${index}`);
      const turn = await person.send('POST', '/v1/turns', { turn_id: 't', calls: [{ call_id: 'c', tool_id: 'own__recall' }] });
      expect(turn.text).toContain(`last: of ${index}`);
      expect((await person.send('GET', '/v1/tools/own__recall')).body.health).toMatchObject({ circuit: 'closed' });
    }
  } finally {
    await other[Symbol.asyncDispose]();
  }
});
