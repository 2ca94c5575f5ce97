/** What is sent to the provider: URLs, headers, never a credential of the client. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { createRedactor } from '@holdfast/core';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type Answer,
  clientKey,
  configuredKey,
  entryOf,
  gatewayOf,
  listening,
  ok,
  scene,
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

/** Sends a path that a URL class would normalize. */
async function rawGet(
  base: string,
  target: string,
  headers: Record<string, string> = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const { hostname, port } = new URL(base);
  const sending = httpRequest({ hostname, port, path: target, headers });
  sending.end();
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of answer.setEncoding('utf8')) text += piece as string;
  return { status: answer.statusCode ?? 0, text };
}

describe('credentials of the client', () => {
  const given = {
    authorization: `Bearer ${clientKey}`,
    'x-api-key': clientKey,
    'x-goog-api-key': clientKey,
    'api-key': clientKey,
    cookie: `session=${clientKey}`,
    'proxy-authorization': `Basic ${clientKey}`,
    'x-auth-token': clientKey,
    'ocp-apim-subscription-key': clientKey,
    'x-amz-security-token': clientKey,
  };

  test.each(['openai/v1', 'anthropic/v1', 'gemini/v1beta'])('are never sent, for %s', async (root) => {
    const { url, arrivals } = await start(ok);
    const query = `?key=${clientKey}&alt=sse&KEY=${clientKey}&api_key=${clientKey}&access_token=${clientKey}&%6bey=${clientKey}&pageToken=a%2Fb+c`;
    const response = await fetch(`${url}/${root}/things${query}`, {
      headers: { ...given, 'anthropic-beta': 'x-1', 'idempotency-key': 'i-1' },
    });
    expect(response.status).toBe(200);
    expect(JSON.stringify(arrivals)).not.toContain(clientKey);
    expect(arrivals[0]?.url).toMatch(/\/things\?alt=sse&pageToken=a%2Fb\+c$/);
    expect(arrivals[0]?.headers).toMatchObject({ 'anthropic-beta': 'x-1', 'idempotency-key': 'i-1' });
  });

  test('are not sent without a configured key either', async () => {
    const provider = await listening(createServer(ok));
    const made = await scene({ provider });
    const bare = await gatewayOf({
      models: { openai: { baseUrl: `${made.providerUrl}/v1`, headers: {}, repair: true, validate: true } },
      redact: createRedactor(),
    });
    open.push(made, bare);
    await fetch(`${bare.url}/openai/v1/models`, { headers: given });
    expect(made.arrivals[0]?.headers['authorization']).toBeUndefined();
    expect(JSON.stringify(made.arrivals)).not.toContain(clientKey);
  });

  test('configured headers override the client’s', async () => {
    const { url, arrivals } = await start(ok, {
      entry: { headers: { 'x-org': 'example', 'api-key': { env: 'HOLDFAST_TEST_MODEL_KEY' } } },
    });
    await fetch(`${url}/openai/v1/models`, { headers: { 'x-org': 'theirs', 'api-key': clientKey } });
    expect(arrivals[0]?.headers).toMatchObject({ 'x-org': 'example', 'api-key': configuredKey });
  });
});

describe('headers', () => {
  test('of a connection, of the client’s environment and of web pages are not forwarded', async () => {
    const { url, arrivals } = await start((incoming, outgoing) => {
      outgoing.setHeader('set-cookie', ['a=1', 'b=2']);
      outgoing.setHeader('connection', 'x-hop, keep-alive');
      outgoing.setHeader('x-hop', 'mine');
      outgoing.setHeader('access-control-allow-origin', '*');
      outgoing.setHeader('strict-transport-security', 'max-age=1');
      outgoing.setHeader('x-echo', incoming.headers['authorization'] ?? '');
      outgoing.setHeader('x-request-id', 'r-1');
      outgoing.setHeader('retry-after-ms', '5');
      outgoing.end('{}');
    });
    const { hostname, port } = new URL(url);
    const headers = {
      connection: 'x-mine, close',
      'x-mine': '1',
      te: 'trailers',
      referer: 'http://a',
      'x-forwarded-for': '1.2.3.4',
      via: '1.1 a',
    };
    const sending = httpRequest({ hostname, port, path: '/openai/v1/models', headers });
    sending.end();
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    answer.resume();
    const names = Object.keys(arrivals[0]?.headers ?? {});
    for (const name of ['x-mine', 'te', 'referer', 'x-forwarded-for', 'via']) expect(names).not.toContain(name);
    expect(arrivals[0]?.headers['host']).toMatch(/^127\.0\.0\.1:\d+$/);
    for (const name of ['set-cookie', 'x-hop', 'access-control-allow-origin', 'strict-transport-security', 'x-echo'])
      expect(answer.headers[name]).toBeUndefined();
    expect(answer.headers).toMatchObject({ 'x-request-id': 'r-1', 'retry-after-ms': '5' });
  });

  test('an answer that is compressed nevertheless arrives decompressed and complete', async () => {
    const text = JSON.stringify({ data: 'ü'.repeat(5_000) });
    const { url, arrivals } = await start((_incoming, outgoing) => {
      outgoing.setHeader('content-type', 'application/json');
      outgoing.setHeader('content-encoding', 'gzip');
      outgoing.end(gzipSync(text));
    });
    const response = await fetch(`${url}/openai/v1/models`);
    expect(arrivals[0]?.headers['accept-encoding']).toBe('identity');
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(await response.text()).toBe(text);
  });

  test('no content, not modified and HEAD have no body', async () => {
    const { url } = await start((incoming, outgoing) => {
      const status = Number(/\d{3}$/.exec(incoming.url ?? '')?.[0] ?? 200);
      outgoing
        .writeHead(status, { etag: '"1"', ...(status === 200 ? { 'content-length': '5' } : {}) })
        .end(status === 200 ? 'hello' : undefined);
    });
    for (const status of [204, 304]) expect((await fetch(`${url}/openai/v1/x/${status}`)).status).toBe(status);
    const head = await fetch(`${url}/openai/v1/files`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '5', '']);
  });
});

