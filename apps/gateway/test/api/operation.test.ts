/** Health, readiness, upstreams, limits, and the end. */
import { createRedactor } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { answerHealth } from '../../src/api/health.ts';
import { createApi } from '../../src/api/api.ts';
import type { UpstreamFacts } from '../../src/api/parts.ts';
import { createKit, plan, sentEvents, until } from './kit.ts';

const echo = { call_id: 'a', tool_id: 'echo' };
const wait = { call_id: 'w', tool_id: 'wait' };

const upstream = (name: string, state: UpstreamFacts['status']['state'], more: object = {}): UpstreamFacts => ({
  name,
  status: { state, restarts: 0, failures: 0, ...more },
});

describe('readiness', () => {
  test('is given while one upstream is up', async () => {
    const kit = createKit({ upstreams: () => [upstream('a', 'down'), upstream('b', 'up')] });
    expect(await kit.get('/readyz')).toMatchObject({
      status: 200,
      body: {
        ready: true,
        upstreams: [
          { name: 'a', state: 'down' },
          { name: 'b', state: 'up' },
        ],
      },
    });
  });

  test('ends when all upstreams are down, but not for idle ones', async () => {
    const down = createKit({ upstreams: () => [upstream('a', 'down'), upstream('b', 'closed')] });
    const answer = await down.get('/readyz');
    expect(answer).toMatchObject({ status: 503, body: { ready: false, problems: ['All upstreams are down.'] } });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect((await createKit({ upstreams: () => [upstream('a', 'idle')] }).get('/readyz')).status).toBe(200);
  });

  test('continues when the store accepts no events: calls run, and all gateways share the store', async () => {
    const store = { status: () => ({ ok: false, dropped: 3, problem: 'cannot write postgres://me:hunter22@host/db' }) };
    const answer = answerHealth(new Request('http://gateway.test/readyz'), { store, redact: createRedactor() });
    expect(answer?.status).toBe(200);
    const text = (await answer?.text()) ?? '';
    expect(JSON.parse(text)).toMatchObject({
      ready: true,
      store: { ok: false, dropped: 3 },
      problems: [],
      degraded: [expect.stringContaining('does not accept events')],
    });
    expect(text).not.toContain('hunter22');
  });

  test('ends when it drains', async () => {
    expect((await createKit({ isDraining: () => true }).get('/readyz')).status).toBe(503);
    expect((await createKit({ isDraining: () => false }).get('/readyz')).status).toBe(200);
  });

  test('does not affect health', async () => {
    const kit = createKit({ isDraining: () => true, upstreams: () => [upstream('a', 'down')] });
    expect((await kit.get('/healthz')).status).toBe(200);
    expect((await kit.get('/readyz')).status).toBe(503);
    expect((await createKit({ isDraining: () => true }).get('/readyz')).status).toBe(503);
  });

  test('answers GET and HEAD at its own paths only', async () => {
    const at = (method: string, path: string) => answerHealth(new Request(`http://gateway.test${path}`, { method }), {});
    expect(at('GET', '/healthz')?.status).toBe(200);
    expect(at('HEAD', '/readyz')?.status).toBe(200);
    expect(at('POST', '/healthz')?.status).toBe(405);
    expect(at('POST', '/healthz')?.headers.get('allow')).toBe('GET, HEAD');
    expect(at('GET', '/')).toBeUndefined();
    expect(at('GET', '/healthz/')).toBeUndefined();
  });
});

test('health is answered without Hono and Zod', async () => {
  const { readFileSync } = await import('node:fs');
  const source = readFileSync(new URL('../../src/api/health.ts', import.meta.url), 'utf8');
  const imports = [...source.matchAll(/^import (type )?.* from '([^']+)';$/gm)].map(([, kind, path]) => `${kind ?? ''}${path}`);
  for (const path of imports) expect(path === './problem.ts' || path.startsWith('type ')).toBe(true);
});

test('upstreams are listed with the output of their server, redacted', async () => {
  const secret = `ghp_${'a1b2c3d4e5'.repeat(4)}`;
  const facts = upstream('files', 'down', {
    pid: 7,
    protocolVersion: '2025-11-25',
    serverName: 'fs',
    serverVersion: '1.0.0',
    lastError: `no ${secret}`,
    retryAfterMs: 5,
    stderrTail: `token ${secret}`,
  });
  const { text, body } = await createKit({ upstreams: () => [facts] }).get('/v1/upstreams');
  expect(body).toMatchObject({
    upstreams: [{ name: 'files', state: 'down', pid: 7, protocol_version: '2025-11-25', server_name: 'fs', retry_after_ms: 5 }],
  });
  expect(text).not.toContain(secret);
  expect((await createKit().get('/v1/upstreams')).body).toEqual({ upstreams: [] });
});

