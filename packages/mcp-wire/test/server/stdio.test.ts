/** The stdio front line by line: eras, ids, batches, junk, sizes, pace, and the end. */
import fc from 'fast-check';
import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { seenFace } from './support/face.ts';
import { call, eventually, modernMeta } from './support/http-server.ts';
import { talk } from './support/stdio-talk.ts';

const ask = (id: string | number, method: string, params = {}): object => ({ jsonrpc: '2.0', id, method, params });
const modernAsk = (id: string | number, method: string, params = {}, meta = {}): object =>
  ask(id, method, { ...params, _meta: { ...modernMeta, ...meta } });
const notify = (method: string, params = {}): object => ({ jsonrpc: '2.0', method, params });

test('greets a legacy client in its own version, or in the newest where it is unknown', async () => {
  for (const [asked, agreed] of [
    ['2024-11-05', '2024-11-05'],
    ['2025-06-18', '2025-06-18'],
    ['1999-01-01', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
  ] as const) {
    const { greet } = talk(seenFace());
    expect(await greet(asked)).toEqual({
      protocolVersion: agreed,
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} },
      serverInfo: { name: 'seen', version: '1.0.0' },
      instructions: 'Be kind',
    });
  }
});

test('before the greeting only ping, the greeting and modern requests are answered', async () => {
  const face = seenFace();
  const { say, answerTo } = talk(face);
  say(ask(1, 'ping'));
  say(ask(2, 'tools/list'));
  say(modernAsk(3, 'tools/list'));
  expect(await answerTo(1)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  expect(await answerTo(2)).toMatchObject({ error: { code: -32_602 } });
  expect(await answerTo(3)).toMatchObject({ result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } });
  expect(face.requests.map(({ client }) => client.era)).toEqual(['modern']);
});