describe('addresses', () => {
  test.each([
    '/openai/v1/../../admin',
    '/openai/v1/%2e%2e/%2e%2e/admin',
    '/openai/v1/..%2f..%2fadmin',
    '/openai/v1/%252e%252e%252fadmin',
    '/openai/v1/..%5c..%5cadmin',
    '/openai/v1/..;/admin',
    '/openai/v1/a%00b',
    '/openai/v1/a%0d%0ax-evil:1',
    '/openai/v2/models',
    '/openai/admin',
    '/openai',
    '/anthropicx/v1',
    '//evil.example/openai/v1',
    '/',
  ])('%s has no target', async (path) => {
    const { proxy, arrivals } = await start(ok);
    const response = await proxy.fetch(new Request('http://gateway/'), path);
    expect([400, 404]).toContain(response.status);
    expect(arrivals).toEqual([]);
    expect(await response.json()).toMatchObject({ error: { message: expect.any(String) as string } });
  });

  test.each([
    ['/openai/v1//evil.example/x', '/v1//evil.example/x'],
    ['/openai/v1/@evil.example/x', '/v1/@evil.example/x'],
    ['/openai/v1/http://evil.example/', '/v1/http://evil.example/'],
    ['/openai/v1/models/org%2Fname', '/v1/models/org%2Fname'],
    ['/openai/v1/models/a?b#c', '/v1/models/a%3Fb%23c'],
    ['/gemini/v1beta/models/gemini-x:countTokens', '/v1beta/models/gemini-x:countTokens'],
    ['/anthropic', '/'],
  ])('%s stays below the base URL', async (path, arrived) => {
    const { proxy, arrivals } = await start(ok);
    expect((await proxy.fetch(new Request('http://gateway/'), path)).status).toBe(200);
    expect(arrivals.map(({ url }) => url)).toEqual([arrived]);
  });

  test('the absolute form and a foreign host reach the configured provider', async () => {
    const { url, arrivals } = await start(ok);
    const { status } = await rawGet(url, 'http://evil.example/openai/v1/models', { host: 'evil.example' });
    expect(status).toBeLessThan(500);
    expect(arrivals.every(({ headers }) => headers.host?.startsWith('127.0.0.1') === true)).toBe(true);
  });

  test('a base URL with a version and a query', async () => {
    const made = await scene({ provider: await listening(createServer(ok)) });
    const gateway = await gatewayOf({
      models: { anthropic: entryOf(`${made.providerUrl}/claude/v1/?tenant=7`), gemini: entryOf(`${made.providerUrl}/g`) },
      redact: createRedactor(),
    });
    open.push(made, gateway);
    await fetch(`${gateway.url}/anthropic/v1/models?limit=2`);
    await fetch(`${gateway.url}/gemini/v1beta/models`);
    expect(made.arrivals.map(({ url }) => url)).toEqual(['/claude/v1/models?tenant=7&limit=2', '/g/v1beta/models']);
  });

  test.each(['ftp://a', 'nonsense', 'https://user:hunter22@a.example'])('a base URL such as %s is rejected', (baseUrl) => {
    const make = (): Promise<unknown> => gatewayOf({ models: { openai: entryOf(baseUrl) }, redact: createRedactor() });
    return expect(make()).rejects.toSatisfy((error: Error) => error instanceof TypeError && !error.message.includes('hunter22'));
  });
});
