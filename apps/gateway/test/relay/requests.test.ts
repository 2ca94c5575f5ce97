import { rpcError } from '@holdfast/mcp-wire/server';
import { describe, expect, test } from 'vitest';
import { answering, down, faceClient, faceRequest, lost, never, prompts, resources, templates, world } from './fake-server.ts';

const modern = faceClient({ era: 'modern', protocolVersion: '2026-07-28' });
const read = (uri: unknown, more = {}) => faceRequest('resources/read', { uri }, more);
const has = (...uris: readonly string[]) => ({
  'resources/list': resources(...uris),
  'resources/read': ({ uri }: { readonly uri?: unknown }) => {
    if (!uris.includes(String(uri))) throw rpcError(-32_002, 'Resource not found', { uri });
    return { contents: [{ uri, text: `of ${String(uri)}` }] };
  },
});
const readParams = (server: { readonly received: readonly { readonly method: string; readonly params: object }[] } | undefined) =>
  server?.received.filter(({ method }) => method === 'resources/read').map(({ params }) => params);

describe('resources/read', () => {
  test('goes to the server that lists the URI, without a list before', async () => {
    const { relay, servers } = world({ one: { answers: has('o://1') }, two: { answers: has('t://1') } });
    expect(await relay.handle(read('t://1'))).toEqual({ contents: [{ uri: 't://1', text: 'of t://1' }], ttlMs: 0, cacheScope: 'private' });
    expect(readParams(servers['one'])).toEqual([]);
  });

  test('goes to the only server at once', async () => {
    const { relay, servers } = world({ one: { answers: has('o://1') } });
    await relay.handle(read('o://1'));
    expect(servers['one']?.methods()).toEqual(['resources/read']);
  });

  test('of a URI that several list, to the first', async () => {
    const { relay, servers } = world({ one: { answers: has('same://x') }, two: { answers: has('same://x') } });
    await relay.handle(read('same://x'));
    expect([readParams(servers['one'])?.length, readParams(servers['two'])?.length]).toEqual([1, 0]);
  });

  test('of a URI that nobody lists, to where a template fits, the most specific first', async () => {
    const { relay, servers } = world({
      any: { answers: { 'resources/templates/list': templates('{+path}'), 'resources/read': { contents: [] } } },
      none: { answers: { 'resources/templates/list': templates('x://{id}'), 'resources/read': { contents: [] } } },
      file: { answers: { 'resources/templates/list': templates('file:///{path}'), 'resources/read': { contents: [] } } },
    });
    await relay.handle(read('file:///a'));
    expect([readParams(servers['any']), readParams(servers['none'])]).toEqual([[], []]);
    expect(readParams(servers['file'])).toEqual([{ uri: 'file:///a' }]);
  });

  test('of a URI that fits nowhere, everywhere until somebody has it; who had it is asked first from then on', async () => {
    const hidden = { ...has('secret://1'), 'resources/list': resources() };
    const { relay, servers } = world({ one: { answers: has() }, two: { answers: hidden }, tools: { capabilities: {} } });
    expect(await relay.handle(read('secret://1'))).toMatchObject({ contents: [{ text: 'of secret://1' }] });
    await relay.handle(read('secret://1'));
    expect([readParams(servers['one'])?.length, readParams(servers['two'])?.length]).toEqual([1, 2]);
    expect(servers['tools']?.methods()).toEqual([]);
  });

  test('that nobody has is not found, in the words of the client’s era', async () => {
    const scripts = { one: { answers: has() }, two: { answers: has() } };
    await expect(world(scripts).relay.handle(read('n://1'))).rejects.toMatchObject({ code: -32_002, data: { uri: 'n://1' } });
    await expect(world(scripts).relay.handle(read('n://1', { client: modern }))).rejects.toMatchObject({
      code: -32_602,
      data: { uri: 'n://1' },
    });
    await expect(world({}).relay.handle(read('n://1', { client: modern }))).rejects.toMatchObject({ code: -32_602 });
  });

  test('that nobody has, while one that might is down, is not said to be missing', async () => {
    const { relay } = world({
      one: { answers: has() },
      two: { answers: { 'resources/list': resources(), 'resources/read': () => Promise.reject(down(9_000)) } },
    });
    await expect(relay.handle(read('n://1'))).rejects.toMatchObject({
      code: -32_603,
      data: { 'dev.holdfast/error': { server: 'two', code: 'MCP_SERVER_DOWN', retryable: true, retryAfterMs: 9_000 } },
    });
  });

  test('one that hangs while several are asked leaves time for the others', async () => {
    const { relay } = world(
      {
        hung: { answers: { 'resources/list': resources(), 'resources/read': never } },
        two: { answers: { ...has('t://1'), 'resources/list': resources() } },
      },
      { limits: { requestMs: 60 } },
    );
    expect(await relay.handle(read('t://1'))).toMatchObject({ contents: [{ text: 'of t://1' }] });
  });

  test('keeps what the server says of keeping, and everything else', async () => {
    const result = { contents: [], ttlMs: 5, cacheScope: 'public', 'x-else': { deep: 1 }, _meta: { a: 1 } };
    const { relay } = world({ one: { answers: { 'resources/read': result } } });
    expect(await relay.handle(read('o://1'))).toEqual(result);
  });

  test('of a kept result is read here', async () => {
    const { relay, servers } = world(
      { one: { answers: has() } },
      { readSpilled: async (uri) => (uri.endsWith('/1') ? { contents: [{ uri, text: 'large' }] } : undefined) },
    );
    expect(await relay.handle(read('holdfast://results/1'))).toMatchObject({ contents: [{ text: 'large' }], ttlMs: 0 });
    await expect(relay.handle(read('holdfast://results/2'))).rejects.toMatchObject({ code: -32_002 });
    await expect(relay.handle(read('holdfast://results/2', { client: modern }))).rejects.toMatchObject({ code: -32_602 });
    expect(servers['one']?.methods()).toEqual([]);
  });

  test.each([undefined, 1, null, {}])('with the uri %j is refused', async (uri) => {
    await expect(world({}).relay.handle(read(uri))).rejects.toMatchObject({ code: -32_602 });
  });
});

