/** Misbehaving servers over HTTP: each call settles at once with the right error, and the next one works. */
import { describe, expect, it, vi } from 'vitest';
import type { ConnectOptions, JsonObject } from '../../src/client/index.ts';
import { connected, rejection, webLink } from './support/connections.ts';
import { type Behaviour, type Tool, answer, call, event, events, reach, resultOf } from './support/hostile-web.ts';

describe('a missing answer', () => {
  it.each<readonly [string, string, Tool]>([
    ['the connection is closed without a response', 'ANSWER_LOST', (response) => response.destroy()],
    [
      'the document is truncated',
      'ANSWER_LOST',
      (response, { id }) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
        response.write(JSON.stringify(resultOf(id)).slice(0, 20), () => response.destroy());
      },
    ],
    ['the stream ends at once', 'ANSWER_LOST', (response) => events(response).end()],
    ['the stream breaks in an event', 'ANSWER_LOST', (response) => events(response).write('data: {"json', () => response.destroy())],
    ['the last event is incomplete', 'ANSWER_LOST', (response, { id }) => events(response).end(`data: ${JSON.stringify(resultOf(id))}`)],
    ['another request is answered on the stream', 'ANSWER_LOST', (response) => events(response).end(event(resultOf(99_999)))],
    ['another request is answered', 'INVALID_ANSWER', (response) => answer(response, resultOf(99_999))],
    ['the document is empty', 'INVALID_ANSWER', (response) => answer(response, '')],
    ['the document is not JSON', 'INVALID_ANSWER', (response) => answer(response, '<html>hello</html>')],
    ['the document is incomplete', 'INVALID_ANSWER', (response) => answer(response, '{"jsonrpc":"2.0","id":')],
    ['there is neither result nor error', 'INVALID_ANSWER', (response, { id }) => answer(response, { jsonrpc: '2.0', id })],
    ['the result is not an object', 'INVALID_ANSWER', (response, { id }) => answer(response, { jsonrpc: '2.0', id, result: 'text' })],
    ['the request is accepted like a notification', 'ANSWER_LOST', (response) => response.writeHead(202).end()],
  ])('because %s: %s', async (_why, code, tool) => {
    let isFirst = true;
    const { to } = await reach((response, asked) => {
      if (isFirst) tool(response, asked);
      else answer(response, resultOf(asked.id));
      isFirst = false;
    });
    expect(await rejection(call(to))).toMatchObject({ code });
    expect(await call(to)).toEqual({ value: 'ok' });
  });

  it('is reported with the start of what is there instead', async () => {
    const { to } = await reach((response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>\n<title>Sign in</title>');
    });
    expect(await rejection(call(to))).toMatchObject({
      code: 'INVALID_ANSWER',
      message: expect.stringMatching(/web page.*Sign in.*url/s) as unknown,
    });
    const { to: other } = await reach((response) => answer(response, 'Service temporarily out of order'));
    expect(await rejection(call(other))).toMatchObject({ message: expect.stringContaining('not JSON: Service temporarily') as unknown });
  });

  it('is reported with the status, the headers and the start of the body', async () => {
    const { to } = await reach((response) => {
      response.writeHead(401, { 'www-authenticate': 'Bearer realm="x"', 'set-cookie': 'a=b' }).end('x'.repeat(100_000));
    });
    const error = await rejection(call(to));
    expect(error).toMatchObject({ code: 'HTTP_STATUS', status: 401, headers: { 'www-authenticate': 'Bearer realm="x"' } });
    expect(error['headers']).not.toHaveProperty('set-cookie');
    expect(String(error['body']).length).toBe(4096);
  });

  it('of an unreachable server is the network error: nothing was sent', async () => {
    const error = await rejection(connected(webLink(new URL('http://127.0.0.1:1/'))));
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('a JSON-RPC error in an error response', () => {
  const failing =
    (status: number, id: 'own' | null, code: number, message = 'no'): Tool =>
    (response, asked) =>
      answer(response, { jsonrpc: '2.0', id: id === 'own' ? asked.id : null, error: { code, message, data: { a: 1 } } }, status);

  it.each<readonly [string, ConnectOptions['eras'][number], Tool, object]>([
    ['is the answer if it has the id', 'legacy', failing(400, 'own', -32_602), { code: -32_602, message: 'no', data: { a: 1 } }],
    ['is not the answer without an id', 'legacy', failing(400, null, -32_000, 'No session'), { code: 'HTTP_STATUS', status: 400 }],
    ['is not the answer if it is about the session', 'legacy', failing(404, 'own', -32_001), { code: 'HTTP_STATUS', status: 404 }],
    ['is not the answer if the server fails', 'legacy', failing(503, 'own', -32_603), { code: 'HTTP_STATUS', status: 503 }],
    ['is the answer in the modern era', 'modern', failing(404, null, -32_601), { code: -32_601 }],
    ['is not the answer if the credentials are wrong', 'modern', failing(401, 'own', -32_603), { code: 'HTTP_STATUS', status: 401 }],
  ])('%s (%s)', async (_what, era, tool, expected) => {
    const { to } = await reach(tool, { eras: [era] });
    expect(await rejection(call(to))).toMatchObject(expected);
  });
});

describe('an answer', () => {
  it.each<readonly [string, Tool]>([
    ['with its id as a string', (response, { id }) => answer(response, resultOf(String(id)))],
    ['in a list', (response, { id }) => answer(response, [{ jsonrpc: '2.0', method: 'x' }, resultOf(id)])],
    [
      'after answers to other requests',
      (response, { id }) => events(response).end(event(resultOf('what')) + event(resultOf(7e9)) + event(resultOf(id))),
    ],
    ['repeated: the first counts', (response, { id }) => events(response).end(event(resultOf(id)) + event(resultOf(id, 'second')))],
    [
      'among invalid events',
      (response, { id }) => events(response).end(`data: junk\n\ndata: [1,null]\n\nevent: x\ndata: {}\n\n${event(resultOf(id))}`),
    ],
    [
      'on a stream with a content type in upper case',
      (response, { id }) => response.writeHead(200, { 'content-type': 'Text/Event-Stream; charset=x' }).end(event(resultOf(id))),
    ],
  ])('%s', async (_what, tool) => {
    const { to } = await reach(tool);
    expect(await call(to)).toEqual({ value: 'ok' });
    expect(await call(to)).toEqual({ value: 'ok' });
  });

  it('that arrives byte by byte is complete', async () => {
    const { to } = await reach(async (response, { id }) => {
      for (const byte of Buffer.from(event(resultOf(id, 'Grüße 日本 🎈')))) {
        if (!response.headersSent) events(response);
        response.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    expect(await call(to)).toEqual({ value: 'Grüße 日本 🎈' });
  });

  it('frees its connection if the server leaves the stream open', async () => {
    let closed = 0;
    const { to } = await reach((response, { id }) => {
      events(response).write(event(resultOf(id)));
      response.on('close', () => closed++);
    });
    expect(await call(to)).toEqual({ value: 'ok' });
    await vi.waitFor(() => expect(closed).toBe(1), 5000);
  });
});

describe('a notification', () => {
  const tool: Tool = (response, { id }) => answer(response, resultOf(id));
  it('is accepted once the status says so, whatever follows', async () => {
    const { to } = await reach({ tool, notified: (response) => void events(response) });
    await to.notify('notifications/x');
    expect(await call(to)).toEqual({ value: 'ok' });
  });

  it('that the server does not accept in time ends the handshake', async () => {
    const handshake = rejection(reach({ tool, notified: () => {} }, { timeoutMs: 100 }));
    expect(await handshake).toMatchObject({ code: 'HANDSHAKE_TIMEOUT' });
  });

  it('in flight is dropped when the connection is closed', async () => {
    let notifications = 0;
    const { to } = await reach({ tool, notified: (response) => void (notifications++ === 0 && response.writeHead(202).end()) });
    const pending = rejection(to.notify('notifications/x'));
    await vi.waitFor(() => expect(notifications).toBe(2));
    await to.close();
    expect(await pending).toMatchObject({ code: 'CONNECTION_CLOSED' });
  });

  it('that is refused rejects', async () => {
    let notifications = 0;
    const { to } = await reach({ tool, notified: (response) => void response.writeHead(notifications++ === 0 ? 202 : 400).end('no') });
    expect(await rejection(to.notify('notifications/x'))).toMatchObject({ code: 'HTTP_STATUS', status: 400 });
  });
});

describe('a redirect', () => {
  const redirecting = (status: number, location: string): Tool => {
    let isFirst = true;
    return (response, { id }) => {
      if (isFirst) response.writeHead(status, { location }).end();
      else answer(response, resultOf(id));
      isFirst = false;
    };
  };

  it.each([307, 308])('of status %d within the host is followed, and remembered', async (status) => {
    const { to, web } = await reach(redirecting(status, '/elsewhere'));
    expect(await call(to)).toEqual({ value: 'ok' });
    expect(await call(to)).toEqual({ value: 'ok' });
    expect(web.posted.filter(({ method }) => method === 'tools/call')).toHaveLength(3);
  });

  it.each([
    [302, '/elsewhere'],
    [307, 'http://127.0.0.2:9/'],
    [307, 'http://'],
    [308, 'file:///etc/passwd'],
  ])('of status %d to %s is not followed', async (status, location) => {
    const { to } = await reach(redirecting(status, location));
    expect(await rejection(call(to))).toMatchObject({ code: 'HTTP_STATUS', status });
  });

  it('without end is given up', async () => {
    const { to } = await reach((response) => response.writeHead(307, { location: '/again' }).end());
    expect(await rejection(call(to))).toMatchObject({ code: 'HTTP_STATUS', status: 307 });
  });
});

describe('headers', () => {
  it('are those of the configuration and of the protocol', async () => {
    const { to, web } = await reach((response, { id }) => answer(response, resultOf(id)));
    await call(to);
    const [first, , last] = web.posted.map(({ headers }) => headers);
    expect(first).toMatchObject({ authorization: 'Bearer t', accept: 'application/json, text/event-stream' });
    expect(first).not.toHaveProperty('mcp-protocol-version');
    expect(last).toMatchObject({ authorization: 'Bearer t', 'mcp-protocol-version': '2025-11-25' });
    expect(last).not.toHaveProperty('mcp-method');
  });

  it('of the modern era are taken from the given tool, the last list, or a new list when the server refuses', async () => {
    let refuse = true;
    const { to, web } = await reach(
      (response, { id }) => {
        if (refuse) answer(response, { jsonrpc: '2.0', id, error: { code: -32_020, message: 'Header mismatch' } }, 400);
        else answer(response, resultOf(id));
        refuse = false;
      },
      { eras: ['modern'] },
    );
    const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
    expect(await call(to, { region: 'eu' }, { inputSchema })).toEqual({ value: 'ok' });
    const methods = web.posted.map(({ method }) => method);
    expect(methods).toEqual(['server/discover', 'tools/call', 'tools/list', 'tools/call']);
    expect(web.posted[1]?.headers).toMatchObject({ 'mcp-method': 'tools/call', 'mcp-name': 'tool', 'mcp-param-region': 'eu' });
  });
});

describe('the standalone stream', () => {
  it('is reopened where it ended, and receives messages that belong to no request', async () => {
    const places: unknown[] = [];
    const heard: unknown[] = [];
    const stream: Behaviour['stream'] = (response, request) => {
      places.push(request.headers['last-event-id']);
      const message = { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { turn: places.length } };
      events(response).write(`retry: 10\n${event(message, `place-${places.length}`)}`);
      if (places.length < 3) response.end();
    };
    const onNotification = (_method: string, params: JsonObject): void => void heard.push(params['turn']);
    await reach({ tool: () => {}, stream }, { listen: true, onNotification });
    await vi.waitFor(() => expect(heard).toEqual([1, 2, 3]));
    expect(places).toEqual([undefined, 'place-1', 'place-2']);
  });

  it('that is refused is not requested again, and the connection works without it', async () => {
    const { to } = await reach((response, { id }) => answer(response, resultOf(id)), { listen: true });
    expect(await call(to)).toEqual({ value: 'ok' });
  });
});
