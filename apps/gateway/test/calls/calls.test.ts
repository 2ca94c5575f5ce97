import { type ConnectedClient, type JsonObject, rpcError } from '@holdfast/mcp-wire/server';
import { describe, expect, it } from 'vitest';
import { undividedAccess } from '../../src/access/access.ts';
import { CallLimiter } from '../../src/access/call-limiter.ts';
import { createCalls } from '../../src/calls/create-calls.ts';
import { createToolRuns } from '../../src/calls/tool-runs.ts';
import { servers, tool } from '../catalog/scene.ts';
import { callsScene, errorOf, failed, request, text, textOf } from './scene.ts';

const read = { annotations: { readOnlyHint: true } };
const writes = { annotations: { readOnlyHint: false, destructiveHint: true } };
const networkError = (): Error => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

describe('a call that succeeds', () => {
  it("returns the server's result unchanged", async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('echo', read)] });
    const result = { content: [{ type: 'unknown-kind', 'x-field': 1 }], 'x-top': { deep: true }, _meta: { own: 1 } };
    scene.upstream('a').onCall = () => result;
    expect(await scene.call('a__echo', { message: 'hi' })).toBe(result);
  });

  it("sends the client's params under the server's own name, without the keys of the client's connection", async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('echo', read)] });
    const meta = { progressToken: 7, traceparent: '00-1', 'io.modelcontextprotocol/clientInfo': {}, 'x-own': 1 };
    await scene.call('a__echo', { message: 'hi' }, { params: { 'x-param': 2, _meta: meta }, client: { capabilities: {} } });
    const { params, options } = scene.upstream('a').requests.at(-1) ?? { params: {}, options: {} };
    expect(params).toEqual({
      name: 'echo',
      arguments: { message: 'hi' },
      'x-param': 2,
      _meta: { traceparent: '00-1', 'x-own': 1, 'holdfast/idempotency-key': expect.any(String) as unknown },
    });
    expect(options.onProgress).toBeUndefined();
    expect(options.inputSchema).toEqual({ type: 'object' });
  });

  it("is announced with the service's call id", async () => {
    const announced: unknown[] = [];
    const scene = await callsScene(servers(['a']), { a: [tool('echo', read)] }, { announce: (call) => announced.push(call) });
    const ids: string[] = [];
    scene.service.subscribe((event) => event.event_type === 'CallCompleted' && ids.push(event.call_id));
    await scene.call('a__echo', {}, { client: { principal: 'me' } });
    await scene.call('a__echo', {});
    expect(announced).toMatchObject([
      { callId: ids[0], toolName: 'a__echo', server: 'a', principal: 'me', client: 'host', era: 'legacy' },
      { callId: ids[1] },
    ]);
    expect(new Set(ids).size).toBe(2);
    expect(scene.calls.status()).toEqual({ running: 0, suspended: 0, spilledBytes: 0 });
  });

  it('converts the output of tools of the manifest', async () => {
    const source = `
version: 1
tools:
  - { id: words, run: { command: { command: echo, args: [some words], output: text } } }
  - { id: data, run: { command: { command: echo, args: ['{"a": 1}'], output: json } } }
gateway: { tool_lock: off }
`;
    const scene = await callsScene(source, {});
    expect(textOf(await scene.call('words'))).toBe('some words\n');
    expect(await scene.call('data')).toEqual({ content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { a: 1 } });
  });
});

describe('an invalid call', () => {
  it('of an unknown tool gets a suggestion', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('search')] });
    await expect(scene.call('a__serach')).rejects.toMatchObject({
      code: -32_602,
      message: "Unknown tool: a__serach. Did you mean 'a__search'?",
    });
    await expect(scene.call('')).rejects.toMatchObject({ code: -32_602 });
  });

  it('is refused as unknown only after the first lists', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('search')] });
    let isIn = false;
    const late = {
      ...scene.catalog,
      get: (name: string) => (isIn ? scene.catalog.get(name) : undefined),
      ready: async () => {
        await Promise.resolve();
        isIn = true;
      },
    };
    const runs = createToolRuns({ upstreams: { get: () => undefined }, settings: () => scene.manifest.gateway });
    const calls = createCalls({ service: scene.service, catalog: late, runs, settings: () => scene.manifest.gateway });
    expect(textOf(await calls.handle(request('a__search', {})))).toBe('{}');
  });

  it.each([
    [{ name: 5 }, /requires 'name'/],
    [{ name: 'a__search', arguments: [] }, /'arguments' of a__search must be an object/],
    [{ name: 'a__search', arguments: null }, /must be an object/],
  ])('is refused: %j', async (params, message) => {
    const scene = await callsScene(servers(['a']), { a: [tool('search')] });
    await expect(scene.calls.handle({ ...request('x'), params: params as JsonObject })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringMatching(message) as unknown,
    });
  });

  it('with invalid arguments gets an error that the model can fix, and does not reach the server', async () => {
    const inputSchema = { type: 'object', properties: { symbol: { type: 'string' } }, required: ['symbol'] };
    const scene = await callsScene(servers(['a']), { a: [tool('quote', { inputSchema })] });
    const result = await scene.call('a__quote', { symbl: 'X' });
    expect(result['isError']).toBe(true);
    expect(textOf(result)).toContain("Required parameter 'symbol' missing (you sent 'symbl')");
    expect(errorOf(result)).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      classification: 'permanent',
      retryable: false,
      attempts: 0,
      circuit: 'closed',
    });
    expect(scene.upstream('a').requests.filter(({ method }) => method === 'tools/call')).toEqual([]);
  });

  it('with null for an absent argument is repaired if the schema does not allow null; valid arguments stay the same object', async () => {
    const properties = { n: { type: 'number' }, when: { type: 'string' }, or: { type: ['string', 'null'] } };
    const scene = await callsScene(servers(['a']), {
      a: [tool('quote', { inputSchema: { type: 'object', properties, required: ['n'] } })],
    });
    expect(textOf(await scene.call('a__quote', { n: 5, when: null, or: null }))).toBe('{"n":5,"or":null}');
    const args = { n: 5, or: null };
    await scene.call('a__quote', args);
    expect(scene.upstream('a').requests.at(-1)?.params['arguments']).toBe(args);
    for (const wrong of [{ n: null }, { n: '5' }, { n: 'five', when: null }])
      expect(errorOf(await scene.call('a__quote', wrong))).toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });

  it('is not checked against an invalid schema', async () => {
    const scene = await callsScene(servers(['a']), {
      a: [tool('odd', { inputSchema: { type: 'object', properties: { a: { $ref: '#/nowhere' } } } })],
    });
    expect(textOf(await scene.call('a__odd', { a: 1 }))).toBe('{"a":1}');
  });
});