describe('what goes on to a server', () => {
  test('the params with unknown fields, without what belongs to this hop', async () => {
    const { relay, servers } = world({ one: { answers: has('o://1') } });
    const meta = { progressToken: 1, 'io.modelcontextprotocol/protocolVersion': '2026-07-28', traceparent: '00-1', 'com.example/x': 2 };
    await relay.handle(faceRequest('resources/read', { uri: 'o://1', extra: [1], _meta: meta }));
    await relay.handle(faceRequest('resources/read', { uri: 'o://1', _meta: { progressToken: 1 } }));
    expect(readParams(servers['one'])).toEqual([
      { uri: 'o://1', extra: [1], _meta: { traceparent: '00-1', 'com.example/x': 2 } },
      { uri: 'o://1' },
    ]);
  });

  test('who asks, what that can do, and the log level', async () => {
    const { relay, servers } = world({ one: { answers: has('o://1') } });
    const client = faceClient({ info: { name: 'me' }, capabilities: { roots: {} } });
    await relay.handle(read('o://1', { client, logLevel: 'error' }));
    expect(servers['one']?.received[0]?.options).toMatchObject({
      clientInfo: { name: 'me' },
      clientCapabilities: { roots: {} },
      logLevel: 'error',
    });
  });

  test('progress and notifications come back on the request, loggers named where there are several servers', async () => {
    const answers = {
      'resources/list': resources('o://1'),
      'resources/read': (
        _params: object,
        options: { onProgress?: ((p: object) => void) | undefined; onNotification?: ((m: string, p: object) => void) | undefined },
      ) => {
        options.onProgress?.({ progress: 1 });
        options.onNotification?.('notifications/message', { level: 'info', logger: 'db', data: 'x' });
        options.onNotification?.('notifications/message', { level: 'info', data: 'x' });
        return { contents: [] };
      },
    } as never;
    const request = read('o://1', { wantsProgress: true });
    await world({ one: { answers }, two: {} }).relay.handle(request);
    expect(request.progress).toEqual([{ progress: 1 }]);
    expect(request.notifications.map(({ params }) => params['logger'])).toEqual(['one/db', 'one']);
    const alone = read('o://1');
    await world({ one: { answers } }).relay.handle(alone);
    expect(alone.progress).toEqual([]);
    expect(alone.notifications.map(({ params }) => params['logger'])).toEqual(['db', undefined]);
  });
});

