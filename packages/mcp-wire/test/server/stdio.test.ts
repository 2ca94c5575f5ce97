/** The stdio transport line by line: eras, ids, batches, questions, subscriptions. */
import { expect, test } from 'vitest';
import { recordingHandler } from './support/handler.ts';
import { call, eventually, modernMeta } from './support/http-server.ts';
import { talk } from './support/stdio-client.ts';

const ask = (id: string | number, method: string, params = {}): object => ({ jsonrpc: '2.0', id, method, params });
const modernAsk = (id: string | number, method: string, params = {}, meta = {}): object =>
  ask(id, method, { ...params, _meta: { ...modernMeta, ...meta } });
const notify = (method: string, params = {}): object => ({ jsonrpc: '2.0', method, params });

test('answers the handshake of a legacy client in its version, or in the newest if it is unknown', async () => {
  for (const [asked, agreed] of [
    ['2024-11-05', '2024-11-05'],
    ['2025-06-18', '2025-06-18'],
    ['1999-01-01', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
  ] as const) {
    const { performHandshake } = talk(recordingHandler());
    expect(await performHandshake(asked)).toEqual({
      protocolVersion: agreed,
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} },
      serverInfo: { name: 'seen', version: '1.0.0' },
      instructions: 'Be kind',
    });
  }
});

test('before the handshake only ping, the handshake and modern requests are answered', async () => {
  const handler = recordingHandler();
  const { say, answerTo } = talk(handler);
  say(ask(1, 'ping'));
  say(ask(2, 'tools/list'));
  say(modernAsk(3, 'tools/list'));
  expect(await answerTo(1)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  expect(await answerTo(2)).toMatchObject({ error: { code: -32_602 } });
  expect(await answerTo(3)).toMatchObject({ result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } });
  expect(handler.requests.map(({ client }) => client.era)).toEqual(['modern']);
});

test('one connection may use both eras, also after the handshake', async () => {
  const { say, answerTo, performHandshake } = talk(recordingHandler());
  await performHandshake();
  say(ask(1, 'tools/list'));
  say(modernAsk(2, 'tools/list'));
  say(modernAsk(3, 'server/discover'));
  say(modernAsk(4, 'ping'));
  say(ask(5, 'server/discover'));
  const legacy = (await answerTo(1))['result'] as Record<string, unknown>;
  expect(legacy).toHaveProperty('x-list', true);
  expect(legacy).not.toHaveProperty('resultType');
  expect(await answerTo(2)).toMatchObject({
    result: { resultType: 'complete', 'x-list': true, _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'seen' } } },
  });
  expect(await answerTo(3)).toMatchObject({
    result: { supportedVersions: ['2026-07-28'], instructions: 'Be kind', cacheScope: 'private' },
  });
  expect(await answerTo(4)).toMatchObject({ error: { code: -32_601 } });
  expect(await answerTo(5)).toMatchObject({ error: { code: -32_601 } });
});

test('a modern request has a supported version and capabilities', async () => {
  const { say, answerTo } = talk(recordingHandler());
  const version = 'io.modelcontextprotocol/protocolVersion';
  say(ask(1, 'tools/list', { _meta: { [version]: '2026-07-28' } }));
  say(modernAsk(2, 'tools/list', {}, { [version]: '2031-01-01' }));
  say(modernAsk(3, 'tools/list', {}, { 'io.modelcontextprotocol/logLevel': 'shout' }));
  expect(await answerTo(1)).toMatchObject({ error: { code: -32_602 } });
  expect(await answerTo(2)).toMatchObject({ error: { code: -32_022, data: { supported: ['2026-07-28'], requested: '2031-01-01' } } });
  expect(await answerTo(3)).toMatchObject({ error: { code: -32_602 } });
});

test('a code that the modern era has renamed is sent under its new name', async () => {
  const { say, answerTo, performHandshake } = talk(recordingHandler());
  await performHandshake();
  say(ask(1, 'resources/read', { uri: 'x:' }));
  say(modernAsk(2, 'resources/read', { uri: 'x:' }));
  expect(await answerTo(1)).toMatchObject({ error: { code: -32_002, data: { uri: 'x:' } } });
  expect(await answerTo(2)).toMatchObject({ error: { code: -32_602, data: { uri: 'x:' } } });
});

test('progress and logs precede the answer, with the requested token and level', async () => {
  const { say, answerTo, performHandshake, messages } = talk(recordingHandler());
  await performHandshake();
  say({ ...call(1, 'progress'), params: { name: 'progress', _meta: { progressToken: 'p' } } });
  say(call(2, 'progress'));
  await answerTo(1);
  await answerTo(2);
  const progress = messages.filter(({ method }) => method === 'notifications/progress');
  expect(progress.map(({ params }) => params)).toEqual(
    [1, 2, 3].map((step) => ({ progress: step, total: 3, message: `step ${step}`, progressToken: 'p' })),
  );
  expect(messages.findIndex(({ id }) => id === 1)).toBeGreaterThan(messages.lastIndexOf(progress[2] as Record<string, unknown>));
  const logs = (): unknown[] =>
    messages.filter(({ method }) => method === 'notifications/message').map(({ params }) => (params as { data: string }).data);
  say(modernAsk(3, 'tools/call', { name: 'log' }));
  await answerTo(3);
  expect(logs()).toEqual([]);
  say(modernAsk(4, 'tools/call', { name: 'log' }, { 'io.modelcontextprotocol/logLevel': 'debug' }));
  await answerTo(4);
  expect(logs()).toEqual(['quiet', 'loud']);
});