test('both eras are spoken on one connection, also after the greeting', async () => {
  const { say, answerTo, greet } = talk(seenFace());
  await greet();
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

test('a modern request says version and capabilities, and a version that is spoken', async () => {
  const { say, answerTo } = talk(seenFace());
  const version = 'io.modelcontextprotocol/protocolVersion';
  say(ask(1, 'tools/list', { _meta: { [version]: '2026-07-28' } }));
  say(modernAsk(2, 'tools/list', {}, { [version]: '2031-01-01' }));
  say(modernAsk(3, 'tools/list', {}, { 'io.modelcontextprotocol/logLevel': 'shout' }));
  expect(await answerTo(1)).toMatchObject({ error: { code: -32_602 } });
  expect(await answerTo(2)).toMatchObject({ error: { code: -32_022, data: { supported: ['2026-07-28'], requested: '2031-01-01' } } });
  expect(await answerTo(3)).toMatchObject({ error: { code: -32_602 } });
});

test('a code that the modern era has no more goes out under its new name', async () => {
  const { say, answerTo, greet } = talk(seenFace());
  await greet();
  say(ask(1, 'resources/read', { uri: 'x:' }));
  say(modernAsk(2, 'resources/read', { uri: 'x:' }));
  expect(await answerTo(1)).toMatchObject({ error: { code: -32_002, data: { uri: 'x:' } } });
  expect(await answerTo(2)).toMatchObject({ error: { code: -32_602, data: { uri: 'x:' } } });
});

test('progress and logs come before the answer, each with the token and the level that was asked for', async () => {
  const { say, answerTo, greet, messages } = talk(seenFace());
  await greet();
  say({ ...call(1, 'progress'), params: { name: 'progress', _meta: { progressToken: 'p' } } });
  say(call(2, 'progress'));
  await answerTo(1);
  await answerTo(2);
  const progress = messages.filter(({ method }) => method === 'notifications/progress');
  expect(progress.map(({ params }) => params)).toEqual(
    [1, 2, 3].map((step) => ({ progress: step, total: 3, message: `step ${step}`, progressToken: 'p' })),
  );
  expect(messages.findIndex(({ id }) => id === 1)).toBeGreaterThan(messages.lastIndexOf(progress[2] as object));
  const logs = (): unknown[] =>
    messages.filter(({ method }) => method === 'notifications/message').map(({ params }) => (params as { data: string }).data);
  say(modernAsk(3, 'tools/call', { name: 'log' }));
  await answerTo(3);
  expect(logs()).toEqual([]);
  say(modernAsk(4, 'tools/call', { name: 'log' }, { 'io.modelcontextprotocol/logLevel': 'debug' }));
  await answerTo(4);
  expect(logs()).toEqual(['quiet', 'loud']);
});

test('the face hears of the least severe level whenever it changes', async () => {
  const face = seenFace();
  const { say, answerTo, greet, front, input } = talk(face);
  await greet();
  say(ask(1, 'logging/setLevel', { level: 'error' }));
  say(ask(2, 'logging/setLevel', { level: 'loud' }));
  await answerTo(1);
  expect(await answerTo(2)).toMatchObject({ error: { code: -32_602 } });
  say(modernAsk(3, 'tools/call', { name: 'log' }, { 'io.modelcontextprotocol/logLevel': 'debug' }));
  await answerTo(3);
  input.end();
  await front.ended;
  expect(face.levels).toEqual(['info', 'error', 'debug', 'error', undefined]);
});

test('publications reach a legacy client by its level and its watched resources', async () => {
  const face = seenFace();
  const { say, answerTo, greet, front, messages } = talk(face);
  await greet();
  for (const [index, uri] of ['test://a', 'secret:b', 7].entries()) say(ask(index, 'resources/subscribe', { uri }));
  expect(await answerTo(0)).toMatchObject({ result: {} });
  expect(await answerTo(1)).toMatchObject({ error: { code: -32_602, message: 'Not that one' } });
  expect(await answerTo(2)).toMatchObject({ error: { code: -32_602 } });
  front.publish('notifications/resources/updated', { uri: 'test://a' });
  front.publish('notifications/resources/updated', { uri: 'secret:b' });
  front.publish('notifications/message', { level: 'debug', data: 1 });
  front.publish('notifications/message', { level: 'emergency', data: 2 });
  front.publish('notifications/tools/list_changed', {});
  front.publish('notifications/elicitation/complete', { elicitationId: 'of somebody else' });
  await eventually(() => messages.filter(({ method }) => method !== undefined).length >= 3);
  expect(messages.filter(({ method }) => method !== undefined).map(({ params }) => params)).toEqual([
    { uri: 'test://a' },
    { level: 'emergency', data: 2 },
    {},
  ]);
});

test('subscriptions share the channel, each with its id, until cancelled or closed', async () => {
  const face = seenFace();
  const { say, find, front, messages, answerTo } = talk(face, { subscriptions: 2 });
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
  expect(front.status()).toEqual({ sessions: 0, subscriptions: 2, requestsInFlight: 0 });
  front.publish('notifications/tools/list_changed', { _meta: { kept: 1 } });
  front.publish('notifications/prompts/list_changed', {});
  front.publish('notifications/resources/updated', { uri: 'test://a' });
  say(notify('notifications/cancelled', { requestId: 'b' }));
  await eventually(() => face.watched.length === 0);
  front.publish('notifications/resources/updated', { uri: 'test://a' });
  await front.close(0);
  const told = messages.filter(({ method }) => /list_changed|updated/.test(String(method)));
  expect(told.map(({ params }) => params)).toEqual([{ _meta: { kept: 1, [id]: 'a' } }, { uri: 'test://a', _meta: { [id]: 'b' } }]);
  expect(await answerTo('a')).toMatchObject({ result: { resultType: 'complete', _meta: { [id]: 'a' } } });
  expect(messages.some((message) => message['id'] === 'b')).toBe(false);
});

test('a cancelled request is aborted and never answered; its id may be used again', async () => {
  const face = seenFace();
  const { say, answerTo, greet, messages } = talk(face);
  await greet();
  say(call(1, 'wait'));
  say(call(1, 'echo'));
  expect(await answerTo(1)).toMatchObject({ error: { code: -32_600 } });
  say(notify('notifications/cancelled', { requestId: '1' }));
  say(notify('notifications/cancelled', { requestId: 99 }));
  say(notify('notifications/cancelled', {}));
  say(notify('notifications/cancelled', { requestId: 1, reason: 'Not needed' }));
  await face.aborted('wait');
  expect((face.requests[0]?.signal.reason as Error).message).toBe('Not needed');
  say(call(2, 'echo', { after: true }));
  await answerTo(2);
  expect(messages.filter(({ id }) => id === 1)).toHaveLength(1);
  say(call(1, 'echo'));
  await eventually(() => messages.filter(({ id }) => id === 1).length === 2);
});

test('a question finds the client, and its answer finds the request; a modern client cannot be asked', async () => {
  const face = seenFace();
  const { say, find, answerTo, greet } = talk(face);
  await greet();
  say(call(1, 'ask'));
  const question = await find(({ method }) => method === 'elicitation/create');
  say({ jsonrpc: '2.0', id: 'of nothing', result: {} });
  say({ jsonrpc: '2.0', id: question['id'], error: { code: -1, message: 'No', data: { x: 1 } } });
  expect(await answerTo(1)).toMatchObject({ error: { code: -1, message: 'No', data: { x: 1 } } });
  say(modernAsk(2, 'tools/call', { name: 'ask' }));
  expect(await answerTo(2)).toMatchObject({ error: { code: -32_601 } });
  const outside = face.requests[0]?.client.ask?.('roots/list', {});
  const roots = await find(({ method }) => method === 'roots/list');
  say({ jsonrpc: '2.0', id: roots['id'], result: { roots: [] } });
  expect(await outside).toEqual({ roots: [] });
});

test('a question ends with its signal, with its request and with the client', async () => {
  const face = seenFace();
  const { say, find, greet, input, front, messages } = talk(face);
  await greet();
  say(call(1, 'ask'));
  await find(({ method }) => method === 'elicitation/create');
  const client = face.requests[0]?.client;
  const controller = new AbortController();
  const given = client?.ask?.('roots/list', {}, controller.signal);
  controller.abort(new Error('Too slow'));
  await expect(given).rejects.toThrow('Too slow');
  say(notify('notifications/cancelled', { requestId: 1 }));
  await eventually(() => messages.filter(({ method }) => method === 'notifications/cancelled').length === 2);
  const left = client?.ask?.('roots/list', {});
  input.end();
  await expect(left).rejects.toThrow('The client is gone');
  await front.ended;
  await expect(client?.ask?.('roots/list', {})).rejects.toThrow('The client is gone');
});

test('batches are of one version only', async () => {
  const batch =
    JSON.stringify([call(1, 'echo'), notify('notifications/roots/list_changed'), { junk: true }, call(2, 'echo'), ask(3, 'initialize')]) +
    '\n';
  const now = talk(seenFace());
  await now.greet();
  now.say(batch);
  expect(await now.find(({ error }) => error !== undefined)).toMatchObject({ error: { code: -32_600 } });
  const face = seenFace();
  const then = talk(face);
  await then.greet('2025-03-26');
  then.say(batch);
  then.say('[]\n');
  then.say(`${JSON.stringify([notify('notifications/x')])}\n`);
  const answers = (await then.find((message) => Array.isArray(message))) as unknown as readonly Record<string, unknown>[];
  expect(answers.map(({ id }) => id ?? null).toSorted()).toEqual([1, 2, 3, null]);
  expect(answers.filter(({ error }) => error !== undefined)).toHaveLength(2);
  expect(await then.find(({ error }) => error !== undefined)).toMatchObject({ error: { code: -32_600 } });
  await eventually(() => face.notifications.length === 2);
});

const junk: readonly [string, number][] = [
  ['{', -32_700],
  ['null', -32_600],
  ['"text"', -32_600],
  ['{}', -32_600],
  ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32_600],
  ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32_600],
  ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32_600],
  ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32_600],
  ['{"jsonrpc":"2.0","id":1,"method":5}', -32_600],
  ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32_600],
  ['{"jsonrpc":"2.0","id":1}', -32_600],
  [`{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(200)}${']'.repeat(200)}}`, -32_600],
  ['[[[]]]', -32_600],
];