describe('limits', () => {
  test('of running turns and calls are enforced, and freed', async () => {
    const kit = createKit({ limits: { runningTurns: 2, runningCalls: 1 } });
    const running = [
      kit.post('/v1/turns', plan('1', wait)),
      kit.post('/v1/turns', plan('2', wait)),
      kit.post('/v1/calls', { tool_id: 'wait' }),
    ];
    await until(() => kit.calls.length === 3);
    const turn = await kit.post('/v1/turns', plan('3', echo));
    expect(turn).toMatchObject({ status: 429, body: { error: { code: 'TOO_MANY_TURNS', hint: 'Retry after 1 s.' } } });
    expect(turn.headers.get('retry-after')).toBe('1');
    expect(await kit.post('/v1/calls', { tool_id: 'echo' })).toMatchObject({ status: 429, body: { error: { code: 'TOO_MANY_CALLS' } } });
    expect((await kit.post('/v1/turns?wait=false', plan('1', wait))).status).toBe(202);
    kit.waiting.open();
    await Promise.all(running);
    expect((await kit.post('/v1/turns', plan('3', echo))).status).toBe(200);
    expect((await kit.post('/v1/calls', { tool_id: 'echo' })).status).toBe(200);
  });

  test('of bodies are enforced whatever the headers declare', async () => {
    const kit = createKit({ limits: { bodyBytes: 1_000 } });
    const endless = (): ReadableStream<Uint8Array> =>
      new ReadableStream({ pull: (controller) => controller.enqueue(new TextEncoder().encode(' '.repeat(100))) });
    for (const headers of [{}, { 'content-length': '10' }]) {
      const answer = await kit.post('/v1/calls', endless(), { headers });
      expect(answer).toMatchObject({ status: 413, body: { error: { code: 'BODY_TOO_LARGE', allowed: 'at most 1000 bytes' } } });
    }
  });

  test('that are invalid are refused by name', () => {
    const { service } = createKit();
    expect(() => createApi({ service, limits: { streams: 0 } })).toThrow(
      new RangeError('createApi: limits.streams is 0; use a number above 0.'),
    );
  });
});

describe('bodies', () => {
  test.each([
    [{ 'content-type': 'text/plain' }, 'UNSUPPORTED_MEDIA_TYPE'],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, 'UNSUPPORTED_MEDIA_TYPE'],
    [{ 'content-type': 'application/yaml' }, 'UNSUPPORTED_MEDIA_TYPE'],
    [{ 'content-encoding': 'gzip' }, 'UNSUPPORTED_ENCODING'],
  ])('with %j are refused', async (headers, code) => {
    expect(await createKit().post('/v1/calls', '{"tool_id":"echo"}', { headers: headers as Record<string, string> })).toMatchObject({
      status: 415,
      body: { error: { code } },
    });
  });

  test('with any JSON media type are read', async () => {
    for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/vnd.mine+json'])
      expect((await createKit().post('/v1/calls', '{"tool_id":"echo"}', { headers: { 'content-type': type } })).status).toBe(200);
  });

  test('that are not UTF-8, or incomplete, are refused', async () => {
    const kit = createKit();
    expect(await kit.post('/v1/calls', new Uint8Array([0x7b, 0xff, 0x7d]))).toMatchObject({
      status: 400,
      body: { error: { code: 'ENCODING' } },
    });
    const broken = new ReadableStream({ start: (controller) => controller.error(new Error('reset')) });
    expect(await kit.post('/v1/calls', broken)).toMatchObject({ status: 400, body: { error: { code: 'BODY_BROKEN' } } });
  });

  test('with brackets in strings are not nested', async () => {
    const text = `${'['.repeat(500)}\\"${'{'.repeat(500)}`;
    const { body } = await createKit().post('/v1/calls', { tool_id: 'echo', arguments: { text } });
    expect(body).toMatchObject({ output: { text } });
  });
});

describe('a drain', () => {
  test('lets running work end, refuses new work, and still answers queries', async () => {
    const kit = createKit();
    const turn = kit.post('/v1/turns', plan('one', wait));
    const call = kit.post('/v1/calls', { tool_id: 'wait' });
    await until(() => kit.calls.length === 2);
    const stream = kit.send('GET', '/v1/turns/one/events').then((response) => response.text());
    const drained = kit.api.drain(10_000);
    for (const answer of [await kit.post('/v1/turns', plan('two', echo)), await kit.post('/v1/calls', { tool_id: 'echo' })]) {
      expect(answer).toMatchObject({ status: 503, body: { error: { code: 'DRAINING' } } });
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    expect((await kit.get('/v1/turns/one')).body).toMatchObject({ state: 'running' });
    expect((await kit.post('/v1/turns?wait=false', plan('one', wait))).status).toBe(202);
    kit.waiting.open();
    await drained;
    expect((await turn).body).toMatchObject({ outcome: 'success' });
    expect((await call).body).toMatchObject({ status: 'success' });
    expect(sentEvents(await stream).at(-1)).toMatchObject({ event: 'end', data: { outcome: 'success' } });
    expect((await kit.post('/v1/turns', plan('one', wait))).status).toBe(200);
  });

  test('cancels running work at its limit, and disconnects readers', async () => {
    const kit = createKit();
    const foreign = kit.service.executeTurn({ turnId: 'foreign', calls: [{ callId: 'w', toolName: 'wait' }] });
    const turn = kit.post('/v1/turns', plan('one', wait));
    const call = kit.post('/v1/calls', { tool_id: 'wait' });
    await until(() => kit.calls.length === 3);
    const stream = kit.send('GET', '/v1/turns/foreign/events').then((response) => response.text());
    await new Promise((resolve) => setTimeout(resolve, 20));
    await kit.api.drain(10);
    expect((await turn).body).toMatchObject({ outcome: 'cancelled' });
    expect((await call).body).toMatchObject({ error: { code: 'CANCELLED' } });
    expect(sentEvents(await stream).at(-1)).toMatchObject({ event: 'resume', data: { reason: 'draining' } });
    kit.waiting.open();
    await foreign;
  });
});