describe('requests that fail', () => {
  const failing = (...errors: readonly unknown[]) => {
    const left = [...errors];
    return { 'resources/read': () => (left.length === 0 ? { contents: [] } : Promise.reject(left.shift() as Error)) };
  };

  test('a read is sent once more when the connection was lost, was refused, or is soon there again', async () => {
    for (const error of [
      lost(),
      down(0),
      down(20),
      Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
      Object.assign(new Error('HTTP 503'), { code: 'HTTP_STATUS', status: 503 }),
    ]) {
      const { relay, servers } = world({ one: { answers: failing(error) } });
      expect(await relay.handle(read('o://1'))).toMatchObject({ contents: [] });
      expect(servers['one']?.methods()).toHaveLength(2);
    }
  });

  test('but not a third time, not when it is down for longer, and not when the server has answered', async () => {
    const tries = async (...errors: readonly unknown[]): Promise<unknown> => {
      const { relay, servers } = world({ one: { answers: failing(...errors) } });
      await expect(relay.handle(read('o://1'))).rejects.toThrow();
      return servers['one']?.methods().length;
    };
    expect(await tries(lost(), lost())).toBe(2);
    expect(await tries(down(5_000))).toBe(1);
    expect(await tries(rpcError(-32_603, 'broken'))).toBe(1);
    expect(await tries(Object.assign(new Error('too large'), { code: 'MCP_MESSAGE_TOO_LARGE' }))).toBe(1);
    expect(await tries(Object.assign(new Error('HTTP 401'), { code: 'HTTP_STATUS', status: 401 }))).toBe(1);
  });

  test('a request of an unknown method is sent once', async () => {
    let sent = 0;
    const answers = { 'x/do': () => Promise.reject(sent++ === 0 ? lost() : new Error('again')) };
    await expect(world({ one: { answers } }).relay.handle(faceRequest('x/do'))).rejects.toMatchObject({ code: -32_603 });
    expect(sent).toBe(1);
  });

  test('the deadline is ours, whatever the server does', async () => {
    let aborted: AbortSignal | undefined;
    const answers = {
      'resources/read': (_params: object, { signal }: { signal?: AbortSignal | undefined }) => {
        aborted = signal;
        return new Promise<never>(() => {});
      },
    };
    const { relay } = world({ one: { answers } }, { limits: { requestMs: 30 } });
    await expect(relay.handle(read('o://1'))).rejects.toMatchObject({
      code: -32_603,
      message: 'MCP server one: no answer within 30 ms',
      data: { 'dev.holdfast/error': { code: 'RELAY_DEADLINE', retryable: true, server: 'one' } },
    });
    expect(aborted?.aborted).toBe(true);
  });

  test('a client that cancels has its own reason, and the server hears of it', async () => {
    let aborted: AbortSignal | undefined;
    const answers = {
      'resources/read': (_params: object, { signal }: { signal?: AbortSignal | undefined }) => {
        aborted = signal;
        return new Promise<never>(() => {});
      },
    };
    const controller = new AbortController();
    const answer = world({ one: { answers } }).relay.handle(read('o://1', { signal: controller.signal }));
    await Promise.resolve();
    controller.abort(new Error('cancelled'));
    await expect(answer).rejects.toThrow('cancelled');
    expect(aborted === undefined || aborted.aborted).toBe(true);
    await expect(world({ one: { answers } }).relay.handle(read('o://1', { signal: AbortSignal.abort(new Error('gone')) }))).rejects.toThrow(
      'gone',
    );
  });

  test('errors of the server keep code, message and data; secrets are taken out', async () => {
    const error = rpcError(-32_050, 'no: password=hunter2secret', { hint: ['api_key=abcdefgh12345678'], n: 1 });
    await expect(world({ one: { answers: failing(error) } }).relay.handle(read('o://1'))).rejects.toMatchObject({
      code: -32_050,
      message: 'no: password=[redacted]',
      data: { hint: ['api_key=[redacted]'], n: 1 },
    });
    const local = new Error('connect to https://me:hunter2@host failed');
    await expect(world({ one: { answers: failing(local, local) } }).relay.handle(read('o://1'))).rejects.toMatchObject({
      message: 'MCP server one: connect to https://[redacted]@host failed',
    });
  });
});