test.for(junk)('junk is answered with an error, and the connection lives on: %s', async ([line, code]) => {
  const { say, find, answerTo } = talk(seenFace());
  say(`${line}\n`);
  expect(await find(({ error }) => error !== undefined)).toMatchObject({ error: { code } });
  say('\r\n\n');
  say(ask('after', 'ping'));
  await answerTo('after');
});

test('text that is no UTF-8 is refused, not repaired', async () => {
  const { input, find } = talk(seenFace());
  input.write(
    Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}}\n'),
    ]),
  );
  expect(await find(({ error }) => error !== undefined)).toMatchObject({ error: { code: -32_700 } });
});

test('keys of prototypes are data', async () => {
  const { say, answerTo, greet } = talk(seenFace());
  await greet();
  say(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"polluted":1},"constructor":{"prototype":{}}}}}\n',
  );
  const { result } = (await answerTo(1)) as { result: { content: readonly { text: string }[] } };
  expect(result.content[0]?.text).toBe('{"__proto__":{"polluted":1},"constructor":{"prototype":{}}}');
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  say('{"jsonrpc":"2.0","id":2,"__proto__":{"method":"tools/list"}}\n');
  expect(await answerTo(2)).toMatchObject({ error: { code: -32_600 } });
  say('{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"__proto__":{"_meta":{}}}}\n');
  expect(await answerTo(3)).toHaveProperty('result');
});

