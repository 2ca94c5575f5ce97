/** Answers over HTTP that are too long, that break off, and that are no longer needed. */
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/client/index.ts';
import { rejection } from './support/connections.ts';
import { type Behaviour, type Tool, answer, call, event, events, reach, resultOf } from './support/hostile-web.ts';

describe('a message over the limit', () => {
  const long = 'x'.repeat(200_000);
  it.each<readonly [string, Tool]>([
    ['as a document', (response, { id }) => answer(response, resultOf(id, long))],
    [
      'as a document without a length',
      (response, { id }) => void response.writeHead(200, { 'content-type': 'application/json' }).write(JSON.stringify(resultOf(id, long))),
    ],
    ['as an event', (response, { id }) => void events(response).write(event(resultOf(id, long)))],
    [
      'with its length',
      (response) => void response.writeHead(200, { 'content-type': 'application/json', 'content-length': '999999999' }).write('{'),
    ],
  ])('%s fails only its own call', async (_what, tool) => {
    const { to } = await reach((response, asked) =>
      asked.params['arguments'] === undefined || (asked.params['arguments'] as JsonObject)['long'] === true
        ? tool(response, asked)
        : setTimeout(() => answer(response, resultOf(asked.id)), 300),
    );
    const beside = call(to);
    expect(await rejection(call(to, { long: true }))).toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
    expect(await beside).toEqual({ value: 'ok' });
  });

  it('is measured per message: a stream may contain more', async () => {
    const { to } = await reach((response, { id, params }) => {
      const token = (params['_meta'] as JsonObject)['progressToken'];
      events(response);
      for (let progress = 1; progress <= 100; progress++)
        response.write(
          event({
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken: token, progress, message: 'x'.repeat(5000) },
          }),
        );
      response.end(event(resultOf(id)));
    });
    let heard = 0;
    expect(await call(to, {}, { onProgress: () => heard++ })).toEqual({ value: 'ok' });
    expect(heard).toBe(100);
  });
});

describe('a stream that the server closes', () => {
  it('is resumed where it ended, after the requested delay, as often as it has new events', async () => {
    const places: unknown[] = [];
    let id: number | undefined;
    let wentAt = 0;
    let waitedMs: number | undefined;
    const { to, web } = await reach({
      tool(response, asked) {
        ({ id } = asked);
        events(response).end('id: place-0\nretry: 120\ndata:\n\n');
        wentAt = performance.now();
      },
      stream(response, request) {
        waitedMs ??= performance.now() - wentAt;
        places.push(request.headers['last-event-id']);
        events(response).end(places.length < 6 ? `id: place-${places.length}\ndata:\n\n` : event(resultOf(id)));
      },
    });
    expect(await call(to)).toEqual({ value: 'ok' });
    expect(waitedMs).toBeGreaterThanOrEqual(100);
    expect(places).toEqual([0, 1, 2, 3, 4, 5].map((place) => `place-${place}`));
    expect(web.posted.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
  });

  it('is given up when it has no new events', async () => {
    let tries = 0;
    const { to } = await reach({
      tool: (response) => events(response).end('id: place\nretry: 1\ndata:\n\n'),
      stream(response) {
        tries++;
        events(response).end('id: place\ndata:\n\n');
      },
    });
    expect(await rejection(call(to))).toMatchObject({ code: 'ANSWER_LOST' });
    expect(tries).toBe(3);
  });

  it('is not resumed for a cancelled call, nor in the modern era', async () => {
    let gets = 0;
    const behaviour: Behaviour = {
      tool: (response) => events(response).end('id: place\nretry: 50\ndata:\n\n'),
      stream(response) {
        gets++;
        events(response);
      },
    };
    const { to } = await reach(behaviour);
    expect(await rejection(call(to, {}, { signal: AbortSignal.timeout(20) }))).toMatchObject({ name: 'TimeoutError' });
    const { to: modern } = await reach(behaviour, { eras: ['modern'] });
    expect(await rejection(call(modern))).toMatchObject({ code: 'ANSWER_LOST' });
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(gets).toBe(0);
  });
});

describe('a cancelled call', () => {
  it('is sent to a legacy server, and its stream is closed afterwards', async () => {
    const received: string[] = [];
    const { to, web } = await reach((response) => {
      events(response);
      response.on('close', () => received.push(`closed after ${web.posted.at(-1)?.method}`));
    });
    const controller = new AbortController();
    const pending = rejection(call(to, {}, { signal: controller.signal }));
    await vi.waitFor(() => expect(web.posted.at(-1)?.method).toBe('tools/call'));
    controller.abort(new Error('enough'));
    expect(await pending).toMatchObject({ message: 'enough' });
    await vi.waitFor(() => expect(received).toEqual(['closed after notifications/cancelled']));
    const { id } = web.posted.find(({ method }) => method === 'tools/call') ?? {};
    expect(web.posted.at(-1)?.params).toEqual({ requestId: id });
    await to.cancelsDelivered();
  });

  it('is signalled to a modern server only by closing its stream', async () => {
    let closed = 0;
    const { to, web } = await reach((response) => void events(response).on('close', () => closed++), { eras: ['modern'] });
    const controller = new AbortController();
    const pending = rejection(call(to, {}, { signal: controller.signal }));
    await vi.waitFor(() => expect(web.posted.at(-1)?.method).toBe('tools/call'));
    controller.abort();
    await pending;
    await vi.waitFor(() => expect(closed).toBe(1));
    expect(web.posted.map(({ method }) => method)).toEqual(['server/discover', 'tools/call']);
  });

  it('is not sent if it was cancelled before', async () => {
    const { to, web } = await reach((response, { id }) => answer(response, resultOf(id)));
    await rejection(call(to, {}, { signal: AbortSignal.abort(new Error('early')) }));
    expect(web.posted.map(({ method }) => method)).not.toContain('tools/call');
  });
});