test('the handler is notified of the least severe level whenever it changes', async () => {
  const handler = recordingHandler();
  const { say, answerTo, performHandshake, transport, input } = talk(handler);
  await performHandshake();
  say(ask(1, 'logging/setLevel', { level: 'error' }));
  say(ask(2, 'logging/setLevel', { level: 'loud' }));
  await answerTo(1);
  expect(await answerTo(2)).toMatchObject({ error: { code: -32_602 } });
  say(modernAsk(3, 'tools/call', { name: 'log' }, { 'io.modelcontextprotocol/logLevel': 'debug' }));
  await answerTo(3);
  input.end();
  await transport.ended;
  expect(handler.levels).toEqual(['info', 'error', 'debug', 'error', undefined]);
});

test('notifications reach a legacy client by its level and its watched resources', async () => {
  const handler = recordingHandler();
  const { say, answerTo, performHandshake, transport, messages } = talk(handler);
  await performHandshake();
  for (const [index, uri] of ['test://a', 'secret:b', 7].entries()) say(ask(index, 'resources/subscribe', { uri }));
  expect(await answerTo(0)).toMatchObject({ result: {} });
  expect(await answerTo(1)).toMatchObject({ error: { code: -32_602, message: 'Not that one' } });
  expect(await answerTo(2)).toMatchObject({ error: { code: -32_602 } });
  transport.publish('notifications/resources/updated', { uri: 'test://a' });
  transport.publish('notifications/resources/updated', { uri: 'secret:b' });
  transport.publish('notifications/message', { level: 'debug', data: 1 });
  transport.publish('notifications/message', { level: 'emergency', data: 2 });
  transport.publish('notifications/tools/list_changed', {});
  transport.publish('notifications/elicitation/complete', { elicitationId: 'of somebody else' });
  transport.publish('notifications/elicitation/complete', { elicitationId: 'of another' }, () => false);
  transport.publish('notifications/elicitation/complete', { elicitationId: 'own' }, () => true);
  await eventually(() => messages.filter(({ method }) => method !== undefined).length >= 4);
  expect(messages.filter(({ method }) => method !== undefined).map(({ params }) => params)).toEqual([
    { uri: 'test://a' },
    { level: 'emergency', data: 2 },
    {},
    { elicitationId: 'own' },
  ]);
});

test('a resource that is released while its watch is being opened is not watched, in any order', async () => {
  const handler = recordingHandler();
  const begun: (() => void)[] = [];
  const slow = {
    ...handler,
    watchResource: async (uri: string) => {
      await new Promise<void>((resolve) => begun.push(resolve));
      handler.watched.push(uri);
      return () => void handler.watched.splice(handler.watched.indexOf(uri), 1);
    },
  };
  const { say, answerTo, performHandshake, transport } = talk(slow);
  await performHandshake();
  say(ask(1, 'resources/subscribe', { uri: 'test://a' }));
  say(ask(2, 'resources/unsubscribe', { uri: 'test://a' }));
  say(ask(3, 'resources/subscribe', { uri: 'test://a' }));
  await eventually(() => begun.length === 2);
  for (const begin of begun) begin();
  await answerTo(1);
  await answerTo(3);
  expect(handler.watched).toEqual(['test://a']);
  await transport.close(0);
  expect(handler.watched).toEqual([]);
});

test('subscriptions share the channel, each with its id, until cancelled or closed', async () => {
  const handler = recordingHandler();
  const { say, find, transport, messages, answerTo } = talk(handler, { subscriptions: 2 });
  say(modernAsk('a', 'subscriptions/listen', { notifications: { toolsListChanged: true, promptsListChanged: true } }));
  say(modernAsk('b', 'subscriptions/listen', { notifications: { resourceSubscriptions: ['test://a', 'secret:b', 'test://a'] } }));
  const id = 'io.modelcontextprotocol/subscriptionId';
  const acknowledged = (of: string) =>
    find(
      ({ method, params }) =>
        method === 'notifications/subscriptions/acknowledged' && (params as { _meta: Record<string, unknown> })._meta[id] === of,
    );
  expect((await acknowledged('a'))['params']).toEqual({ notifications: { toolsListChanged: true }, _meta: { [id]: 'a' } });
  expect((await acknowledged('b'))['params']).toEqual({ notifications: { resourceSubscriptions: ['test://a'] }, _meta: { [id]: 'b' } });
  say(modernAsk('c', 'subscriptions/listen', { notifications: {} }));
  say(modernAsk('d', 'subscriptions/listen', {}));
  expect(await answerTo('c')).toMatchObject({ error: { code: -32_603 } });
  expect(transport.status()).toEqual({ sessions: 0, subscriptions: 2, requestsInFlight: 0 });
  transport.publish('notifications/tools/list_changed', { _meta: { kept: 1 } });
  transport.publish('notifications/prompts/list_changed', {});
  transport.publish('notifications/resources/updated', { uri: 'test://a' });
  say(notify('notifications/cancelled', { requestId: 'b' }));
  await eventually(() => handler.watched.length === 0);
  transport.publish('notifications/resources/updated', { uri: 'test://a' });
  await transport.close(0);
  const notifications = messages.filter(({ method }) => /list_changed|updated/.test(String(method)));
  expect(notifications.map(({ params }) => params)).toEqual([{ _meta: { kept: 1, [id]: 'a' } }, { uri: 'test://a', _meta: { [id]: 'b' } }]);
  expect(await answerTo('a')).toMatchObject({ result: { resultType: 'complete', _meta: { [id]: 'a' } } });
  expect(messages.some((message) => message['id'] === 'b')).toBe(false);
});