describe('prompts/get', () => {
  const echo = { 'prompts/list': prompts('review', 'a b'), 'prompts/get': (params: object) => ({ messages: [], params }) as never };

  test('goes to the server of the prompt, by its own name', async () => {
    const { relay } = world({ one: { answers: echo }, two: { answers: echo } });
    const params = { name: 'two__review', arguments: { x: '1' } };
    expect(await relay.handle(faceRequest('prompts/get', params))).toEqual({
      messages: [],
      params: { name: 'review', arguments: { x: '1' } },
    });
    expect(await relay.handle(faceRequest('prompts/get', { name: 'one__a_b' }))).toMatchObject({ params: { name: 'a b' } });
  });

  test('finds the server by the prefix where its list is not known', async () => {
    const { relay } = world({ one: { answers: { 'prompts/get': echo['prompts/get'] } }, two: {} });
    expect(await relay.handle(faceRequest('prompts/get', { name: 'one__new' }))).toMatchObject({ params: { name: 'new' } });
  });

  test('of nobody is refused', async () => {
    const { relay } = world({ one: { answers: echo }, two: { answers: echo } });
    await expect(relay.handle(faceRequest('prompts/get', { name: 'review' }))).rejects.toMatchObject({
      code: -32_602,
      message: 'Unknown prompt: review',
    });
    await expect(relay.handle(faceRequest('prompts/get', {}))).rejects.toMatchObject({ code: -32_602 });
  });

  test('without a prefix the only server is asked whatever it is called', async () => {
    const { relay } = world({ one: { answers: echo } }, { entry: () => ", prefix: ''" });
    expect(await relay.handle(faceRequest('prompts/get', { name: 'else' }))).toMatchObject({ params: { name: 'else' } });
  });
});

describe('completion/complete', () => {
  const completing = { 'completion/complete': (params: object) => ({ completion: { values: [JSON.stringify(params)] } }) as never };
  const complete = (ref: unknown) => faceRequest('completion/complete', { ref, argument: { name: 'a', value: 'b' } });

  test('of a prompt goes to its server by its own name', async () => {
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

  test('at a server that completes nothing is empty', async () => {
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

describe('methods that are not known here', () => {
  const answers = { 'tasks/get': answering('seen') };

  test('go to the only exposed server as they are', async () => {
    const { relay, servers } = world({ one: { answers }, hidden: {} }, { entry: (name) => (name === 'hidden' ? ', expose: false' : '') });
    expect(await relay.handle(faceRequest('tasks/get', { taskId: 'x' }))).toEqual({ seen: [] });
    expect(servers['one']?.received).toMatchObject([{ method: 'tasks/get', params: { taskId: 'x' } }]);
  });

  test('are not known where there are several, or none', async () => {
    for (const scripts of [{}, { one: { answers }, two: { answers } }])
      await expect(world(scripts).relay.handle(faceRequest('tasks/get'))).rejects.toMatchObject({ code: -32_601 });
  });

  test.each(['toString', '__proto__', 'constructor'])('%s is no method of ours', async (method) => {
    await expect(world({}).relay.handle(faceRequest(method))).rejects.toMatchObject({ code: -32_601 });
  });
});

describe('input that a server requires', () => {
  const wish = { method: 'elicitation/create', params: { message: 'Who?' } };
  const asking = (rounds: number) => {
    let asked = 0;
    return {
      'prompts/get': (params: { readonly inputResponses?: unknown }) =>
        (asked++ < rounds
          ? { resultType: 'input_required', inputRequests: { who: wish }, requestState: `state-${asked}` }
          : { messages: [], params }) as never,
    };
  };
  const get = (more = {}) => faceRequest('prompts/get', { name: 'one__p', arguments: {} }, more);

  test('is asked of a legacy client, and given to the server with its state', async () => {
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
      [wish.method, wish.params],
      [wish.method, wish.params],
    ]);
  });

  test('reaches a modern client as it is, and its answer the server', async () => {
    const { relay, servers } = world({ one: { era: 'modern', answers: asking(1) } });
    expect(await relay.handle(get({ client: modern }))).toEqual({
      resultType: 'input_required',
      inputRequests: { who: wish },
      requestState: 'state-1',
    });
    const params = { name: 'one__p', inputResponses: { who: {} }, requestState: 'state-1' };
    await relay.handle(faceRequest('prompts/get', params, { client: modern }));
    expect(servers['one']?.received.at(-1)?.params).toEqual({ ...params, name: 'p' });
  });

  test('that is refused, unknown, late or endless is an error', async () => {
    const refusing = get({ ask: () => Promise.reject(rpcError(-1, 'The person said no')) });
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

  test('by a legacy server while the request runs does not use up the deadline', async () => {
    const answers = {
      'prompts/get': async (
        _params: object,
        { onRequest }: { onRequest?: ((method: string, params: object) => Promise<object>) | undefined },
      ) => ({
        told: await onRequest?.('elicitation/create', { message: 'Who?' }),
      }),
    } as never;
    const { relay } = world({ one: { answers } }, { limits: { requestMs: 40 } });
    const request = get({
      ask: async () => {
        await new Promise((resolve) => setTimeout(resolve, 120));
        return { action: 'decline' };
      },
    });
    expect(await relay.handle(request)).toEqual({ told: { action: 'decline' } });
  });
});
