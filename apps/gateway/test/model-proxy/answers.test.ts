/** Bodies to the provider, answers to the client, and errors if there is no answer. */
import { createServer } from 'node:http';
import { createRedactor } from '@holdfast/core';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type Answer,
  configuredKey,
  entryOf,
  gatewayOf,
  listening,
  type Listening,
  ok,
  type Scene,
  type SceneOptions,
  sceneWith,
} from './scene.ts';

const open: { readonly close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function start(answer: Answer, options: Omit<SceneOptions, 'provider'> = {}): Promise<Scene> {
  const made = await sceneWith(answer, options);
  open.push(made);
  return made;
}

describe('bodies', () => {
  const large = 300_000;

  test('a file is streamed unchanged', async () => {
    let firstBytes: (() => void) | undefined;
    const begun = new Promise<void>((resolve) => (firstBytes = resolve));
    const { url, arrivals } = await start((incoming, outgoing) => {
      incoming.once('data', () => firstBytes?.());
      ok(incoming, outgoing);
    });
    const piece = Buffer.alloc(100_000, 'ab');
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(piece);
        await begun;
        controller.enqueue(piece);
        controller.close();
      },
    });
    const response = await fetch(`${url}/openai/v1/files`, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': 'application/octet-stream' },
    } as RequestInit);
    expect(response.status).toBe(200);
    expect(arrivals[0]?.body).toBe(piece.toString().repeat(2));
  });

  test.each(['DELETE', 'POST', 'PUT'])('none stays none: %s', async (method) => {
    const { url, arrivals } = await start(ok);
    expect((await fetch(`${url}/openai/v1/files/f1`, { method })).status).toBe(200);
    expect(arrivals[0]?.headers['transfer-encoding']).toBeUndefined();
    expect(arrivals[0]).toMatchObject({ method, body: '' });
  });

  /** An endless stream. */
  const endless = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      pull: async (controller) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        controller.enqueue(Buffer.alloc(64 * 1_024, 'a'));
      },
    });
  const upload = (url: string, signal?: AbortSignal): Promise<Response> =>
    fetch(`${url}/openai/v1/files`, {
      method: 'POST',
      body: endless(),
      duplex: 'half',
      headers: { 'content-type': 'application/octet-stream' },
      ...(signal ? { signal } : {}),
    } as RequestInit);

  test('an upload that the provider aborts is answered or aborted; the gateway continues to serve', async () => {
    let received = 0;
    const { url } = await start((incoming, outgoing) => {
      if (incoming.method === 'GET') return ok(incoming, outgoing);
      incoming.on('data', (piece: Buffer) => {
        received += piece.length;
        if (received > 300_000) incoming.socket.destroy();
      });
    });
    const status = await upload(url).then(
      (response) => response.status,
      () => 502,
    );
    expect(status).toBe(502);
    expect((await fetch(`${url}/openai/v1/models`)).status).toBe(200);
  });

  test('an upload that the client aborts is aborted at the provider too', async () => {
    let gone: (() => void) | undefined;
    let begun: (() => void) | undefined;
    const closed = new Promise<void>((resolve) => (gone = resolve));
    const arrived = new Promise<void>((resolve) => (begun = resolve));
    const { url } = await start((incoming, outgoing) => {
      if (incoming.method === 'GET') return ok(incoming, outgoing);
      incoming.once('data', () => begun?.());
      incoming.on('error', () => undefined);
      incoming.on('close', () => gone?.());
      incoming.resume();
    });
    const controller = new AbortController();
    const pending = upload(url, controller.signal);
    await arrived;
    controller.abort();
    await expect(pending).rejects.toMatchObject({ name: 'AbortError' });
    await closed;
    expect((await fetch(`${url}/openai/v1/models`)).status).toBe(200);
  });

  test('a form keeps its boundary and its length', async () => {
    const { url, arrivals } = await start(ok, { settings: { maxBodyBytes: 100 } });
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob(['x'.repeat(large)]), 'a.jsonl');
    expect((await fetch(`${url}/openai/v1/files`, { method: 'POST', body: form })).status).toBe(200);
    expect(arrivals[0]?.body).toContain('x'.repeat(large));
    expect(Number(arrivals[0]?.headers['content-length'])).toBe(arrivals[0]?.body.length);
  });

  test.each([
    ['declared', (text: string) => text],
    ['not declared', (text: string) => new Blob([text]).stream()],
  ])('JSON beyond the limit is refused, its length %s', async (_name, bodyOf) => {
    const { url, arrivals } = await start(ok, { settings: { maxBodyBytes: 200_000 } });
    const body = bodyOf(JSON.stringify({ model: 'm', messages: [], text: 'x'.repeat(large) }));
    const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'application/json' } } as RequestInit;
    const response = await fetch(`${url}/anthropic/v1/messages`, init);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'request_too_large' } });
    expect(arrivals).toEqual([]);
  });
});

