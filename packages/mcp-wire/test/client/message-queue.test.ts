/** Large messages are parsed in slices; all are taken in their order, over both transports. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { MessageQueue } from '../../src/client/message-queue.ts';
import { stdioLink } from '../../src/client/stdio/stdio-link.ts';
import { settle } from './support/fake-stdio.ts';
import { answer, call, event, events, reach, resultOf } from './support/hostile-web.ts';

const large = Array.from({ length: 90_000 }, (_, n) => n % 10);

describe('a queue of messages', () => {
  it('takes a small one at once, and keeps the order behind a large one', async () => {
    const seen: unknown[] = [];
    const source: string[] = [];
    const queue = new MessageQueue({ pause: () => source.push('pause'), resume: () => source.push('resume') });
    const take = (message: unknown, text: string): void =>
      void seen.push(message === undefined ? text : Array.isArray(message) ? 'large' : message);
    queue.add('1', take);
    expect(seen).toEqual([1]);
    const rest = new Promise<void>((resolve) => {
      queue.add(JSON.stringify(large), take);
      queue.add('2', take);
      queue.add('no JSON', take);
      queue.after(resolve);
    });
    expect(seen).toEqual([1]);
    await rest;
    await settle();
    expect(seen).toEqual([1, 'large', 2, 'no JSON']);
    expect(source).toEqual(['pause', 'resume']);
    queue.add('3', take);
    expect(seen.at(-1)).toBe(3);
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
