/** The document is valid and complete: every documented answer is caused here, and matches its schema. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { memoryStore, ToolExecutionService } from '@holdfast/core';
import { sqliteStore } from '@holdfast/store-sqlite';
import { afterAll, expect, test } from 'vitest';
import { createApplication } from '../../src/api/application.ts';
import { createAlertKit, everyAnswer } from '../alerts/every-answer.ts';
import { everyHistory } from './history-answers.ts';
import { everyLogin } from './login-answers.ts';
import { undividedAccess } from '../../src/access/access.ts';
import { createKit, plan, seen, type AnyJson, until } from './kit.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-api-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const echo = { call_id: 'a', tool_id: 'echo', arguments: { x: 1 } };

test('it is a valid OpenAPI 3.1 document', async () => {
  const { body } = await createKit().get('/openapi.json');
  expect(body['openapi']).toMatch(/^3\.1\./);
  expect(await new Validator().validate(body)).toEqual({ valid: true });
});

test('every route is in it, and everything in it is a route', async () => {
  const { body } = await createKit().get('/openapi.json');
  const documented = Object.entries(body['paths'] as Record<string, object>).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const application = createApplication({ api: { service: new ToolExecutionService({ tools: [] }) }, redact: String } as never);
  const registered = new Set(
    application.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
  );
  expect(documented.toSorted()).toEqual([...registered].toSorted());
});

test('every operation has a unique id, a summary and a described tag', async () => {
  const { body } = await createKit().get('/openapi.json');
  const operations = Object.values(body['paths'] as Record<string, Record<string, AnyJson>>).flatMap((path) => Object.values(path));
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  const tags = (body['tags'] as { name: string }[]).map(({ name }) => name);
  for (const { summary, tags: own } of operations) {
    expect(summary).toBeTypeOf('string');
    expect(tags).toContain(own[0]);
  }
});

test('every documented answer is given, and matches its schema', async () => {
  const kit = createKit({ limits: { bodyBytes: 2_000, runningTurns: 1, runningCalls: 1, streams: 1, turnTasks: 1 } });
  const yaml = { 'content-type': 'application/yaml' };
  const text = { 'content-type': 'text/plain' };
  const long = 'x'.repeat(3_000);

  await kit.post('/v1/turns', plan('one', echo));
  await kit.post('/v1/turns', 'turn_id: two\ncalls: [{ call_id: a, tool_id: fail }]', { headers: yaml });
  await kit.post('/v1/turns', '{');
  await kit.post('/v1/turns', plan('one', { ...echo, call_id: 'b' }));
  await kit.post('/v1/turns', plan('large', { ...echo, arguments: long }));
  await kit.post('/v1/turns', 'x', { headers: text });
  await kit.post('/v1/turns', plan('three', { ...echo, tool_id: 'ecko' }));
  await kit.post('/v1/turns?wait=false', plan('four', { call_id: 'a', tool_id: 'wait' }));
  await kit.post('/v1/turns', plan('five', echo));

  const asked = Promise.resolve();
  const silent = createKit({
    catalog: { get: () => undefined, unlisted: () => ({ server: 's', reason: 'down', code: 'MCP_SERVER_DOWN', asked }) },
  });
  await silent.get('/v1/tools/s__who');
  await silent.post('/v1/tools/s__who/circuit', { command: 'open' }, { principal: 'me' });

  await kit.get('/v1/turns');
  await kit.get('/v1/turns?limit=0');
  await kit.get('/v1/turns/one');
  await kit.get('/v1/turns/one?limit=x');
  await kit.get('/v1/turns/none');

  const more = { policy: { retry_policy: { max_attempts: 9 } } };
  await Promise.all([kit.post('/v1/turns/two/what-if', more), kit.post('/v1/turns/two/what-if', more)]);
  await kit.post('/v1/turns/two/what-if?run=x', more);
  await kit.post('/v1/turns/none/what-if', more);
  await kit.post('/v1/turns/four/what-if', more);
  await kit.post('/v1/turns/two/what-if', { policy: long });
  await kit.post('/v1/turns/two/what-if', 'x', { headers: text });
  await kit.post('/v1/turns/two/what-if', { policy: { timeout: 1 } });

  const exported = '/v1/turns/two/export?format';
  await Promise.all([kit.get(`${exported}=otlp`), kit.get(`${exported}=otlp`)]);
  await kit.get(`${exported}=ndjson`);
  await kit.get(`${exported}=x`);
  await kit.get('/v1/turns/none/export?format=chrome');
  const tiny = createKit({ limits: { turnTaskEvents: 1 } });
  await tiny.post('/v1/turns', plan('one', echo));
  await tiny.get('/v1/turns/one/export?format=chrome');

  const open = await kit.send('GET', '/v1/turns/four/events');
  await kit.get('/v1/turns/one/events');
  await open.body?.cancel();
  await kit.get('/v1/turns/one/events');
  await kit.get('/v1/turns/one/events', { headers: { accept: 'application/x-ndjson' } });
  await kit.get('/v1/turns/one/events?after=999');
  await kit.get('/v1/turns/one/events?after=x');
  await kit.get('/v1/turns/none/events');
  await kit.get('/v1/turns/one/events', { headers: { accept: 'image/png' } });

  await kit.post('/v1/turns/four/cancel');
  await kit.post('/v1/turns/none/cancel');
  await kit.post('/v1/turns/one/cancel');

  await kit.post('/v1/calls', { tool_id: 'echo' });
  await kit.post('/v1/calls', '{');
  await kit.post('/v1/calls', { tool_id: 'echo', arguments: long });
  await kit.post('/v1/calls', '{}', { headers: text });
  await kit.post('/v1/calls', {});
  const waiting = kit.post('/v1/calls', { tool_id: 'wait' });
  await new Promise((resolve) => setImmediate(resolve));
  await kit.post('/v1/calls', { tool_id: 'echo' });
  kit.waiting.open();
  await waiting;

  await kit.get('/v1/tools');
  await kit.get('/v1/tools?limit=0');
  await kit.get('/v1/tools/echo');
  await kit.get('/v1/tools/ecko');
  const operator = { principal: 'operator' } as const;
  await kit.post('/v1/tools/echo/circuit', { command: 'open' });
  await kit.post('/v1/tools/echo/circuit', { command: 'open' }, operator);
  await kit.post('/v1/tools/echo/circuit', '{', operator);
  await kit.post('/v1/tools/ecko/circuit', { command: 'open' }, operator);
  await kit.post('/v1/tools/echo/circuit', { command: long }, operator);
  await kit.post('/v1/tools/echo/circuit', '{}', { headers: text, ...operator });
  await kit.post('/v1/tools/echo/circuit', { command: 'shut' }, operator);

  await everyAnswer(createAlertKit());
  await everyHistory();
  await everyLogin();
  await kit.get('/v1/session');
  await kit.get('/metrics');
  const metrics = (): Response => new Response('# EOF\n', { headers: { 'content-type': 'text/plain' } });
  await createKit({ metrics }).get('/metrics');
  await kit.get('/v1/upstreams');
  await kit.get('/healthz');
  await kit.get('/readyz');
  await kit.get('/openapi.json');
  await kit.api.drain(1);
  await kit.get('/readyz');
  await kit.post('/v1/turns', plan('six', echo));
  await kit.post('/v1/calls', { tool_id: 'echo' });

  const store = sqliteStore({ path: join(folder, 'closed.db') });
  const broken = createKit({ store });
  await store.close();
  for (const path of ['/v1/turns', '/v1/turns/one', '/v1/turns/one/events']) await broken.get(path);
  await broken.post('/v1/turns/one/cancel');
  await broken.post('/v1/turns/one/what-if', {});
  await broken.get('/v1/turns/one/export?format=otlp');

  const past = {
    cursor: () => '',
    knows: () => true,
    // oxlint-disable-next-line require-yield
    *changedSince() {
      return { cursor: '', tools: [], removed_tools: [], changes: [], turns: [] };
    },
    // oxlint-disable-next-line require-yield
    *totals() {
      return {};
    },
    subscribe: () => () => undefined,
  };
  const followed = createKit({ past: past as never, limits: { streams: 1 } });
  await followed.get(`/v1/live?after=${long}`);
  await followed.get('/v1/live', { headers: { accept: 'image/png' } });
  const live = followed.get('/v1/live');
  await until(async () => (await followed.get('/v1/live', { headers: { accept: 'text/event-stream' } })).status === 429);
  await followed.api.drain(1);
  await live;
  await followed.get('/v1/live');

  const { body } = await kit.get('/openapi.json');
  for (const [path, operations] of Object.entries(body['paths'] as Record<string, Record<string, { responses: object }>>))
    for (const [method, { responses }] of Object.entries(operations)) {
      if (!('403' in responses)) continue;
      const target = path.replace('{name}', 'echo').replaceAll(/\{\w+\}/g, 'a'.repeat(16));
      for (const principal of [undefined, 'visitor'])
        await kit.ask(method.toUpperCase(), target, { access: { ...undividedAccess(principal), roles: new Set() } });
    }
  const documented = Object.entries(body['paths'] as Record<string, Record<string, { responses: object }>>).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
    ),
  );
  expect(documented.filter((place) => !seen.has(place))).toEqual([]);
});

test('the answer to a request without a route has the same shape', async () => {
  const kit = createKit();
  const missing = await kit.get('/v1/turn');
  expect(missing).toMatchObject({ status: 404, body: { status: 404, error: { code: 'NOT_FOUND', suggestion: '/v1/turns' } } });
  const wrong = await kit.ask('DELETE', '/v1/turns/one');
  expect(wrong).toMatchObject({ status: 405, body: { error: { code: 'METHOD_NOT_ALLOWED', allowed: 'GET, HEAD' } } });
  expect(wrong.headers.get('allow')).toBe('GET, HEAD');
  expect(wrong.headers.get('content-type')).toBe('application/problem+json');
});

test('a memory store is not needed for the document', async () => {
  const storeless = createKit({ storeless: true });
  const stored = createKit({ store: memoryStore() });
  expect((await storeless.get('/openapi.json')).text).toBe((await stored.get('/openapi.json')).text);
});
