/** Clients of Streamable HTTP up to 2025-11-25 that do not read what they get. */
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { recordingHandler } from './support/handler.ts';
import { call, performHandshake, startHttp } from './support/http-server.ts';

test('a client that does not read its stream loses the connection, but no events', async () => {
  await using server = await startHttp(recordingHandler(), { streamBytes: 100_000, replayBytes: 500_000 });
  const { headers } = await performHandshake(server);
  const socket = connect(Number(server.url.port), '127.0.0.1');
  socket.write(`GET /mcp HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\nmcp-session-id: ${headers['mcp-session-id']}\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  const gone = new Promise((resolve) => socket.on('close', resolve));
  socket.on('error', () => {});
  for (let index = 0; index < 400; index++) {
    server.transport.publish('notifications/message', { level: 'error', data: 'x'.repeat(50_000) });
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.resume();
  await gone;
  const stream = await server.open({ method: 'GET', headers });
  expect((await stream.until(1)).length).toBeGreaterThan(0);
});

test('a client that does not read the stream of its request gets fewer notifications, and the answer', async () => {
  const flooding = {
    ...recordingHandler(),
    async handle(request: { notify: (method: string, params: object) => void }) {
      for (let index = 0; index < 200; index++) {
        request.notify('notifications/message', { level: 'error', data: 'x'.repeat(50_000) });
        await new Promise((resolve) => setImmediate(resolve));
      }
      return { flooded: true };
    },
  };
  await using server = await startHttp(flooding as never, { streamBytes: 100_000, replayBytes: 500_000 });
  const { headers } = await performHandshake(server);
  const socket = connect(Number(server.url.port), '127.0.0.1');
  const body = JSON.stringify(call(9, 'echo'));
  const head = { ...headers, host: 'x', accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const lines = Object.entries({ ...head, 'content-length': body.length }).map(([name, value]) => `${name}: ${String(value)}`);
  socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  let text = '';
  await new Promise<void>((resolve) => {
    socket.once('data', (part) => {
      text += String(part);
      socket.pause();
      setTimeout(resolve, 300);
    });
  });
  const answered = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
    socket.on('data', (part) => {
      text += String(part);
      if (text.includes('"flooded":true')) resolve();
    });
  });
  socket.resume();
  await answered;
  expect(text).toContain('"flooded":true');
  expect(text.length).toBeLessThan(200 * 50_000);
  socket.destroy();
});
