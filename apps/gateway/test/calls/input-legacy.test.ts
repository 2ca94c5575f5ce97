/** Questions from servers of both eras to clients of the legacy era. */
import { defineTool } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import type { ClientRequestOptions } from '@holdfast/mcp-wire/client';
import { type JsonObject, rpcError } from '@holdfast/mcp-wire/server';
import { describe, expect, it } from 'vitest';
import { servers, tool } from '../catalog/scene.ts';
import { asksAlong, asksBack, legacy, question, read, jsonOf, sceneOf } from './questions.ts';
import { callsScene, errorOf, request, text, textOf } from './scene.ts';

describe('a legacy client', () => {
  it('is asked by a legacy server through the gateway, any number of times', async () => {
    const scene = await sceneOf(asksAlong('elicitation/create', 'sampling/createMessage'));
    const asked = request('a__ask', { n: 1 }, { client: legacy, answers: (method) => ({ from: method }) });
    expect(jsonOf(await scene.calls.handle(asked))).toEqual({
      args: { n: 1 },
      answers: [{ from: 'elicitation/create' }, { from: 'sampling/createMessage' }],
    });
    expect(asked.asked).toEqual([
      { method: 'elicitation/create', params: question },
      { method: 'sampling/createMessage', params: question },
    ]);
    expect(scene.upstream('a').requests.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
    expect(scene.calls.status()).toMatchObject({ running: 0, suspended: 0 });
  });

  it('is asked by a modern server', async () => {
    const scene = await sceneOf(asksBack);
    const result = await scene.call('a__ask', { n: 1 }, { client: legacy, answers: () => ({ action: 'accept' }) });
    expect(jsonOf(result)).toEqual({ args: { n: 1 }, inputResponses: { who: { action: 'accept' } }, requestState: 'server-state' });
  });

  it('may refuse: a legacy server gets the refusal, the call of a modern one ends', async () => {
    const refusing = {
      client: legacy,
      answers: (): never => {
        throw rpcError(-1, 'User declined');
      },
    };
    expect(jsonOf(await (await sceneOf(asksAlong('elicitation/create'))).call('a__ask', {}, refusing))).toMatchObject({
      answers: [{ refused: -1 }],
    });
    const result = await (await sceneOf(asksBack)).call('a__ask', {}, refusing);
    expect(result['isError']).toBe(true);
    expect(textOf(result)).toBe('The client did not provide what the server asked for: User declined');
    expect(errorOf(result)).toMatchObject({ code: 'INPUT_REFUSED', retryable: false });
  });

  it('without the capability is not asked', async () => {
    const scene = await sceneOf(asksAlong('elicitation/create', 'roots/list'));
    const asked = request('a__ask', {}, { client: { era: 'legacy', capabilities: { roots: {} } }, answers: () => ({ roots: [] }) });
    expect(jsonOf(await scene.calls.handle(asked))).toMatchObject({ answers: [{ refused: -32_601 }, { roots: [] }] });
    expect(asked.asked.map(({ method }) => method)).toEqual(['roots/list']);
    expect(
      jsonOf(
        await scene.call('a__ask', {}, { client: { era: 'legacy', capabilities: { elicitation: { form: {} } } }, answers: () => ({}) }),
      ),
    ).toMatchObject({
      answers: [{}, { refused: -32_601 }],
    });
    expect(textOf(await scene.call('a__ask', {}, { client: { capabilities: {} } }))).toBe('no client to ask');
  });

  it('without the capability is not asked by a modern server either: the call ends at once', async () => {
    const asked = request('a__ask', {}, { client: { era: 'legacy', capabilities: { roots: {} } }, answers: () => new Promise(() => {}) });
    const result = await (await sceneOf(asksBack)).calls.handle(asked);
    expect(textOf(result)).toBe('The client did not provide what the server asked for: The client cannot answer elicitation/create');
    expect(asked.asked).toEqual([]);
  });

  it('that takes too long is no longer waited for', async () => {
    const system = manualSystem();
    const scene = await callsScene(
      servers(['a'], 'gateway: { tool_lock: off, input_timeout_ms: 1000 }'),
      { a: [tool('ask', read)] },
      { system },
    );
    scene.upstream('a').onCall = asksAlong('elicitation/create');
    let signal: AbortSignal | undefined;
    const answer = scene.call('a__ask', {}, { client: legacy, answers: (_method, _params, given) => new Promise(() => (signal = given)) });
    await system.settle();
    expect(signal?.aborted).toBe(false);
    await system.advance(999);
    expect(signal?.aborted).toBe(false);
    await system.advance(1);
    expect(signal?.aborted).toBe(true);
    expect(jsonOf(await answer)).toMatchObject({ answers: [expect.anything()] });
    expect(system.pendingTimers).toBe(0);
  });

  it('that disconnects while it is asked cancels the request to the server', async () => {
    let upstream: AbortSignal | undefined;
    const scene = await sceneOf((params, options: ClientRequestOptions) => {
      upstream = options.signal;
      return asksAlong('elicitation/create')(params, options);
    });
    const asked = request('a__ask', {}, { client: legacy, answers: () => new Promise(() => {}) });
    const answer = scene.calls.handle(asked);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const reason = new Error('gone');
    asked.abort(reason);
    await expect(answer).rejects.toBe(reason);
    expect(upstream?.aborted).toBe(true);
    expect(scene.calls.status()).toMatchObject({ running: 0, suspended: 0 });
  });

  it('cannot send a state', async () => {
    const scene = await sceneOf(asksBack);
    const result = await scene.call(
      'a__ask',
      {},
      { client: legacy, params: { requestState: 'x', inputResponses: {} }, answers: () => ({ a: 1 }) },
    );
    expect(jsonOf(result)).toMatchObject({ requestState: 'server-state', inputResponses: { who: { a: 1 } } });
  });

  it('gets heartbeats while it is asked, and progress that only increases over all rounds', async () => {
    const system = manualSystem();
    const scene = await callsScene(servers(['a']), { a: [tool('ask', read)] }, { system });
    scene.upstream('a').onCall = async (_params, { onRequest, onProgress }) => {
      onProgress?.({ progress: 5 });
      await onRequest?.('elicitation/create', question);
      onProgress?.({ progress: 6 });
      return text('done');
    };
    let answer = (_result: JsonObject): void => {};
    const asked = request(
      'a__ask',
      {},
      { client: legacy, wantsProgress: true, answers: () => new Promise((resolve) => (answer = resolve)) },
    );
    const done = scene.calls.handle(asked);
    await system.advance(10_000);
    answer({});
    await done;
    const reported = asked.progress.map(({ progress }) => progress as number);
    expect(reported).toEqual([5, expect.closeTo(5), 6]);
    expect(reported[1]).toBeGreaterThan(5);
    expect(system.pendingTimers).toBe(0);
  });

  it('is asked once if two attempts run at the same time, and no request is left', async () => {
    const source = 'version: 1\nmcp_servers: { a: { command: x, defaults: { hedge: { after_ms: 10 } } } }\ngateway: { tool_lock: off }\n';
    const system = manualSystem();
    const scene = await callsScene(source, { a: [tool('ask', read)] }, { system });
    const signals: AbortSignal[] = [];
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    scene.upstream('a').onCall = async (params, options) => {
      if (options.signal) signals.push(options.signal);
      await gate;
      return asksAlong('elicitation/create')(params, options);
    };
    const asked = request('a__ask', {}, { client: legacy, answers: () => ({ a: 1 }) });
    const done = scene.calls.handle(asked);
    await system.advance(10);
    open();
    await system.settle();
    expect(jsonOf(await done)).toMatchObject({ answers: [{ a: 1 }] });
    expect(signals).toHaveLength(2);
    expect(signals.filter(({ aborted }) => aborted)).toHaveLength(1);
    expect(asked.asked).toHaveLength(1);
    expect(scene.calls.status()).toMatchObject({ running: 0, suspended: 0 });
    expect(system.pendingTimers).toBe(0);
  });

  it("is not asked for output that only looks like a server's question", async () => {
    const mine = defineTool({ name: 'mine', run: () => ({ resultType: 'input_required', inputRequests: {} }) });
    const scene = await callsScene(servers(['a']), {}, { extra: [{ tool: mine, source: { kind: 'tool' } }] });
    expect(await scene.call('mine', {}, { client: legacy })).toMatchObject({ structuredContent: { resultType: 'input_required' } });
  });

  it('is asked a limited number of times', async () => {
    const scene = await sceneOf(() => ({ resultType: 'input_required', inputRequests: { who: { method: 'roots/list' } } }));
    const asked = request('a__ask', {}, { client: legacy, answers: () => ({}) });
    await expect(scene.calls.handle(asked)).rejects.toMatchObject({
      code: -32_603,
      message: 'a__ask has asked 50 times, which is the limit',
    });
    expect(asked.asked).toHaveLength(50);
  });
});
