/** What one of two people may do: tools that do not exist for the other, limits that are not the other's, tokens that end. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GatewayInProcess, readWords, writeWords } from '../fixtures/gateway.ts';
import { boardServer, gatewayOf, Person, secrets } from './people.ts';

const plan = (id: string | undefined, tool: string, args: object): object => ({
  ...(id === undefined ? {} : { turn_id: id }),
  calls: [{ call_id: 'c', tool_id: tool, arguments: args }],
});

describe('tools of one of them', () => {
  let own: GatewayInProcess;
  let visitor: Person;

  beforeAll(async () => {
    own = await gatewayOf(
      {
        tokens: [
          { name: 'alice', env: 'ALICE_TOKEN' },
          { name: 'bob', env: 'BOB_TOKEN', tools: ['open__*'], deny: ['*__erase'] },
        ],
      },
      { open: boardServer({ tools: { fail: { alternatives: ['hidden__fail', 'hidden__recall'] } } }), hidden: boardServer() },
    );
    visitor = await new Person(own.url, secrets.bob).greet();
  });
  afterAll(() => own[Symbol.asyncDispose]());

  test('do not exist for the other, in any list', async () => {
    const lists = [
      await visitor.mcp('tools/list'),
      await visitor.modern('tools/list'),
      await visitor.mcp('resources/list'),
      await visitor.mcp('prompts/list'),
      await visitor.send('GET', '/v1/tools'),
    ];
    for (const { status, text } of lists) expect([status, text]).toEqual([200, expect.not.stringMatching(/hidden|erase/)]);
    expect(lists[0]?.body.result.tools.length).toBe(8);
    const greeting = await visitor.send('POST', '/mcp', visitor.message('initialize', { protocolVersion: '2025-11-25', capabilities: {} }));
    expect(greeting.text).toContain('Instructions of the board');
    expect(greeting.text).not.toContain('# hidden');
  });

  test.each(['hidden__recall', 'open__erase', 'hidden__recal'])('cannot be called: %s', async (name) => {
    for (const answer of [
      await visitor.call(name),
      await visitor.modern('tools/call', { name }),
      await visitor.mcp('tools/call', { name }, {}),
    ]) {
      expect(answer.body.error.message).toMatch(/^Unknown tool/);
      expect(answer.text).not.toMatch(/Did you mean '(hidden|open__erase)/);
    }
    const call = await visitor.send('POST', '/v1/calls', { tool_id: name });
    expect(call.body).toMatchObject({ status: 'error', attempts: 0 });
    expect(call.text).not.toContain('hidden__recall,');
    expect((await visitor.send('POST', '/v1/turns', plan(undefined, name, {}))).status).toBe(422);
    expect((await visitor.send('GET', `/v1/tools/${name}`)).status).toBe(404);
  });

  test('cannot be reached as an alternative, through a forged requestState, as a resource, a prompt or a completion', async () => {
    const policy = { alternatives: ['hidden__recall'] };
    expect((await visitor.send('POST', '/v1/calls', { tool_id: 'open__fail', policy })).status).toBe(422);
    const turn = { calls: [{ call_id: 'c', tool_id: 'open__fail', arguments: {}, policy }] };
    expect((await visitor.send('POST', '/v1/turns', turn)).status).toBe(422);
    const forged = `holdfast-route:${Buffer.from(JSON.stringify({ tool: 'hidden__recall' })).toString('base64url')}`;
    const answer = await visitor.modern('tools/call', { name: 'open__recall', requestState: forged, inputResponses: {} });
    expect(answer.body.error.message).toMatch(/^Unknown tool/);
    expect((await visitor.mcp('prompts/get', { name: 'hidden__greet' })).body).toMatchObject({ error: { code: -32_602 } });
    const ref = { type: 'ref/prompt', name: 'hidden__greet' };
    expect((await visitor.mcp('completion/complete', { ref, argument: { name: 'a', value: '' } })).body.result).toBeUndefined();
  });

  test('answer for the other as alternatives of the manifest, without their names', async () => {
    for (const answer of [
      await visitor.call('open__fail', { text: 'x' }),
      await visitor.send('POST', '/v1/calls', { tool_id: 'open__fail', arguments: { text: 'x' } }),
      await visitor.send('POST', '/v1/turns', plan('own', 'open__fail', { text: 'x' })),
    ]) {
      expect(answer.text).toContain('an alternative');
      expect(answer.text).toContain('last: ');
      expect(answer.text).not.toMatch(/hidden__/);
    }
    expect(JSON.stringify((await visitor.send('GET', '/v1/turns/own')).body.report)).not.toMatch(/hidden__/);
  });
});

describe('limits', () => {
  test('one of them spends neither the rate nor the quota of the other', async () => {
    const limits = { calls_per_minute: 3, calls_per_day: 100 };
    await using limited = await gatewayOf(
      {
        tokens: [
          { name: 'alice', env: 'ALICE_TOKEN', limits },
          { name: 'bob', env: 'BOB_TOKEN', limits },
        ],
      },
      { all: boardServer() },
    );
    const one = await new Person(limited.url, secrets.alice).greet();
    const other = await new Person(limited.url, secrets.bob).greet();
    const answers = await Promise.all(Array.from({ length: 10 }, () => other.call('all__recall')));
    const refused = answers.filter(({ body }) => body.result.isError);
    expect(refused).toHaveLength(7);
    expect(refused[0]?.body.result._meta['dev.holdfast/error']).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    const call = await other.send('POST', '/v1/calls', { tool_id: 'all__recall' });
    expect([call.status, call.headers.get('retry-after') === null]).toEqual([429, false]);
    expect((await other.send('POST', '/v1/turns', plan(undefined, 'all__recall', {}))).status).toBe(429);
    expect((await one.call('all__recall')).body.result.isError).toBeUndefined();
    expect((await one.send('POST', '/v1/calls', { tool_id: 'all__recall' })).status).toBe(200);
  });

  test('a group shares its limits, and its roles and tools are added up', async () => {
    await using grouped = await gatewayOf(
      {
        groups: { team: { tools: ['all__recall'], limits: { calls_per_day: 2 } }, watchers: { roles: ['read'], tools: ['all__big'] } },
        tokens: [
          { name: 'alice', env: 'ALICE_TOKEN', groups: ['team', 'watchers'] },
          { name: 'bob', env: 'BOB_TOKEN', groups: ['team'] },
        ],
      },
      { all: boardServer() },
    );
    const one = await new Person(grouped.url, secrets.alice).greet();
    const other = await new Person(grouped.url, secrets.bob).greet();
    expect((await one.mcp('tools/list')).body.result.tools).toHaveLength(2);
    expect((await other.mcp('tools/list')).body.result.tools).toHaveLength(1);
    expect([(await one.send('GET', '/v1/overview')).status, (await other.send('GET', '/v1/overview')).status]).toEqual([200, 403]);
    const calls = [await one.call('all__recall'), await other.call('all__recall'), await one.call('all__recall')];
    expect(calls.map(({ body }) => body.result.isError === true)).toEqual([false, false, true]);
    expect(calls[2]?.text).toContain('The group team has made 2 calls within a day');
  });

  test('sessions, streams and running calls of one leave the other its place', async () => {
    await using small = await gatewayOf({ limits: { sessions: 20, in_flight: 20, connections: 200 } }, { all: boardServer() });
    const one = await new Person(small.url, secrets.alice).greet();
    const flood = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const other = await new Person(small.url, secrets.bob).greet();
        return other.session === undefined ? undefined : other.stream('GET', '/mcp', undefined, other.inSession());
      }),
    );
    expect(await one.mcp('ping')).toMatchObject({ status: 200 });
    const fresh = await new Person(small.url, secrets.alice).greet();
    expect(fresh.session).toBeDefined();
    for (const stream of flood) stream?.close();
    const other = await new Person(small.url, secrets.bob).greet();
    const busy = Array.from({ length: 40 }, () => other.call('all__slow', { text: 'x', ms: 600 }));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await fresh.call('all__recall')).body.result.isError).toBeUndefined();
    await Promise.all(busy);
  });
});

test('a token that a reload removes or changes ends at once: requests, sessions and open streams', async () => {
  await using changing = await gatewayOf({}, { all: boardServer() });
  const one = await new Person(changing.url, secrets.alice).greet();
  const other = await new Person(changing.url, secrets.bob).greet();
  const [stream, kept] = await Promise.all([
    other.stream('GET', '/mcp', undefined, other.inSession()),
    one.stream('GET', '/mcp', undefined, one.inSession()),
  ]);
  const path = await writeWords({});
  const reloaded = (...tokens: readonly object[]): Promise<readonly string[]> =>
    changing.gateway.reload(readWords({ mcp_servers: { all: boardServer() }, gateway: { reload: false, tokens } }, path));
  process.env['EMPTY_TOKEN'] = '';
  await expect(reloaded({ name: 'carol', env: 'EMPTY_TOKEN' })).rejects.toThrow(/EMPTY_TOKEN/);
  expect(await other.mcp('ping')).toMatchObject({ status: 200 });
  expect(await reloaded({ name: 'alice', env: 'ALICE_TOKEN' })).not.toContain('gateway.tokens');
  expect(await other.mcp('ping')).toMatchObject({ status: 401 });
  expect(await other.send('GET', '/v1/session')).toMatchObject({ status: 401 });
  await expect(stream.until('never').catch((error: Error) => error.message)).resolves.toContain('never');
  expect(await one.mcp('ping')).toMatchObject({ status: 200 });
  kept.close();
});