test.for([
  ['first', `{"jsonrpc":"2.0","id":"big","method":"x","params":{"a":"${'x'.repeat(3000)}"}}`, 'big'],
  ['last', `{"method":"x","params":{"id":1,"a":"${'x'.repeat(3000)}"},"jsonrpc":"2.0","id":77}`, 77],
  ['last but one', `{"method":"x","params":{"a":"${'x'.repeat(3000)}"},"id":78,"jsonrpc":"2.0"}`, 78],
  ['hidden', `{"method":"x","params":{"a":"${'x'.repeat(3000)}","id":5}}`, undefined],
] as const)('a line that is too long is skipped with an error; its id stood %s', async ([, line, id]) => {
  const { input, find, answerTo, say } = talk(seenFace(), { messageBytes: 1000 });
  for (let at = 0; at < line.length; at += 700) input.write(line.slice(at, at + 700));
  input.write('\n');
  const answer = await find(({ error }) => error !== undefined);
  expect(answer).toMatchObject({ error: { code: -32_600 } });
  expect(answer['id']).toBe(id);
  say(ask('after', 'ping'));
  await answerTo('after');
});

test('however bytes are cut, the same messages are read', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat(40), { maxLength: 40 }),
      async (texts, cuts) => {
        const { input, answerTo, greet } = talk(seenFace());
        await greet();
        const bytes = Buffer.from(texts.map((text, id) => `${JSON.stringify(call(id, 'echo', { text }))}\n`).join(''));
        let at = 0;
        for (const cut of cuts) {
          input.write(bytes.subarray(at, at + cut));
          at += cut;
        }
        input.end(bytes.subarray(at));
        for (const [id, text] of texts.entries()) {
          const { result } = (await answerTo(id)) as { result: { content: readonly { text: string }[] } };
          expect(JSON.parse(result.content[0]?.text ?? '')).toEqual({ text });
        }
      },
    ),
    { numRuns: 30 },
  );
});

test('what a face throws is told without its words, what cannot be written too', async () => {
  const { say, answerTo, greet, faults } = talk(seenFace());
  await greet();
  say(call(1, 'break'));
  say(call(2, 'unwritable'));
  for (const id of [1, 2]) expect(await answerTo(id)).toEqual({ jsonrpc: '2.0', id, error: { code: -32_603, message: 'Internal error' } });
  expect(faults.map(String)).toEqual([expect.stringContaining('hunter2'), expect.stringContaining('BigInt')]);
});