test('a cancelled request is aborted and never answered; its id may be reused', async () => {
  const handler = recordingHandler();
  const { say, answerTo, performHandshake, messages } = talk(handler);
  await performHandshake();
  say(call(1, 'wait'));
  say(call(1, 'echo'));
  expect(await answerTo(1)).toMatchObject({ error: { code: -32_600 } });
  say(notify('notifications/cancelled', { requestId: '1' }));
  say(notify('notifications/cancelled', { requestId: 99 }));
  say(notify('notifications/cancelled', {}));
  say(notify('notifications/cancelled', { requestId: 1, reason: 'Not needed' }));
  await handler.aborted('wait');
  expect(handler.requests[0]?.signal.reason).toMatchObject({ message: 'Not needed' });
  say(call(2, 'echo', { after: true }));
  await answerTo(2);
  expect(messages.filter(({ id }) => id === 1)).toHaveLength(1);
  say(call(1, 'echo'));
  await eventually(() => messages.filter(({ id }) => id === 1).length === 2);
});

test('a question reaches the client, and its answer the request; a modern client cannot be asked', async () => {
  const handler = recordingHandler();
  const { say, find, answerTo, performHandshake } = talk(handler);
  await performHandshake();
  say(call(1, 'ask'));
  const question = await find(({ method }) => method === 'elicitation/create');
  say({ jsonrpc: '2.0', id: 'of nothing', result: {} });
  say({ jsonrpc: '2.0', id: question['id'], error: { code: -1, message: 'No', data: { x: 1 } } });
  expect(await answerTo(1)).toMatchObject({ error: { code: -1, message: 'No', data: { x: 1 } } });
  say(modernAsk(2, 'tools/call', { name: 'ask' }));
  expect(await answerTo(2)).toMatchObject({ error: { code: -32_601 } });
  const outside = handler.requests[0]?.client.ask?.('roots/list', {});
  const roots = await find(({ method }) => method === 'roots/list');
  say({ jsonrpc: '2.0', id: roots['id'], result: { roots: [] } });
  expect(await outside).toEqual({ roots: [] });
});

test('a question ends with its signal, with its request and with the client', async () => {
  const handler = recordingHandler();
  const { say, find, performHandshake, input, transport, messages } = talk(handler);
  await performHandshake();
  say(call(1, 'ask'));
  await find(({ method }) => method === 'elicitation/create');
  const client = handler.requests[0]?.client;
  const controller = new AbortController();
  const given = client?.ask?.('roots/list', {}, controller.signal);
  controller.abort(new Error('Too slow'));
  await expect(given).rejects.toThrow('Too slow');
  say(notify('notifications/cancelled', { requestId: 1 }));
  await eventually(() => messages.filter(({ method }) => method === 'notifications/cancelled').length === 2);
  const left = client?.ask?.('roots/list', {});
  input.end();
  await expect(left).rejects.toThrow('The client has disconnected');
  await transport.ended;
  await expect(client?.ask?.('roots/list', {})).rejects.toThrow('The client has disconnected');
});

test('batches are supported in one version only', async () => {
  const batch =
    JSON.stringify([call(1, 'echo'), notify('notifications/roots/list_changed'), { junk: true }, call(2, 'echo'), ask(3, 'initialize')]) +
    '\n';
  const now = talk(recordingHandler());
  await now.performHandshake();
  now.say(batch);
  expect(await now.find(({ error }) => error !== undefined)).toMatchObject({ error: { code: -32_600 } });
  const handler = recordingHandler();
  const then = talk(handler);
  await then.performHandshake('2025-03-26');
  then.say(batch);
  then.say('[]\n');
  then.say(`${JSON.stringify([notify('notifications/x')])}\n`);
  const answers = (await then.find((message) => Array.isArray(message))) as unknown as readonly Record<string, unknown>[];
  expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([1, 2, 3, undefined]));
  expect(answers.filter(({ error }) => error !== undefined)).toHaveLength(2);
  expect(await then.find(({ error }) => error !== undefined)).toMatchObject({ error: { code: -32_600 } });
  await eventually(() => handler.notifications.length === 2);
});
