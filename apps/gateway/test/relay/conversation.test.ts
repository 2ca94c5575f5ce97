import { isJsonObject, type JsonObject, rpcError } from '@holdfast/mcp-wire/server';
import { describe, expect, test } from 'vitest';
import type { ConnectedClient } from '@holdfast/mcp-wire/server';
import { connectedClient, clientRequest, type Script, world, type World, type WorldOptions } from './fake-server.ts';

const modern = (more: Partial<ConnectedClient> = {}): ConnectedClient =>
  connectedClient({ era: 'modern', protocolVersion: '2026-07-28', capabilities: { elicitation: {} }, ...more });
const question = { method: 'elicitation/create', params: { message: 'Who?' } };

interface Scene extends World {
  readonly signals: AbortSignal[];
  readonly get: (params?: JsonObject, client?: ConnectedClient, signal?: AbortSignal) => Promise<JsonObject>;
}

/** A legacy server that asks `times` times before it answers. */
function scene(times: number, options: WorldOptions = {}, more: Script = {}): Scene {
  const signals: AbortSignal[] = [];
  const one: Script = {
    answers: {
      'prompts/get': async (_params, { signal, onRequest }) => {
        if (signal !== undefined) signals.push(signal);
        const answers: unknown[] = [];
        for (let n = 0; n < times; n++) answers.push(await onRequest?.(question.method, question.params));
        return { messages: [], answers };
      },
    },
    ...more,
  };
  const made = world({ one }, options);
  return {
    ...made,
    signals,
    get: (params = {}, client = modern(), signal = new AbortController().signal) =>
      made.relay.handle(clientRequest('prompts/get', { name: 'one__p', ...params }, { client, signal })),
  };
}

const answerOf = (result: JsonObject, answer: JsonObject): JsonObject => ({
  requestState: result['requestState'],
  inputResponses: Object.fromEntries(
    Object.keys(isJsonObject(result['inputRequests']) ? result['inputRequests'] : {}).map((key) => [key, answer]),
  ),
});

describe('a legacy server that asks in the middle of a modern client’s request', () => {
  test('is answered by the next request, several times, and runs once', async () => {
    const { get, servers } = scene(2);
    const first = await get();
    expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { 'question-1': question } });
    const second = await get(answerOf(first, { action: 'accept' }));
    expect(second).toMatchObject({ resultType: 'input_required', inputRequests: { 'question-2': question } });
    expect(second['requestState']).not.toBe(first['requestState']);
    expect(await get(answerOf(second, { action: 'decline' }))).toEqual({
      messages: [],
      answers: [{ action: 'accept' }, { action: 'decline' }],
    });
    expect(servers['one']?.methods().filter((method) => method === 'prompts/get')).toHaveLength(1);
  });

  test('asks again if the client has not answered', async () => {
    const { get } = scene(1);
    const first = await get();
    const again = await get({ requestState: first['requestState'], inputResponses: { 'question-9': {} } });
    expect(again).toMatchObject({ resultType: 'input_required', inputRequests: { 'question-1': question } });
    expect(await get(answerOf(again, { action: 'accept' }))).toMatchObject({ answers: [{ action: 'accept' }] });
  });

  test('is answered by its own client only, and only once', async () => {
    const { get } = scene(1);
    const first = await get({}, modern({ principal: 'me' }));
    const answer = answerOf(first, {});
    await expect(get(answer, modern({ principal: 'you' }))).rejects.toMatchObject({ code: -32_602 });
    expect(await get(answer, modern({ principal: 'me' }))).toMatchObject({ messages: [] });
    await expect(get(answer, modern({ principal: 'me' }))).rejects.toMatchObject({ code: -32_602 });
    await expect(get({ requestState: 'holdfast-asking:guess' })).rejects.toMatchObject({ code: -32_602 });
  });

  test('is not limited while it asks, only otherwise', async () => {
    const { get } = scene(1, { limits: { requestMs: 400 } });
    const first = await get();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await get(answerOf(first, {}))).toMatchObject({ messages: [] });
  });

  test('is notified when the client does not answer in time, and when it cancels', async () => {
    const { get, signals } = scene(1, { inputTimeoutMs: 20 });
    const first = await get();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(signals[0]?.aborted).toBe(true);
    await expect(get(answerOf(first, {}))).rejects.toMatchObject({ code: -32_602 });
    const controller = new AbortController();
    const { get: hang, signals: hung } = scene(
      0,
      {},
      { answers: { 'prompts/get': (_params, { signal }) => new Promise(() => hung.push(signal!)) } },
    );
    const answer = hang({}, modern(), controller.signal);
    await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort(new Error('cancelled'));
    await expect(answer).rejects.toThrow('cancelled');
    expect(hung[0]?.aborted).toBe(true);
  });

  test('is refused questions that the client cannot answer', async () => {
    const { get } = scene(1);
    await expect(get({}, modern({ capabilities: { sampling: {} } }))).rejects.toMatchObject({ code: -32_601 });
    const url: Script = {
      answers: { 'prompts/get': async (_params, { onRequest }) => ({ reported: await onRequest?.(question.method, { mode: 'url' }) }) },
    };
    await expect(scene(0, {}, url).get()).rejects.toMatchObject({ code: -32_601 });
    expect(await scene(0, {}, url).get({}, modern({ capabilities: { elicitation: { url: {} } } }))).toMatchObject({
      resultType: 'input_required',
    });
  });

  test('that fails after the answer returns its error', async () => {
    const failing: Script = {
      answers: {
        'prompts/get': async (_params, { onRequest }) => {
          await onRequest?.(question.method, question.params);
          throw rpcError(-32_050, 'no');
        },
      },
    };
    const { get } = scene(0, {}, failing);
    await expect(get(answerOf(await get(), {}))).rejects.toMatchObject({ code: -32_050 });
  });

  test('does not outlive the gateway', async () => {
    const { get, relay, signals } = scene(1);
    await get();
    relay.close();
    expect(signals[0]?.aborted).toBe(true);
  });

  test('a modern server does not wait: its own state is exchanged', async () => {
    const answers = { 'prompts/get': { resultType: 'input_required', inputRequests: { who: question }, requestState: 'its own' } };
    const { relay, get, servers } = scene(0, {}, { era: 'modern', answers });
    await relay.describe(modern());
    expect(await get()).toEqual(answers['prompts/get']);
    await get({ requestState: 'its own', inputResponses: { who: {} } });
    expect(servers['one']?.received.at(-1)?.params).toMatchObject({ requestState: 'its own', inputResponses: { who: {} } });
  });
});