describe('a call that fails', () => {
  it("returns the server's error result, redacted, with its classification", async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('find', read)] });
    scene.upstream('a').onCall = () => ({ ...failed('no such file, password=hunter22'), 'x-own': 1, _meta: { own: 1 } });
    const result = await scene.call('a__find');
    expect(result).toMatchObject({ isError: true, 'x-own': 1, _meta: { own: 1 } });
    expect(textOf(result)).toBe('no such file, password=[redacted]');
    expect(errorOf(result)).toMatchObject({
      classification: 'permanent',
      category: 'not_found',
      retryable: false,
      attempts: 1,
      circuit: 'closed',
    });
  });

  it('retries a read after a transient error of the server, but not after an unknown one', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('passing', read), tool('odd', read)] });
    let calls = 0;
    scene.upstream('a').onCall = ({ name }) => {
      calls++;
      return name === 'odd' ? failed('the moon is wrong') : calls < 3 ? failed('503 Service Unavailable') : text('well');
    };
    expect(textOf(await scene.call('a__passing'))).toBe('well');
    expect(calls).toBe(3);
    const result = await scene.call('a__odd');
    expect(calls).toBe(4);
    expect(errorOf(result)).toMatchObject({ classification: 'permanent', category: 'unknown', retryable: false });
    for (let more = 0; more < 20; more++) await scene.call('a__odd');
    expect(calls).toBe(24);
    expect(scene.service.getToolHealth('a__odd')?.circuit).toBe('closed');
  });

  it.each([-32_600, -32_601, -32_602, -32_002, -32_020, -32_021, -32_022, -32_042])(
    'relays the protocol error %i, redacted',
    async (code) => {
      const scene = await callsScene(servers(['a']), { a: [tool('x', read)] });
      let calls = 0;
      scene.upstream('a').onCall = () => {
        calls++;
        throw rpcError(code, 'token=abcdef12345', { password: 'hunter22', kept: 'secret=abcdef12345', n: 1 });
      };
      const error: unknown = await scene.call('a__x').catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code, message: 'token=[redacted]', data: { kept: 'secret=[redacted]', n: 1 } });
      expect(calls).toBe(1);
    },
  );

  it('for scopes that were requested and not granted names them, and is not retried', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('x', read)] });
    let calls = 0;
    scene.upstream('a').onCall = () => {
      calls++;
      throw Object.assign(new Error("MCP server 'a' needs scopes that its login requested but did not get: admin"), {
        code: 'SCOPE_REFUSED',
      });
    };
    const result = await scene.call('a__x');
    expect(errorOf(result)).toMatchObject({ code: 'AUTHENTICATION_FAILED', classification: 'permanent', attempts: 1 });
    expect(textOf(result)).toContain('did not get: admin');
    expect(calls).toBe(1);
  });

  it('at the limit of its client runs no tool, and no circuit counts it', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('x', read)] });
    const limiters = [new CallLimiter('The client alice', { callsPerDay: 1 })];
    const call = (): Promise<JsonObject> =>
      scene.call('a__x', {}, { client: { access: { ...undividedAccess('alice'), limiters } } as Partial<ConnectedClient> });
    expect(await call()).not.toHaveProperty('isError');
    for (let more = 0; more < 20; more++)
      expect(errorOf(await call())).toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: expect.any(Number) as unknown });
    expect(scene.upstream('a').requests.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
    expect(scene.service.getToolHealth('a__x')?.circuit).toBe('closed');
    expect(await scene.call('a__x')).not.toHaveProperty('isError');
  });

  it('returns an internal error of the server as a result, without a stack', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('x', writes)] });
    scene.upstream('a').onCall = () => {
      throw rpcError(-32_603, 'boom', { stack: 'at /home/me/server.js' });
    };
    const result = await scene.call('a__x');
    expect(result['isError']).toBe(true);
    expect(JSON.stringify(result)).not.toContain('/home/me');
    expect(errorOf(result)).toMatchObject({ classification: 'transient', attempts: 1, ambiguous: true });
  });

  it('retries a read after a broken connection, but not a write', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('get', read), tool('put', writes)] });
    scene.upstream('a').onCall = () => Promise.reject(networkError());
    expect(errorOf(await scene.call('a__get'))).toMatchObject({ attempts: 5, code: 'NETWORK_ERROR', circuit: 'open' });
    const put = await scene.call('a__put');
    expect(errorOf(put)).toMatchObject({ attempts: 1, ambiguous: true, retryable: false });
    expect(textOf(put)).toContain('Check before you call it again');
  });

  it('is refused by an open circuit, with the time to retry', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('get', read)] });
    scene.upstream('a').onCall = () => Promise.reject(networkError());
    await scene.call('a__get');
    const before = scene.upstream('a').requests.length;
    const result = await scene.call('a__get');
    expect(scene.upstream('a').requests).toHaveLength(before);
    expect(errorOf(result)).toMatchObject({
      code: 'CIRCUIT_OPEN',
      circuit: 'open',
      attempts: 0,
      retryAfterMs: expect.any(Number) as unknown,
    });
  });
});

