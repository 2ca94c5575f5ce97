/** The stdio transport with invalid lines, large messages, slow readers, and at its end. */
import { Buffer } from 'node:buffer';
import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordingHandler } from './support/handler.ts';
import { call, eventually } from './support/http-server.ts';
import { talk } from './support/stdio-client.ts';

const ask = (id: string | number, method: string, params = {}): object => ({ jsonrpc: '2.0', id, method, params });

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

test.for(junk)('an invalid line is answered with an error, and the connection stays usable: %s', async ([line, code]) => {
  const { say, find, answerTo } = talk(recordingHandler());
  say(`${line}\n`);
  expect(await find(({ error }) => error !== undefined)).toMatchObject({ error: { code } });
  say('\r\n\n');
  say(ask('after', 'ping'));
  await answerTo('after');
});

test('text that is not UTF-8 is refused, not repaired', async () => {
  const { input, find } = talk(recordingHandler());
  input.write(
    Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}}\n'),
    ]),
  );
  expect(await find(({ error }) => error !== undefined)).toMatchObject({ error: { code: -32_700 } });
});

test('names of prototype members are data', async () => {
  const { say, answerTo, performHandshake } = talk(recordingHandler());
  await performHandshake();
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
] as const)('a line that is too long is skipped with an error; position of its id: %s', async ([, line, id]) => {
  const { input, find, answerTo, say } = talk(recordingHandler(), { messageBytes: 1000 });
  for (let at = 0; at < line.length; at += 700) input.write(line.slice(at, at + 700));
  input.write('\n');
  const answer = await find(({ error }) => error !== undefined);
  expect(answer).toMatchObject({ error: { code: -32_600 } });
  expect(answer['id']).toBe(id);
  say(ask('after', 'ping'));
  await answerTo('after');
});

test('the same messages are read for any chunks of bytes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat(40), { maxLength: 40 }),
      async (texts, cuts) => {
        const { input, answerTo, performHandshake } = talk(recordingHandler());
        await performHandshake();
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

test('what a handler throws is sent without its message; the same for results that cannot be serialized', async () => {
  const { say, answerTo, performHandshake, faults } = talk(recordingHandler());
  await performHandshake();
  say(call(1, 'break'));
  say(call(2, 'unwritable'));
  for (const id of [1, 2]) expect(await answerTo(id)).toEqual({ jsonrpc: '2.0', id, error: { code: -32_603, message: 'Internal error' } });
  expect(faults.map(String)).toEqual([expect.stringContaining('hunter2'), expect.stringContaining('BigInt')]);
});

test('a handler that throws outside of a request has no effect', async () => {
  const broken = (): never => {
    throw new Error('broken');
  };
  const { say, answerTo, performHandshake, faults, input, transport } = talk({
    ...recordingHandler(),
    notified: broken,
    clientGone: broken,
    logLevelChanged: broken,
    watchResource: () => Promise.resolve(broken),
  });
  await performHandshake();
  say({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
  say({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'test://a' } });
  say(call(2, 'cyclic'));
  expect(await answerTo(1)).toHaveProperty('result');
  expect(await answerTo(2)).toEqual({ jsonrpc: '2.0', id: 2, error: { code: -32_602, message: 'Round and round' } });
  input.end();
  await transport.ended;
  expect(faults.map(String)).toEqual(Array.from({ length: 5 }, () => 'Error: broken'));
});

test('concurrent requests are limited', async () => {
  const handler = recordingHandler();
  const { say, answerTo, performHandshake, transport } = talk(handler, { inFlight: 2 });
  await performHandshake();
  say(call(1, 'wait'));
  say(call(2, 'wait'));
  say(call(3, 'echo'));
  expect(await answerTo(3)).toMatchObject({ error: { code: -32_603, message: expect.stringContaining('busy') } });
  expect(transport.status().requestsInFlight).toBe(2);
  handler.release();
  await answerTo(1);
  await answerTo(2);
  say(call(4, 'echo'));
  expect(await answerTo(4)).toHaveProperty('result');
});

test('the end of the input lets running requests finish', async () => {
  const handler = recordingHandler();
  const { say, answerTo, performHandshake, transport, input } = talk(handler);
  await performHandshake();
  say(call(1, 'wait'));
  await eventually(() => handler.requests.length === 1);
  input.end(JSON.stringify(call(2, 'echo')));
  expect(await answerTo(2)).toHaveProperty('result');
  setTimeout(() => handler.release(), 20);
  await transport.ended;
  expect(await answerTo(1)).toHaveProperty('result');
  expect(handler.gone).toHaveLength(1);
});

test('a request that does not end in time after the input has closed is aborted and answered with an error', async () => {
  const handler = recordingHandler();
  const { say, answerTo, performHandshake, transport, input } = talk(handler, { drainMs: 20 });
  await performHandshake();
  say(call(1, 'wait'));
  await eventually(() => handler.requests.length === 1);
  input.end();
  await transport.ended;
  await handler.aborted('wait');
  expect(await answerTo(1)).toMatchObject({ error: { code: -32_603 } });
});

test('close() accepts no new requests and reports the aborted ones', async () => {
  const handler = recordingHandler();
  const { say, answerTo, performHandshake, transport } = talk(handler);
  await performHandshake();
  say(call(1, 'wait'));
  await eventually(() => handler.requests.length === 1);
  const closing = transport.close(50);
  say(call(2, 'echo'));
  expect(await answerTo(2)).toMatchObject({ error: { code: -32_603, message: 'The server is closing' } });
  await closing;
  await transport.ended;
  expect(await answerTo(1)).toMatchObject({ error: { code: -32_603 } });
});

test('a client whose output pipe breaks has disconnected: all its requests are aborted, nothing is thrown', async () => {
  const handler = recordingHandler();
  const input = new PassThrough();
  let isBroken = false;
  const output = new Writable({
    write: (_chunk, _encoding, done) => done(isBroken ? Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }) : null),
  });
  const { say, transport } = talk(handler, { input, output });
  void say;
  input.write(`${JSON.stringify(ask('g', 'initialize', { protocolVersion: '2025-11-25', capabilities: {} }))}\n`);
  input.write(`${JSON.stringify(call(1, 'wait'))}\n`);
  await eventually(() => handler.requests.length === 1);
  isBroken = true;
  input.write(`${JSON.stringify(call(2, 'echo'))}\n`);
  await transport.ended;
  await handler.aborted('wait');
  expect(handler.gone).toHaveLength(1);
});

test('while the client does not read, nothing more is read of it, and notifications are dropped', async () => {
  const handler = recordingHandler();
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
  const { transport } = talk(handler, { input, output });
  input.write(`${JSON.stringify(ask('g', 'initialize', { protocolVersion: '2025-11-25', capabilities: {} }))}\n`);
  await eventually(() => waiting.length === 1);
  for (let id = 0; id < 50; id++) {
    input.write(`${JSON.stringify(call(id, 'big', { length: 500 }))}\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await eventually(() => input.isPaused());
  expect(handler.requests.length).toBeLessThan(10);
  for (let index = 0; index < 100; index++) transport.publish('notifications/message', { level: 'error', data: 'x'.repeat(100_000) });
  expect(output.writableLength).toBeLessThan(2_000_000);
  const drain = setInterval(() => waiting.shift()?.(), 1);
  await eventually(() => handler.requests.length === 50);
  await eventually(() => output.writableLength === 0);
  clearInterval(drain);
  expect(written).toBeGreaterThan(25_000);
});
