import { rpcError } from '@holdfast/mcp-wire/server';
import { describe, expect, test } from 'vitest';
import { answering, connectedClient, clientRequest, prompts, resources, templates, world } from './fake-server.ts';

const modern = connectedClient({ era: 'modern', protocolVersion: '2026-07-28' });

describe('prompts/get', () => {
  const echo = { 'prompts/list': prompts('review', 'a b'), 'prompts/get': (params: object) => ({ messages: [], params }) as never };

  test('goes to the server of the prompt, by its own name', async () => {
    const { relay } = world({ one: { answers: echo }, two: { answers: echo } });
    const params = { name: 'two__review', arguments: { x: '1' } };
    expect(await relay.handle(clientRequest('prompts/get', params))).toEqual({
      messages: [],
      params: { name: 'review', arguments: { x: '1' } },
    });
    expect(await relay.handle(clientRequest('prompts/get', { name: 'one__a_b' }))).toMatchObject({ params: { name: 'a b' } });
  });

  test('finds the server by prefix if its list is not known', async () => {
    const { relay } = world({ one: { answers: { 'prompts/get': echo['prompts/get'] } }, two: {} });
    expect(await relay.handle(clientRequest('prompts/get', { name: 'one__new' }))).toMatchObject({ params: { name: 'new' } });
  });

  test('of an unknown prompt is refused', async () => {
    const { relay } = world({ one: { answers: echo }, two: { answers: echo } });
    await expect(relay.handle(clientRequest('prompts/get', { name: 'review' }))).rejects.toMatchObject({
      code: -32_602,
      message: 'Unknown prompt: review',
    });
    await expect(relay.handle(clientRequest('prompts/get', {}))).rejects.toMatchObject({ code: -32_602 });
  });

  test('without a prefix, any name is sent to the only server', async () => {
    const { relay } = world({ one: { answers: echo } }, { entry: () => ", prefix: ''" });
    expect(await relay.handle(clientRequest('prompts/get', { name: 'else' }))).toMatchObject({ params: { name: 'else' } });
  });
});

describe('completion/complete', () => {
  const completing = { 'completion/complete': (params: object) => ({ completion: { values: [JSON.stringify(params)] } }) as never };
  const complete = (ref: unknown) => clientRequest('completion/complete', { ref, argument: { name: 'a', value: 'b' } });

  test('of a prompt goes to its server, with its own name', async () => {
    const { relay } = world({ one: { answers: { 'prompts/list': prompts('review'), ...completing } }, two: {} });
    const result = await relay.handle(complete({ type: 'ref/prompt', name: 'one__review' }));
    expect(result['completion']).toEqual({
      values: [JSON.stringify({ ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'a', value: 'b' } })],
    });
  });

  test('of a template goes to the server that has it, of a resource to its owner', async () => {
    const { relay, servers } = world({
      one: {},
      two: { answers: { 'resources/templates/list': templates('t://{id}'), 'resources/list': resources('r://1'), ...completing } },
    });
    await relay.handle(complete({ type: 'ref/resource', uri: 't://{id}' }));
    await relay.handle(complete({ type: 'ref/resource', uri: 'r://1' }));
    expect(servers['two']?.methods().filter((method) => method.startsWith('completion'))).toHaveLength(2);
  });

  test('at a server without completion is empty', async () => {
    const { relay } = world({
      one: { capabilities: { resources: {} }, answers: { 'resources/templates/list': templates('t://{id}') } },
      two: {},
    });
    const result = await relay.handle(complete({ type: 'ref/resource', uri: 't://{id}' }));
    expect(result).toEqual({ completion: { values: [], total: 0, hasMore: false } });
  });

  test.each([undefined, 'x', {}, { type: 'ref/prompt' }, { type: 'ref/resource', uri: 3 }])('refuses the reference %j', async (ref) => {
    await expect(world({ one: {}, two: {} }).relay.handle(complete(ref))).rejects.toMatchObject({ code: -32_602 });
  });
});