describe('answers', () => {
  test('a redirect is neither followed nor forwarded', async () => {
    const { url, arrivals } = await start((_incoming, outgoing) => outgoing.writeHead(307, { location: 'http://evil.example/' }).end());
    const response = await fetch(`${url}/openai/v1/models`, { redirect: 'manual' });
    expect(response.status).toBe(502);
    expect(response.headers.get('location')).toBeNull();
    expect(await response.text()).not.toContain('evil.example');
    expect(arrivals).toHaveLength(1);
  });

  test('an error that contains the configured key is redacted', async () => {
    const { url } = await start((_incoming, outgoing) => {
      const body = JSON.stringify({ error: { message: `Incorrect API key provided: ${configuredKey}.`, code: 'invalid_api_key' } });
      outgoing
        .writeHead(401, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'www-authenticate': 'Bearer' })
        .end(body);
    });
    const response = await fetch(`${url}/openai/v1/models`);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: { message: 'Incorrect API key provided: [redacted].', code: 'invalid_api_key' } });
  });

  test('a stream is forwarded in parts, and aborted when the client disconnects', async () => {
    let next: (() => void) | undefined;
    let gone: (() => void) | undefined;
    const closed = new Promise<void>((resolve) => (gone = resolve));
    const { url } = await start((incoming, outgoing) => {
      incoming.resume();
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      outgoing.write('data: {"a":1}\n\n');
      next = () => outgoing.write('data: {"a":2}\n\n');
      outgoing.on('close', () => gone?.());
    });
    const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] });
    const controller = new AbortController();
    const { signal } = controller;
    const response = await fetch(`${url}/openai/v1/chat/completions`, {
      method: 'POST',
      body,
      signal,
      headers: { 'content-type': 'application/json' },
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const text = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
    expect(await text()).toBe('data: {"a":1}\n\n');
    next?.();
    expect(await text()).toBe('data: {"a":2}\n\n');
    controller.abort();
    await closed;
  });

  test('a client that disconnects before the answer aborts the request', async () => {
    let gone: (() => void) | undefined;
    let there: (() => void) | undefined;
    const closed = new Promise<void>((resolve) => (gone = resolve));
    const arrived = new Promise<void>((resolve) => (there = resolve));
    const { url } = await start((incoming, outgoing) => {
      incoming.resume();
      outgoing.on('close', () => gone?.());
      there?.();
    });
    const controller = new AbortController();
    const pending = fetch(`${url}/openai/v1/models`, { signal: controller.signal });
    await arrived;
    controller.abort();
    await expect(pending).rejects.toMatchObject({ name: 'AbortError' });
    await closed;
  });

  test('a slow reader causes backpressure at the provider', async () => {
    let written = 0;
    const piece = Buffer.alloc(64 * 1_024, 'x');
    const { url } = await start((incoming, outgoing) => {
      incoming.resume();
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      const write = (): void => {
        while (!outgoing.destroyed && written < 200 * 1_024 * 1_024) {
          written += piece.length;
          if (!outgoing.write(piece)) return void outgoing.once('drain', write);
        }
        outgoing.end();
      };
      write();
    });
    const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] });
    const controller = new AbortController();
    const { signal } = controller;
    const response = await fetch(`${url}/openai/v1/chat/completions`, {
      method: 'POST',
      body,
      signal,
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(200);
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(written).toBeLessThan(60 * 1_024 * 1_024);
    controller.abort();
  });
});

describe('a provider that fails', () => {
  const rooms = [
    ['openai/v1/models', { error: { message: expect.any(String) as string, type: 'server_error', param: null } }],
    ['anthropic/v1/models', { type: 'error', error: { message: expect.any(String) as string } }],
    ['gemini/v1beta/models', { error: { message: expect.any(String) as string, code: expect.any(Number) as number } }],
  ] as const;

  test.each(rooms)('is down: %s', async (path, shape) => {
    const provider: Listening = await listening(createServer(ok));
    await provider.close();
    const models = { openai: entryOf(`${provider.url}/v1`), anthropic: entryOf(provider.url), gemini: entryOf(provider.url) };
    const gateway = await gatewayOf({ models, redact: createRedactor() });
    open.push(gateway);
    const response = await fetch(`${gateway.url}/${path}`);
    expect(response.status).toBe(502);
    const body = (await response.json()) as { readonly error: { readonly message: string } };
    expect(body).toMatchObject(shape);
    expect(body.error.message).toMatch(/^127\.0\.0\.1:\d+ refuses connections\.$/);
  });

  test.each(rooms)('does not answer in time: %s', async (path, shape) => {
    const { url } = await start((incoming) => void incoming.resume(), { settings: { answerTimeoutMs: 100 } });
    const response = await fetch(`${url}/${path}`);
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject(shape);
  });

  test('closes the connection instead of answering', async () => {
    const { url } = await start((incoming) => void incoming.socket.destroy());
    expect((await fetch(`${url}/openai/v1/models`)).status).toBe(502);
  });

  test('stops in the middle of a stream: the end is not added', async () => {
    const { url } = await start((incoming, outgoing) => {
      incoming.resume();
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      outgoing.write('data: {}\n\n', () => outgoing.destroy());
    });
    const response = await fetch(`${url}/openai/v1/things`);
    await expect(response.text()).rejects.toMatchObject({ message: 'terminated' });
  });

  test('has no configured key', async () => {
    const { url, arrivals } = await start(ok, { entry: { apiKey: { env: 'HOLDFAST_TEST_NOT_SET' } } });
    const response = await fetch(`${url}/openai/v1/models`);
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([500, 'false']);
    expect(await response.text()).toContain('HOLDFAST_TEST_NOT_SET');
    expect(arrivals).toEqual([]);
  });

  test('is not configured, or is called with a method that is not forwarded', async () => {
    const gateway = await gatewayOf({ models: {}, redact: createRedactor() });
    open.push(gateway);
    expect((await fetch(`${gateway.url}/openai/v1/models`)).status).toBe(404);
    const { proxy } = await start(ok);
    expect((await proxy.fetch(new Request('http://gateway/', { method: 'OPTIONS' }), '/openai/v1/models')).status).toBe(405);
  });
});
