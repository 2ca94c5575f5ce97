/** Questions from servers of both eras to clients of the modern era. */
import { manualSystem } from '@holdfast/core/testing';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { describe, expect, it } from 'vitest';
import { servers, tool } from '../catalog/scene.ts';
import { asksAlong, asksBack, going, modern, question, read, jsonOf, sceneOf } from './questions.ts';
import { callsScene, type CallsScene, request, text, textOf } from './scene.ts';

describe('a modern client', () => {
  it("gets a modern server's question unchanged, and sends back its state unchanged", async () => {
    const scene = await sceneOf(asksBack);
    const asked = await scene.call('a__ask', { n: 1 }, { client: modern });
    expect(asked).toEqual({
      resultType: 'input_required',
      inputRequests: { who: { method: 'elicitation/create', params: question } },
      requestState: 'server-state',
    });
    const result = await scene.call('a__ask', { n: 1 }, going(asked, { who: { action: 'accept' }, more: 1 }));
    expect(jsonOf(result)).toEqual({
      args: { n: 1 },
      inputResponses: { who: { action: 'accept' }, more: 1 },
      requestState: 'server-state',
    });
    const keys = scene
      .upstream('a')
      .requests.slice(-2)
      .map(({ params }) => (params['_meta'] as JsonObject)['holdfast/idempotency-key']);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('gets the questions of a legacy server, which waits for the answers', async () => {
    const scene = await sceneOf(asksAlong('elicitation/create', 'sampling/createMessage'));
    const first = await scene.call('a__ask', { n: 1 }, { client: modern });
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: { 'question-1': { method: 'elicitation/create', params: question } },
    });
    expect(scene.calls.status().suspended).toBe(1);
    const second = await scene.call('a__ask', { n: 1 }, going(first, { 'question-1': { action: 'accept' } }));
    expect(second).toMatchObject({ resultType: 'input_required', inputRequests: { 'question-2': { method: 'sampling/createMessage' } } });
    expect(second['requestState']).not.toBe(first['requestState']);
    const last = await scene.call('a__ask', { n: 1 }, going(second, { 'question-2': { role: 'assistant' } }));
    expect(jsonOf(last)).toEqual({ args: { n: 1 }, answers: [{ action: 'accept' }, { role: 'assistant' }] });
    expect(scene.upstream('a').requests.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
    expect(scene.calls.status().suspended).toBe(0);
  });

  it('that sends no answer is asked again', async () => {
    const scene = await sceneOf(asksAlong('elicitation/create'));
    const first = await scene.call('a__ask', {}, { client: modern });
    const again = await scene.call('a__ask', {}, going(first, { other: {} }));
    expect(again['inputRequests']).toEqual(first['inputRequests']);
    expect(jsonOf(await scene.call('a__ask', {}, going(again, { 'question-1': { a: 1 } })))).toMatchObject({ answers: [{ a: 1 }] });
  });

  it('gets an error for a missing capability if a legacy server cannot continue without it', async () => {
    const unable = { ...modern, capabilities: { roots: {} } };
    const scene = await sceneOf(asksAlong('elicitation/create'));
    expect(jsonOf(await scene.call('a__ask', {}, { client: unable }))).toMatchObject({ answers: [{ refused: -32_601 }] });
    scene.upstream('a').onCall = async (_params, { onRequest }) => {
      await onRequest?.('elicitation/create', question).catch(() => undefined);
      return { ...text('cannot ask'), isError: true };
    };
    const missing = { code: -32_021, data: { requiredCapabilities: { elicitation: {} } } };
    await expect(scene.call('a__ask', {}, { client: unable })).rejects.toMatchObject(missing);
    scene.upstream('a').onCall = async (_params, { onRequest }) => {
      await onRequest?.('elicitation/create', question);
      return text('never');
    };
    await expect(scene.call('a__ask', {}, { client: unable })).rejects.toMatchObject(missing);
    expect(scene.upstream('a').requests.filter(({ method }) => method === 'tools/call')).toHaveLength(3);
  });

  it('may have several questions at once', async () => {
    const scene = await sceneOf(async (_params, { onRequest }) =>
      text(
        JSON.stringify(
          await Promise.all([
            onRequest?.('roots/list', { n: 1 }),
            new Promise((resolve) => setImmediate(resolve)).then(() => onRequest?.('roots/list', { n: 2 })),
          ]),
        ),
      ),
    );
    const asked = await scene.call('a__ask', {}, { client: modern });
    expect(Object.keys(asked['inputRequests'] as object)).toEqual(['question-1', 'question-2']);
    expect(jsonOf(await scene.call('a__ask', {}, going(asked, { 'question-2': { b: 2 }, 'question-1': { a: 1 } })))).toEqual([
      { a: 1 },
      { b: 2 },
    ]);
  });

  it.each([
    [
      'a state that was used',
      async (scene: CallsScene, asked: JsonObject) => {
        await scene.call('a__ask', {}, going(asked, { 'question-1': {} }));
        return going(asked, { 'question-1': {} });
      },
    ],
    [
      'a state of another principal',
      async (_scene: CallsScene, asked: JsonObject) => going(asked, { 'question-1': {} }, { ...modern, principal: 'other' }),
    ],
    [
      'a state that was changed',
      async (_scene: CallsScene, asked: JsonObject) => going({ requestState: `${String(asked['requestState'])}x` }, {}),
    ],
    ['a state with a broken route', async () => going({ requestState: 'holdfast-route:@@@' }, {})],
    [
      'a state with a route to nothing',
      async () => going({ requestState: `holdfast-route:${Buffer.from('{"tool":"nope"}').toString('base64url')}` }, {}),
    ],
    ['a state that is not a string', async () => going({ requestState: 5 } as never, {})],
  ])('that sends %s is refused', async (_what, prepare) => {
    const scene = await sceneOf(asksAlong('elicitation/create'));
    const asked = await scene.call('a__ask', {}, { client: modern });
    const options = await prepare(scene, asked);
    const before = scene.upstream('a').requests.length;
    await expect(scene.call('a__ask', {}, options)).rejects.toMatchObject({ code: -32_602 });
    expect(scene.upstream('a').requests).toHaveLength(before);
  });

  it('that does not answer in time: the request is cancelled at the server', async () => {
    const system = manualSystem();
    const scene = await callsScene(
      servers(['a'], 'gateway: { tool_lock: off, input_timeout_ms: 1000 }'),
      { a: [tool('ask', read)] },
      { system },
    );
    let upstream: AbortSignal | undefined;
    scene.upstream('a').onCall = (params, options) => {
      upstream = options.signal;
      return asksAlong('elicitation/create')(params, options);
    };
    const asking = scene.call('a__ask', {}, { client: modern });
    await system.advance(50);
    const asked = await asking;
    await system.advance(999);
    expect(upstream?.aborted).toBe(false);
    await system.advance(1);
    expect(upstream?.aborted).toBe(true);
    expect(scene.calls.status().suspended).toBe(0);
    await expect(scene.call('a__ask', {}, going(asked, { 'question-1': {} }))).rejects.toMatchObject({ code: -32_602 });
    expect(system.pendingTimers).toBe(0);
  });

  it('gets the result of a server that has ended meanwhile', async () => {
    const scene = await sceneOf(async (_params, { onRequest }) => {
      await Promise.race([onRequest?.('elicitation/create', question), new Promise((resolve) => setTimeout(resolve, 5))]);
      return text('without you');
    });
    const asked = await scene.call('a__ask', {}, { client: modern });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(textOf(await scene.call('a__ask', {}, going(asked, { 'question-1': {} })))).toBe('without you');
  });

  it('starts again if the waiting server was lost and the tool may be retried', async () => {
    let calls = 0;
    const scene = await sceneOf(async (params, options) => {
      if (++calls > 1) return asksAlong('elicitation/create')(params, options);
      await options.onRequest?.('elicitation/create', question);
      throw Object.assign(new Error('lost'), {
        code: 'MCP_CALL_LOST',
        cause: Object.assign(new Error('x'), { code: 'CONNECTION_CLOSED' }),
      });
    });
    const first = await scene.call('a__ask', {}, { client: modern });
    const second = await scene.call('a__ask', {}, going(first, { 'question-1': {} }));
    expect(second).toMatchObject({ resultType: 'input_required' });
    expect(jsonOf(await scene.call('a__ask', {}, going(second, { 'question-1': { a: 1 } })))).toMatchObject({ answers: [{ a: 1 }] });
  });

  it('is cancelled at the server when it cancels the second round', async () => {
    let upstream: AbortSignal | undefined;
    const scene = await sceneOf(async (_params, { onRequest, signal }) => {
      upstream = signal;
      await onRequest?.('elicitation/create', question);
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
    });
    const asked = await scene.call('a__ask', {}, { client: modern });
    const second = request('a__ask', {}, going(asked, { 'question-1': {} }));
    const answer = scene.calls.handle(second);
    await new Promise((resolve) => setTimeout(resolve, 5));
    second.abort();
    await expect(answer).rejects.toThrow('cancelled');
    expect(upstream?.aborted).toBe(true);
  });
});

describe('an alternative that asks', () => {
  const source = `
version: 1
mcp_servers: { main: { command: x, tools: { get: { alternatives: [spare__get] } } }, spare: { command: x } }
gateway: { tool_lock: off }
`;
  const lists = { main: [tool('get', read)], spare: [tool('get', read)] };

  it.each([
    ['modern', asksBack, 'who'],
    ['legacy', asksAlong('elicitation/create'), 'question-1'],
  ])('of the %s era continues the call', async (_era, onCall, key) => {
    const scene = await callsScene(source, lists);
    scene.upstream('main').onCall = () => ({ ...text('not found'), isError: true });
    scene.upstream('spare').onCall = onCall;
    const asked = await scene.call('main__get', { n: 1 }, { client: modern });
    expect(asked).toMatchObject({ resultType: 'input_required', requestState: expect.stringMatching(/^holdfast-route:/) as unknown });
    const mains = scene.upstream('main').requests.length;
    const result = await scene.call('main__get', { n: 1 }, going(asked, { [key]: { a: 1 } }));
    expect(textOf(result)).toContain('"a":1');
    expect(result['_meta']).toMatchObject({ 'dev.holdfast/call': { servedBy: 'spare__get' } });
    expect(scene.upstream('main').requests).toHaveLength(mains);
  });

  it("of a server whose state looks like the gateway's gets it back unchanged", async () => {
    const scene = await sceneOf(({ requestState, inputResponses }) =>
      inputResponses === undefined
        ? { resultType: 'input_required', inputRequests: {}, requestState: 'holdfast-waiting:theirs' }
        : text(String(requestState)),
    );
    const asked = await scene.call('a__ask', {}, { client: modern });
    expect(asked['requestState']).not.toBe('holdfast-waiting:theirs');
    expect(textOf(await scene.call('a__ask', {}, going(asked, {})))).toBe('holdfast-waiting:theirs');
  });
});

describe('too many waiting requests', () => {
  it('drop the oldest; closing drops all', async () => {
    const signals: AbortSignal[] = [];
    const scene = await sceneOf((params, options) => {
      if (options.signal) signals.push(options.signal);
      return asksAlong('elicitation/create')(params, options);
    });
    await Promise.all(Array.from({ length: 1001 }, () => scene.call('a__ask', {}, { client: modern })));
    expect(scene.calls.status().suspended).toBe(1000);
    expect(signals.map(({ aborted }) => aborted).indexOf(false)).toBe(1);
    await scene.calls.close();
    expect(scene.calls.status().suspended).toBe(0);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });
});