describe('a tool without a declared effect', () => {
  const bare = { a: [tool('mystery')] };

  it.each([
    ['a broken connection', networkError()],
    ['a lost server', Object.assign(new Error('lost'), { code: 'MCP_CALL_LOST' })],
    ['an internal error', rpcError(-32_603, 'boom')],
    ['a 503', Object.assign(new Error('HTTP 503'), { code: 'HTTP_STATUS', status: 503 })],
  ])('is not called again after %s', async (_what, error) => {
    const scene = await callsScene(servers(['a']), bare);
    scene.upstream('a').onCall = () => Promise.reject(error);
    expect(errorOf(await scene.call('a__mystery'))).toMatchObject({ attempts: 1, ambiguous: true, retryable: false });
  });

  it('is not called again after an error result', async () => {
    const scene = await callsScene(servers(['a']), bare);
    scene.upstream('a').onCall = () => failed('503 Service Unavailable');
    expect(errorOf(await scene.call('a__mystery'))).toMatchObject({ attempts: 1, ambiguous: true });
  });

  it.each([
    ['a server that is down', Object.assign(new Error('down'), { code: 'MCP_SERVER_DOWN' })],
    ['a refused connection', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
    [
      'a refused connection within',
      Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }),
    ],
    ['too many requests', Object.assign(new Error('HTTP 429'), { code: 'HTTP_STATUS', status: 429 })],
  ])('is called again after %s, because it did not run', async (_what, error) => {
    const scene = await callsScene(servers(['a']), bare);
    let calls = 0;
    scene.upstream('a').onCall = () => (++calls < 3 ? Promise.reject(error) : text('there'));
    expect(textOf(await scene.call('a__mystery'))).toBe('there');
  });

  it('is called again if the manifest allows it', async () => {
    const source =
      'version: 1\nmcp_servers: { a: { command: x, tools: { mystery: { effect: idempotent } } } }\ngateway: { tool_lock: off }\n';
    const scene = await callsScene(source, bare);
    let calls = 0;
    scene.upstream('a').onCall = () => (++calls < 3 ? Promise.reject(networkError()) : text('there'));
    expect(textOf(await scene.call('a__mystery'))).toBe('there');
  });

  it('is any tool of an untrusted server', async () => {
    const source = 'version: 1\nmcp_servers: { a: { command: x, trust_annotations: false } }\ngateway: { tool_lock: off }\n';
    const scene = await callsScene(source, { a: [tool('mystery', read)] });
    scene.upstream('a').onCall = () => Promise.reject(networkError());
    expect(errorOf(await scene.call('a__mystery'))).toMatchObject({ attempts: 1, ambiguous: true });
  });
});

describe('calls without a client', () => {
  it('get the content of the result', async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('x', read)] });
    const run = async (): Promise<unknown> => (await scene.service.executeTool({ toolName: 'a__x', arguments: {} })).output;
    scene.upstream('a').onCall = () => ({ content: [], structuredContent: { a: 1 } });
    expect(await run()).toEqual({ a: 1 });
    scene.upstream('a').onCall = () => text('[1, 2]');
    expect(await run()).toEqual([1, 2]);
    scene.upstream('a').onCall = () => text('words');
    expect(await run()).toBe('words');
    scene.upstream('a').onCall = () => ({ resultType: 'input_required', inputRequests: {} });
    const result = await scene.service.executeTool({ toolName: 'a__x', arguments: {} });
    expect(result.error?.message).toContain('asks for input, but there is no client to ask');
    expect(scene.upstream('a').requests.at(-1)?.options.clientCapabilities).toEqual({});
  });
});
