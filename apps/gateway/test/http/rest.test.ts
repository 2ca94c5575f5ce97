/** The web Request that a handler gets from the shell, and its Response. */
import { expect, test } from 'vitest';
import { held, lines, raw } from './support/raw-http.ts';
import { startShell } from './support/shell.ts';

test('the handler gets method, target, headers and body unchanged', async () => {
  await using running = await startShell({
    rest: async (request) =>
      Response.json({
        method: request.method,
        url: request.url,
        type: request.headers.get('content-type'),
        kept: request.headers.get('x-kept'),
        body: await request.text(),
      }),
  });
  const reply = await raw(
    running.port,
    lines({ method: 'PUT', target: '/v1/a%20b%2Fc?d=%2F', headers: ['content-type: text/x', 'x-kept: 1, 2'], body: 'ü' }),
  );
  expect(JSON.parse(Buffer.from(reply.body, 'latin1').toString())).toEqual({
    method: 'PUT',
    url: 'http://127.0.0.1/v1/a%20b%2Fc?d=%2F',
    type: 'text/x',
    kept: '1, 2',
    body: 'ü',
  });
});

test('every answer has security headers, which the handler may override', async () => {
  await using running = await startShell({
    rest: () =>
      Promise.resolve(
        new Response('<p>', { status: 418, headers: { 'content-security-policy': "default-src 'self'", 'cache-control': 'max-age=5' } }),
      ),
  });
  const { status, head } = await raw(running.port, lines({ method: 'GET', target: '/' }));
  expect(status).toBe(418);
  for (const line of [
    'x-content-type-options: nosniff',
    'x-frame-options: DENY',
    'referrer-policy: no-referrer',
    'cross-origin-resource-policy: same-origin',
    "content-security-policy: default-src 'self'",
    'cache-control: max-age=5',
  ])
    expect(head.toLowerCase()).toContain(`\r\n${line.toLowerCase()}`);
});

test.for(['throws', 'rejects', 'answers nonsense'])(
  'a handler that %s causes a 500 without details, and a report to the operator',
  async (how) => {
    await using running = await startShell({
      rest: () => {
        if (how === 'throws') throw new Error('secret /srv/x.ts');
        return how === 'rejects' ? Promise.reject(new Error('secret /srv/x.ts')) : Promise.resolve(undefined as unknown as Response);
      },
    });
    const reply = await raw(running.port, lines({ method: 'POST', target: '/v1', body: '{}' }));
    expect(reply.status).toBe(500);
    expect(reply.body).not.toMatch(/secret|\.ts|node:/);
    expect(running.faults).toHaveLength(1);
    expect((await raw(running.port, lines({ method: 'GET', target: '/healthz' }))).status).toBe(500);
  },
);

test('the body for the model proxy is a stream of any length; its answer is streamed', async () => {
  await using running = await startShell({
    limits: { bodyBytes: 1000 },
    rest: async (request) => {
      let length = 0;
      for await (const part of request.body as unknown as AsyncIterable<Uint8Array>) length += part.length;
      return new Response(
        new ReadableStream({
          async start(controller) {
            controller.enqueue(new TextEncoder().encode(`data: ${length}\n\n`));
            await new Promise((resolve) => setTimeout(resolve, 200));
            controller.close();
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      );
    },
  });
  const socket = await held(
    running.port,
    lines({ target: '/anthropic/v1/messages', headers: ['content-type: application/json'], body: 'x'.repeat(100_000) }),
  );
  const first = await new Promise<string>((resolve) =>
    socket.setEncoding('utf8').on('data', (part: string) => part.includes('data:') && resolve(part)),
  );
  expect(first).toContain('data: 100000');
  expect(socket.closed).toBe(false);
  socket.destroy();
});

test('a client that disconnects aborts the request and cancels the answer', async () => {
  let begun = false;
  const ended: string[] = [];
  await using running = await startShell({
    rest: (request) => {
      request.signal.addEventListener('abort', () => ended.push('aborted'));
      begun = true;
      return Promise.resolve(
        new Response(
          new ReadableStream({
            pull: (controller) => controller.enqueue(new Uint8Array(100_000)),
            cancel: () => void ended.push('cancelled'),
          }),
        ),
      );
    },
  });
  const socket = await held(running.port, lines({ method: 'GET', target: '/openai/v1/x' }));
  while (!begun) await new Promise((resolve) => setTimeout(resolve, 5));
  socket.destroy();
  while (ended.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(ended.toSorted()).toEqual(['aborted', 'cancelled']);
});

test('a client that does not read causes backpressure instead of buffering', async () => {
  let pulled = 0;
  await using running = await startShell({
    rest: () =>
      Promise.resolve(
        new Response(
          new ReadableStream({
            pull(controller) {
              pulled += 1;
              controller.enqueue(new Uint8Array(1_000_000));
            },
          }),
        ),
      ),
  });
  const socket = await held(running.port);
  socket.pause();
  socket.write(lines({ method: 'GET', target: '/openai/v1/x' }));
  while (pulled === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(pulled).toBeLessThan(50);
  socket.destroy();
});

test('a handler can answer a client that is still sending the body', async () => {
  await using running = await startShell({
    limits: { bodyBytes: 300_000 },
    tokens: [{ name: 'ann', secret: 'right' }],
    rest: async (request) => {
      if (request.url.includes('cancel')) await request.body?.cancel();
      return new Response('not wanted', { status: 413 });
    },
  });
  const body = 'x'.repeat(900_000);
  const send = async (target: string, token: string): Promise<[number, string]> => {
    const response = await fetch(`${running.shell.url}${target}`, { method: 'POST', body, headers: { authorization: `Bearer ${token}` } });
    return [response.status, (await response.text()).slice(0, 12)];
  };
  for (let round = 0; round < 10; round++) {
    expect(await send('/openai/cancel', 'right')).toEqual([413, 'not wanted']);
    expect(await send('/openai/leave', 'right')).toEqual([413, 'not wanted']);
    expect(await send('/v1/turns', 'right')).toEqual([413, '{"error":{"c']);
    expect(await send('/mcp', 'right')).toEqual([415, '{"jsonrpc":"']);
    expect(await send('/v1/turns', 'wrong')).toEqual([401, '{"error":{"c']);
  }
  expect(running.faults).toEqual([]);
});

test('a handler reads a long body at its own pace', async () => {
  let length = 0;
  await using running = await startShell({
    rest: async (request) => {
      const reader = (request.body as ReadableStream<Uint8Array>).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        length += part.value.length;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      return new Response(String(length));
    },
  });
  const response = await fetch(`${running.shell.url}/gemini/x`, { method: 'POST', body: 'x'.repeat(5_000_000) });
  expect(await response.text()).toBe('5000000');
});