test('no more runs at a time than allowed', async () => {
  const face = seenFace();
  const { say, answerTo, greet, front } = talk(face, { inFlight: 2 });
  await greet();
  say(call(1, 'wait'));
  say(call(2, 'wait'));
  say(call(3, 'echo'));
  expect(await answerTo(3)).toMatchObject({ error: { code: -32_603, message: expect.stringContaining('busy') } });
  expect(front.status().requestsInFlight).toBe(2);
  face.release();
  await answerTo(1);
  await answerTo(2);
  say(call(4, 'echo'));
  expect(await answerTo(4)).toHaveProperty('result');
});

test('the end of the input lets what runs end', async () => {
  const face = seenFace();
  const { say, answerTo, greet, front, input } = talk(face);
  await greet();
  say(call(1, 'wait'));
  await eventually(() => face.requests.length === 1);
  input.end(JSON.stringify(call(2, 'echo')));
  expect(await answerTo(2)).toHaveProperty('result');
  setTimeout(() => face.release(), 20);
  await front.ended;
  expect(await answerTo(1)).toHaveProperty('result');
  expect(face.gone).toHaveLength(1);
});

test('what does not end in time after the input is aborted and told', async () => {
  const face = seenFace();
  const { say, answerTo, greet, front, input } = talk(face, { drainMs: 20 });
  await greet();
  say(call(1, 'wait'));
  await eventually(() => face.requests.length === 1);
  input.end();
  await front.ended;
  await face.aborted('wait');
  expect(await answerTo(1)).toMatchObject({ error: { code: -32_603 } });
});

test('close() takes nothing new and tells what it stopped', async () => {
  const face = seenFace();
  const { say, answerTo, greet, front } = talk(face);
  await greet();
  say(call(1, 'wait'));
  await eventually(() => face.requests.length === 1);
  const closing = front.close(50);
  say(call(2, 'echo'));
  expect(await answerTo(2)).toMatchObject({ error: { code: -32_603, message: 'The server is closing' } });
  await closing;
  await front.ended;
  expect(await answerTo(1)).toMatchObject({ error: { code: -32_603 } });
});

test('a client whose end of the output breaks is gone: everything of it is aborted, nothing is thrown', async () => {
  const face = seenFace();
  const input = new PassThrough();
  let isBroken = false;
  const output = new Writable({
    write: (_chunk, _encoding, done) => done(isBroken ? Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }) : null),
  });
  const { say, front } = talk(face, { input, output });
  void say;
  input.write(`${JSON.stringify(ask('g', 'initialize', { protocolVersion: '2025-11-25', capabilities: {} }))}\n`);
  input.write(`${JSON.stringify(call(1, 'wait'))}\n`);
  await eventually(() => face.requests.length === 1);
  isBroken = true;
  input.write(`${JSON.stringify(call(2, 'echo'))}\n`);
  await front.ended;
  await face.aborted('wait');
  expect(face.gone).toHaveLength(1);
});

test('while the client does not read, nothing more is read of it, and notifications are dropped rather than held', async () => {
  const face = seenFace();
  const input = new PassThrough();
  const waiting: (() => void)[] = [];
  let written = 0;
  const output = new Writable({
    highWaterMark: 1000,
    write(chunk: Buffer, _encoding, done) {
      written += chunk.length;
      waiting.push(() => done());
    },
  });
  const { front } = talk(face, { input, output });
  input.write(`${JSON.stringify(ask('g', 'initialize', { protocolVersion: '2025-11-25', capabilities: {} }))}\n`);
  await eventually(() => waiting.length === 1);
  for (let id = 0; id < 50; id++) {
    input.write(`${JSON.stringify(call(id, 'big', { length: 500 }))}\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await eventually(() => input.isPaused());
  expect(face.requests.length).toBeLessThan(10);
  for (let index = 0; index < 100; index++) front.publish('notifications/message', { level: 'error', data: 'x'.repeat(100_000) });
  expect(output.writableLength).toBeLessThan(2_000_000);
  const drain = setInterval(() => waiting.shift()?.(), 1);
  await eventually(() => face.requests.length === 50);
  await eventually(() => output.writableLength === 0);
  clearInterval(drain);
  expect(written).toBeGreaterThan(25_000);
});
