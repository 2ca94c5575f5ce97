/**
 * Two people, two tokens, one gateway: whatever one of them tries, it neither sees, stops, spends nor confuses what is the other's.
 * Each attempt returns what it got; an attempt succeeds if that contains the mark of the other person, or if what the other has does not go on.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GatewayInProcess } from '../fixtures/gateway.ts';
import { boardServer, gatewayOf, Person, secrets } from './people.ts';

const mark = 'alice-secret';
const plan = (id: string | undefined, tool: string, args: object): object => ({
  ...(id === undefined ? {} : { turn_id: id }),
  calls: [{ call_id: 'c', tool_id: tool, arguments: args }],
});

let gateway: GatewayInProcess;
let alone: GatewayInProcess;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  gateway = await gatewayOf(
    { results: { max_bytes: 20_000 }, audit: 'audit.jsonl' },
    { own: boardServer({ isolation: 'per_principal' }), all: boardServer() },
  );
  alone = await gatewayOf({}, { board: boardServer({ prefix: '' }) });
  alice = await new Person(gateway.url, secrets.alice).greet({ elicitation: { form: {} }, sampling: {}, roots: {} });
  bob = await new Person(gateway.url, secrets.bob).greet({ elicitation: { form: {} }, sampling: {}, roots: {} });
});

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await alone?.[Symbol.asyncDispose]();
});

const slow = (person: Person, text: string, id: string, token = id): object =>
  person.message('tools/call', { name: 'all__slow', arguments: { text, ms: 500 }, _meta: { progressToken: token } }, id);

describe('sessions and streams', () => {
  test.each(['tools/list', 'ping', 'resources/list'])("a request in the other's session: %s", async (method) => {
    expect(await bob.mcp(method, {}, bob.inSession(alice.session))).toMatchObject({ status: 404 });
  });

  test("opening, resuming and ending the other's session", async () => {
    const theirs = { ...bob.inSession(alice.session), accept: 'text/event-stream' };
    expect(await bob.send('GET', '/mcp', undefined, theirs)).toMatchObject({ status: 404 });
    expect(await bob.send('GET', '/mcp', undefined, { ...theirs, 'last-event-id': '000000000000-1-0' })).toMatchObject({ status: 404 });
    expect(await bob.send('DELETE', '/mcp', undefined, theirs)).toMatchObject({ status: 404 });
    expect(await alice.mcp('ping')).toMatchObject({ status: 200 });
  });

  test("a changed copy of the other's session id", async () => {
    const [form, payload, random, signature] = (alice.session ?? '').split('.');
    const own = (bob.session ?? '').split('.');
    for (const id of [
      [form, payload, random, own[3]],
      [form, own[1], random, signature],
      [form, payload, own[2], signature],
    ])
      expect(await bob.mcp('ping', {}, bob.inSession(id.join('.')))).toMatchObject({ status: 404 });
  });

  test("resuming the other's stream, by the id of its event, in the own session", async () => {
    const running = await alice.stream('POST', '/mcp', slow(alice, mark, 'a-1'), alice.inSession());
    await running.until('step of');
    const lastId = /^id: (\S+)$/m.exec(running.text())?.[1] ?? '';
    const resumed = await bob.stream('GET', '/mcp', undefined, { ...bob.inSession(), 'last-event-id': lastId });
    await running.until('done');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(resumed.text()).not.toContain(mark);
    resumed.close();
  });

  test("cancelling the other's request by its id, in every session and without one", async () => {
    const running = await alice.stream('POST', '/mcp', slow(alice, mark, 'shared-id'), alice.inSession());
    await running.until('step of');
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'shared-id', reason: 'mine' } };
    await bob.send('POST', '/mcp', cancel, bob.inSession());
    await bob.send('POST', '/mcp', cancel, bob.inSession(alice.session));
    await bob.send('POST', '/mcp', cancel);
    await running.until(`done ${mark}`);
  });

  test('the same request id and progress token at the same time: each gets its own', async () => {
    const [one, other] = await Promise.all([
      alice.stream('POST', '/mcp', slow(alice, mark, 'same', 'same-token'), alice.inSession()),
      bob.stream('POST', '/mcp', slow(bob, 'of-bob', 'same', 'same-token'), bob.inSession()),
    ]);
    await Promise.all([one.until(`done ${mark}`), other.until('done of-bob')]);
    expect(other.text()).not.toContain(mark);
    expect(one.text()).not.toContain('of-bob');
  });

  test("log messages and progress of the other's call, on the own stream", async () => {
    const listening = await bob.stream('GET', '/mcp', undefined, bob.inSession());
    const running = await alice.stream('POST', '/mcp', slow(alice, mark, 'a-2'), alice.inSession());
    await running.until('done');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(listening.text()).not.toContain(mark);
    listening.close();
  });

  test("progress for the other's token, and other notifications, reach neither the other nor a shared server", async () => {
    const running = await alice.stream('POST', '/mcp', slow(alice, mark, 'a-3'), alice.inSession());
    for (const method of ['notifications/progress', 'notifications/roots/list_changed', 'notifications/tasks/status'])
      await bob.send(
        'POST',
        '/mcp',
        { jsonrpc: '2.0', method, params: { progressToken: 'a-3', progress: 99, message: 'of-bob' } },
        bob.inSession(),
      );
    await running.until('done');
    expect(running.text()).not.toContain('of-bob');
    expect((await alice.call('all__heard')).text).not.toContain('notifications/progress');
    expect((await alice.call('all__heard')).text).not.toContain('roots');
  });
});

describe('questions and their answers', () => {
  test.each(['all__ask', 'own__ask'])("the question of the other's call (%s) is neither seen nor answered", async (name) => {
    const listening = await bob.stream('GET', '/mcp', undefined, bob.inSession());
    const busy = bob.stream('POST', '/mcp', slow(bob, 'of-bob', `b-${name}`), bob.inSession());
    const asked = await alice.stream('POST', '/mcp', alice.message('tools/call', { name, arguments: { text: mark } }), alice.inSession());
    await new Promise((resolve) => setTimeout(resolve, 700));
    const question = /"id":"([\da-f]{12}-\d+)"/.exec(asked.text())?.[1];
    for (const id of [question ?? 'q1', 1, 'q1'])
      for (const session of [bob.session, alice.session])
        await bob.send(
          'POST',
          '/mcp',
          { jsonrpc: '2.0', id, result: { action: 'accept', content: { pin: 'of-bob' } } },
          bob.inSession(session),
        );
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(asked.text()).not.toContain('of-bob');
    expect(`${listening.text()}${(await busy).text()}`).not.toContain('PIN');
    if (question !== undefined) {
      const answer = { jsonrpc: '2.0', id: question, result: { action: 'accept', content: { pin: '1' } } };
      await alice.send('POST', '/mcp', answer, alice.inSession());
      await asked.until('answered');
    }
    asked.close();
    listening.close();
  });

  test("continuing the other's call with its requestState", async () => {
    const asked = await alice.modern('tools/call', { name: 'own__ask', arguments: { text: mark } });
    const { requestState, inputRequests } = asked.body.result;
    expect(JSON.stringify(inputRequests)).toContain(mark);
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests).map((key) => [key, { action: 'accept', content: { pin: 'of-bob' } }]),
    );
    const stolen = await bob.modern('tools/call', { name: 'own__ask', arguments: { text: mark }, requestState, inputResponses });
    expect(stolen.text).not.toContain('answered');
    const own = await alice.modern('tools/call', { name: 'own__ask', arguments: { text: mark }, requestState, inputResponses });
    expect(own.text).toContain('answered');
  });
});

describe('results, tasks and state', () => {
  test('reading the stored result of the other by its URI, whole, in part, and in the other era', async () => {
    const big = await alice.call('all__big', { text: mark });
    const uri = /holdfast:\/\/results\/[\w-]{22}/.exec(big.text)?.[0] ?? '';
    expect((await alice.mcp('resources/read', { uri })).text).toContain(mark);
    for (const wanted of [uri, `${uri}?offset=0&limit=100`]) {
      expect((await bob.mcp('resources/read', { uri: wanted })).text).not.toContain(mark);
      expect((await bob.modern('resources/read', { uri: wanted })).text).not.toContain(mark);
      expect((await bob.mcp('resources/read', { uri: wanted }, {})).text).not.toContain(mark);
    }
  });

  test('listing, reading and cancelling the tasks of the other', async () => {
    const one = await new Person(alone.url, secrets.alice).greet();
    const other = await new Person(alone.url, secrets.bob).greet();
    const { taskId } = (await one.call('task', { text: mark }, { task: {} })).body.result.task;
    expect((await other.mcp('tasks/list')).body.result.tasks).toEqual([]);
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/update'])
      expect((await other.mcp(method, { taskId })).body).toMatchObject({ error: { code: -32_602 } });
    for (const method of ['tasks/get', 'tasks/result']) expect((await other.modern(method, { taskId })).text).not.toContain(mark);
    expect((await other.mcp('tasks/result', { taskId }, {})).text).not.toContain(mark);
    expect((await one.mcp('tasks/result', { taskId })).text).toContain(mark);
    expect((await one.mcp('tasks/list')).body.result.tasks).toHaveLength(1);
  });

  test('what a server keeps: by a call, in the other era, by a resource, a prompt, the Turn API, a turn', async () => {
    await alice.call('own__remember', { text: mark });
    expect((await alice.call('own__recall')).text).toContain(mark);
    expect((await alice.send('POST', '/v1/calls', { tool_id: 'own__recall' })).text).toContain(mark);
    expect((await alice.send('POST', '/v1/turns', plan(undefined, 'own__recall', {}))).text).toContain(mark);
    const got = [
      await bob.call('own__recall'),
      await bob.modern('tools/call', { name: 'own__recall' }),
      await bob.mcp('tools/call', { name: 'own__recall' }, {}),
      await bob.mcp('resources/read', { uri: 'board://last' }),
      await bob.mcp('prompts/get', { name: 'own__greet' }),
      await bob.send('POST', '/v1/calls', { tool_id: 'own__recall' }),
      await bob.send('POST', '/v1/calls', { tool_id: 'own__recall', call_id: 'alice/c' }),
      await bob.send('POST', '/v1/turns', plan(undefined, 'own__recall', {})),
      await bob.send('POST', '/v1/turns', plan('alice/steal', 'own__recall', {})),
    ];
    for (const { status, text } of got) expect([status, text]).toEqual([200, expect.not.stringContaining(mark)]);
  });
});

describe('turns and calls of the Turn API', () => {
  const their = ['turn-of-alice', 'alice/turn-of-alice', 'alice%2Fturn-of-alice'];

  test('are seen and cancelled only by their client', async () => {
    const made = await alice.send('POST', '/v1/turns', plan('turn-of-alice', 'all__remember', { text: mark }));
    expect([made.status, made.body.turn_id]).toEqual([200, 'alice/turn-of-alice']);
    for (const id of their) {
      const path = `/v1/turns/${encodeURIComponent(decodeURIComponent(id))}`;
      expect((await alice.send('GET', path)).text).toContain(mark);
      for (const [method, rest, body] of [
        ['GET', ''],
        ['GET', '?run=1'],
        ['GET', '/events'],
        ['GET', '/export?format=otlp'],
        ['GET', '/export?format=ndjson'],
        ['POST', '/what-if', {}],
        ['POST', '/cancel', {}],
      ] as const) {
        const { status, text } = await bob.send(method, `${path}${rest}`, body);
        expect([method, path, rest, status]).toEqual([method, path, rest, 404]);
        expect(text).not.toContain(mark);
        expect(text).not.toMatch(/suggestion":"alice/);
      }
    }
    expect((await alice.send('GET', '/v1/turns')).text).toContain('alice/turn-of-alice');
    for (const query of ['', '?limit=200', '?q=alice', '?state=completed', '?tool_id=all__remember', '?outcome=success'])
      expect((await bob.send('GET', `/v1/turns${query}`)).text).not.toContain('alice/turn');
  });

  test('a running turn goes on when the other cancels it', async () => {
    const running = alice.send('POST', '/v1/turns', plan('long', 'all__slow', { text: mark, ms: 600 }));
    await new Promise((resolve) => setTimeout(resolve, 150));
    for (const id of ['long', 'alice%2Flong']) await bob.send('POST', `/v1/turns/${id}/cancel`, {});
    expect((await running).body).toMatchObject({ outcome: 'success' });
  });

  test('the same turn id, plan and idempotency key run for each of them', async () => {
    await alice.send('POST', '/v1/turns', plan('same', 'all__remember', { text: mark }));
    const own = await bob.send('POST', '/v1/turns', plan('same', 'all__remember', { text: 'of-bob' }));
    expect([own.status, own.body.turn_id]).toEqual([200, 'bob/same']);
    const key = { 'idempotency-key': 'k1' };
    const first = await alice.send('POST', '/v1/turns', plan(undefined, 'all__recall', {}), key);
    const second = await bob.send('POST', '/v1/turns', plan(undefined, 'all__recall', {}), key);
    expect(second.body.turn_id).not.toBe(first.body.turn_id);
    await alice.send('POST', '/v1/calls', { tool_id: 'all__remember', arguments: { text: mark } }, key);
    const call = await bob.send('POST', '/v1/calls', { tool_id: 'all__remember', arguments: { text: 'of-bob' } }, key);
    expect(call.text).toContain('of-bob');
    expect(call.text).not.toContain(mark);
  });
});

describe('capacity', () => {
  test('turns of one that run, and calls of the Turn API, leave room for the other', async () => {
    const many = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        bob.send('POST', '/v1/turns?wait=false', plan(`many-${index}`, 'all__slow', { text: 'x', ms: 5_000 })),
      ),
    );
    expect(many.filter(({ status }) => status === 202)).toHaveLength(80);
    expect(many.find(({ status }) => status === 429)?.body).toMatchObject({ error: { message: 'This client has too many turns running' } });
    expect((await alice.send('POST', '/v1/turns', plan('one', 'all__recall', {}))).body).toMatchObject({ outcome: 'success' });
  });
});

describe('what the gateway knows about all', () => {
  test.each([
    'GET /v1/overview',
    'GET /v1/live',
    'GET /v1/failures',
    'GET /v1/alerts',
    'GET /v1/alerts/history',
    'GET /v1/alerts/deliveries',
    'GET /v1/upstreams',
    'GET /v1/tools/all__recall/history',
    'GET /v1/tools/all__recall/circuit',
    'GET /metrics',
    'GET /%6detrics',
    'POST /v1/tools/all__recall/circuit',
    'POST /v1/silences',
    'POST /v1/receivers/x/test',
  ])('%s is refused', async (request) => {
    await alice.call('all__fail', { text: mark });
    const [method = '', path = ''] = request.split(' ');
    const { status, text } = await bob.send(method, path, method === 'POST' ? { command: 'open' } : undefined, { accept: '*/*' });
    expect(status).toBe(403);
    expect(text).not.toContain(mark);
  });

  test('the tools show no use by others, and no route shows the audit', async () => {
    const tools = await bob.send('GET', '/v1/tools');
    expect(tools.body.tools.length).toBeGreaterThan(10);
    for (const tool of tools.body.tools) expect(tool.metrics).toBeUndefined();
    expect((await bob.send('GET', '/v1/tools/all__recall')).body.metrics).toBeUndefined();
    for (const path of ['/audit.jsonl', '/v1/audit', '/audit']) expect((await bob.send('GET', path)).status).toBe(404);
    expect((await bob.send('GET', '/v1/session')).body).toMatchObject({ principal: 'bob', roles: ['call'], can_act: false });
  });
});

describe('credentials', () => {
  test.each(['', 'x', secrets.alice.slice(0, -1), `${secrets.alice}x`, secrets.alice.toUpperCase(), `${secrets.bob} ${secrets.alice}`])(
    "'%s' is no client's token",
    async (token) => {
      expect((await new Person(gateway.url, token).mcp('tools/list', {}, {})).status).toBe(401);
    },
  );

  test('a second credential beside the own one changes nothing', async () => {
    for (const header of ['x-api-key', 'cookie', 'proxy-authorization', 'x-forwarded-user', 'x-principal'])
      expect((await bob.send('GET', '/v1/session', undefined, { [header]: secrets.alice })).body.principal).toBe('bob');
  });
});