describe('unknown methods', () => {
  const answers = { 'tasks/get': answering('seen') };

  test('are sent to the only exposed server, unchanged', async () => {
    const { relay, servers } = world({ one: { answers }, hidden: {} }, { entry: (name) => (name === 'hidden' ? ', expose: false' : '') });
    expect(await relay.handle(clientRequest('tasks/get', { taskId: 'x' }))).toEqual({ seen: [] });
    expect(servers['one']?.received).toMatchObject([{ method: 'tasks/get', params: { taskId: 'x' } }]);
  });

  test('are refused if there are several servers, or none', async () => {
    for (const scripts of [{}, { one: { answers }, two: { answers } }])
      await expect(world(scripts).relay.handle(clientRequest('tasks/get'))).rejects.toMatchObject({ code: -32_601 });
  });

  test.each(['toString', '__proto__', 'constructor'])('%s is not a method', async (method) => {
    await expect(world({}).relay.handle(clientRequest(method))).rejects.toMatchObject({ code: -32_601 });
  });
});

describe('input that a server requires', () => {
  const question = { method: 'elicitation/create', params: { message: 'Who?' } };
  const asking = (rounds: number) => {
    let asked = 0;
    return {
      'prompts/get': (params: { readonly inputResponses?: unknown }) =>
        (asked++ < rounds
          ? { resultType: 'input_required', inputRequests: { who: question }, requestState: `state-${asked}` }
          : { messages: [], params }) as never,
    };
  };
  const capable = connectedClient({ capabilities: { elicitation: {} } });
  const get = (more = {}) => clientRequest('prompts/get', { name: 'one__p', arguments: {} }, { client: capable, ...more });

  test('is requested from a legacy client, and sent to the server with its state', async () => {
    const { relay } = world({ one: { era: 'modern', answers: asking(2) } });
    const asked: unknown[] = [];
    const request = get({
      ask: async (method: string, params: object) => {
        asked.push([method, params]);
        return { action: 'accept', content: { name: 'me' } };
      },
    });
    expect(await relay.handle(request)).toEqual({
      messages: [],
      params: {
        name: 'p',
        arguments: {},
        inputResponses: { who: { action: 'accept', content: { name: 'me' } } },
        requestState: 'state-2',
      },
    });
    expect(asked).toEqual([
      [question.method, question.params],
      [question.method, question.params],
    ]);
  });

  test('is sent to a modern client unchanged, and its answer to the server', async () => {
    const { relay, servers } = world({ one: { era: 'modern', answers: asking(1) } });
    expect(await relay.handle(get({ client: modern }))).toEqual({
      resultType: 'input_required',
      inputRequests: { who: question },
      requestState: 'state-1',
    });
    const params = { name: 'one__p', inputResponses: { who: {} }, requestState: 'state-1' };
    await relay.handle(clientRequest('prompts/get', params, { client: modern }));
    expect(servers['one']?.received.at(-1)?.params).toEqual({ ...params, name: 'p' });
  });

  test('that is refused, unknown, late or endless is an error', async () => {
    const refusing = get({ ask: () => Promise.reject(rpcError(-1, 'The user refused')) });
    await expect(world({ one: { answers: asking(1) } }).relay.handle(refusing)).rejects.toMatchObject({ code: -1 });
    const silent = get({ ask: () => new Promise(() => {}) });
    await expect(world({ one: { answers: asking(1) } }, { inputTimeoutMs: 20 }).relay.handle(silent)).rejects.toThrow(
      'no answer within 20 ms',
    );
    const willing = get({ ask: async () => ({}) });
    await expect(world({ one: { answers: asking(1e9) } }).relay.handle(willing)).rejects.toThrow('asked 16 times');
    const odd = { 'prompts/get': { resultType: 'input_required', inputRequests: { x: 'y' } } };
    await expect(world({ one: { answers: odd } }).relay.handle(get({ ask: async () => ({}) }))).rejects.toMatchObject({ code: -32_603 });
  });

  test('by a legacy server during the request does not count for the deadline', async () => {
    const answers = {
      'prompts/get': async (
        _params: object,
        { onRequest }: { onRequest?: ((method: string, params: object) => Promise<object>) | undefined },
      ) => ({
        reported: await onRequest?.('elicitation/create', { message: 'Who?' }),
      }),
    } as never;
    const { relay } = world({ one: { answers } }, { limits: { requestMs: 400 } });
    const request = get({
      ask: async () => {
        await new Promise((resolve) => setTimeout(resolve, 500));
        return { action: 'decline' };
      },
    });
    expect(await relay.handle(request)).toEqual({ reported: { action: 'decline' } });
  });
});
