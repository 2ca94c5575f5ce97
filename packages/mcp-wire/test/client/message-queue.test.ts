/** Large messages are parsed in slices; all are taken in their order, over both transports. */
import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { MessageQueue, type MessageTaker } from '../../src/client/message-queue.ts';
import { stdioLink } from '../../src/client/stdio/stdio-link.ts';
import { settle } from './support/fake-stdio.ts';
import { answer, call, event, events, reach, resultOf } from './support/hostile-web.ts';

const large = Array.from({ length: 90_000 }, (_, n) => n % 10);

describe('a queue of messages', () => {
  it('takes a small one at once, and keeps the order behind a large one', async () => {
    const seen: unknown[] = [];
    const source: string[] = [];
    // On a busy machine, the time of a turn may be over before the first message.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    const queue = new MessageQueue({ pause: () => source.push('pause'), resume: () => source.push('resume') });
    const take: MessageTaker = {
      message: (message) => void seen.push(Object.hasOwn(message, 'large') ? 'large' : message),
      end: (isJson, text) => void (isJson || seen.push(text)),
    };
    queue.add('{"n":1}', take);
    expect(seen).toEqual([{ n: 1 }]);
    clock.mockRestore();
    const rest = new Promise<void>((resolve) => {
      queue.add(JSON.stringify({ large }), take);
      queue.add('{"n":2}', take);
      queue.add('no JSON', take);
      queue.after(resolve);
    });
    expect(seen).toEqual([{ n: 1 }]);
    await rest;
    await settle();
    expect(seen).toEqual([{ n: 1 }, 'large', { n: 2 }, 'no JSON']);
    expect(source).toEqual(['pause', 'resume']);
    const later = vi.spyOn(performance, 'now').mockReturnValue(1e9);
    queue.begin();
    queue.add('{"n":3}', take);
    later.mockRestore();
    expect(seen.at(-1)).toEqual({ n: 3 });
  });

  it('takes a batch in its order, and what is no message only as text', async () => {
    const seen: unknown[] = [];
    const queue = new MessageQueue({ pause: () => {}, resume: () => {} });
    const take: MessageTaker = { message: (message) => void seen.push(message), end: (isJson, text) => void seen.push(isJson, text) };
    queue.add('[{"a":1},2,{"b":3}]', take);
    queue.add(' "text"', take);
    queue.add('{"c":', take);
    await new Promise<void>((resolve) => queue.after(resolve));
    expect(seen).toEqual([{ a: 1 }, { b: 3 }, true, '[{"a":1},2,{"b":3}]', false, ' "text"', false, '{"c":']);
  });

  it.each([
    ['many messages', Array.from({ length: 3_000 }, () => '{"n":1}')],
    ['many lines that are not JSON', Array.from({ length: 3_000 }, () => '{')],
    ['one batch of many messages', [JSON.stringify(Array.from({ length: 3_000 }, () => ({ n: 1 })))]],
  ])('%s that take long leave turns of the event loop to others', async (_name, texts) => {
    const source: string[] = [];
    const queue = new MessageQueue({ pause: () => source.push('pause'), resume: () => source.push('resume') });
    let taken = 0;
    const work = (): void => {
      taken += 1;
      for (const until = performance.now() + 0.02; performance.now() < until;);
    };
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      if (taken < 3_000) setImmediate(turn);
    };
    setImmediate(turn);
    queue.begin();
    for (const text of texts) queue.add(text, { message: work, end: (isJson) => (isJson ? undefined : work()) });
    await new Promise<void>((resolve) => queue.after(resolve));
    expect(taken).toBe(3_000);
    expect(turns).toBeGreaterThan(2);
    await settle();
    expect(source).toEqual(['pause', 'resume']);
  });
});

it('over stdio, a server that ends right after a large answer has answered', async () => {
  const output = new PassThrough();
  const heard: string[] = [];
  const link = stdioLink({
    input: new PassThrough(),
    output,
    ended: new Promise((resolve) => output.once('end', resolve)),
    close: async () => {},
    maxMessageBytes: 1_000_000,
  });
  const over = new Promise<void>((resolve) => {
    const listener = { message: (message: object) => heard.push(JSON.stringify(message).slice(0, 8)), lost: () => {}, ended: resolve };
    link.start(listener as unknown as Parameters<typeof link.start>[0]);
  });
  output.end(`${JSON.stringify({ id: 1, result: large })}\n{"id":2}\n`);
  await over;
  expect(heard).toEqual(['{"id":1,', '{"id":2}']);
});

it('over HTTP, a large document and a large event are whole', async () => {
  const document = await reach((response, { id }) => answer(response, resultOf(id, 'x'.repeat(190_000))), {}, 1_000_000);
  expect(JSON.stringify(await call(document.to)).length).toBeGreaterThan(190_000);
  const stream = await reach(
    (response, { id }) => {
      events(response);
      response.write(event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(300_000) } }));
      response.end(event(resultOf(id, 'x'.repeat(190_000))));
    },
    {},
    1_000_000,
  );
  expect(JSON.stringify(await call(stream.to)).length).toBeGreaterThan(190_000);
});
