/** `GET /v1/turns/{turn_id}/export`: a turn as a file with a safe name. */
import { memoryStore, type TraceEvent } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { createKit, type Kit, plan, until } from './kit.ts';

const echo = { call_id: 'a', tool_id: 'echo', arguments: { city: 'Oslo' } };

async function recorded(id = 't', ...calls: readonly object[]): Promise<Kit> {
  const kit = createKit();
  await kit.post('/v1/turns', plan(id, echo, { call_id: 'b', tool_id: 'fail' }, ...calls));
  return kit;
}

const eventsOf = async (kit: Kit): Promise<readonly TraceEvent[]> =>
  (await kit.get('/v1/turns/t?limit=10000')).body['events'] as TraceEvent[];

test('as OpenTelemetry sends it: a span of the turn, of each call and of each attempt', async () => {
  const kit = await recorded();
  const answer = await kit.get('/v1/turns/t/export?format=otlp');
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="holdfast-turn-t-1.otlp.json"');
  const spans = answer.body['resourceSpans'][0].scopeSpans[0].spans as readonly { readonly name: string; readonly traceId: string }[];
  expect(spans.length).toBeGreaterThanOrEqual(1 + 2 + 3);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining(['execute_tool echo', 'execute_tool fail']));
});

test('for Perfetto', async () => {
  const answer = await (await recorded()).get('/v1/turns/t/export?format=chrome');
  expect(answer.headers.get('content-disposition')).toContain('-1.chrome.json"');
  expect(answer.body['traceEvents'].length).toBeGreaterThan(3);
});

test('as its recorded events, one per line', async () => {
  const kit = await recorded();
  const answer = await kit.get('/v1/turns/t/export?format=ndjson');
  expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
  const reported = answer.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as TraceEvent);
  expect(reported).toEqual(await eventsOf(kit));
});

test('of a large turn, completely, without blocking other calls', async () => {
  const many = Array.from({ length: 300 }, (_, index) => ({ call_id: `c${index}`, tool_id: 'echo' }));
  const kit = await recorded('t', ...many);
  const lines = (await kit.get('/v1/turns/t/export?format=ndjson')).text.trimEnd().split('\n');
  expect(lines.length).toBe((await eventsOf(kit)).length);
  expect(lines.length).toBeGreaterThan(600);
  const { body } = await kit.get('/v1/turns/t/export?format=otlp');
  expect(body['resourceSpans'][0].scopeSpans[0].spans.length).toBeGreaterThan(600);
});

test('of a running turn, with the events until now', async () => {
  const kit = createKit();
  await kit.post('/v1/turns?wait=false', plan('t', { call_id: 'w', tool_id: 'wait' }));
  await until(async () => (await kit.get('/v1/turns/t')).status === 200);
  for (const format of ['otlp', 'chrome', 'ndjson'])
    expect([format, (await kit.get(`/v1/turns/t/export?format=${format}`)).status]).toEqual([format, 200]);
  kit.waiting.open();
});

test('of a run by its number', async () => {
  const store = memoryStore();
  const kit = createKit({ store });
  await kit.service.executeTurn({ turnId: 't', calls: [{ callId: 'first', toolName: 'echo' }] });
  await kit.service.executeTurn({ turnId: 't', calls: [{ callId: 'second', toolName: 'echo' }] });
  const runs = ((await kit.get('/v1/turns')).body['turns'] as readonly { readonly run: number }[])
    .map(({ run }) => run)
    .toSorted((a, b) => a - b);
  const texts = await Promise.all(runs.map(async (run) => (await kit.get(`/v1/turns/t/export?format=ndjson&run=${run}`)).text));
  expect(texts.map((text) => [text.includes('"first"'), text.includes('"second"')])).toEqual([
    [true, false],
    [false, true],
  ]);
});

describe('the name of the file', () => {
  test.each([
    ['../../etc/passwd', 'holdfast-turn--etc-passwd-1.ndjson'],
    ['a"; filename="evil.exe', 'holdfast-turn-a-filename-evil-exe-1.ndjson'],
    ['zwölf ✓ /\\:*?<>|', 'holdfast-turn-zw-lf--1.ndjson'],
    ['x'.repeat(300), `holdfast-turn-${'x'.repeat(80)}-1.ndjson`],
    ['line\r\nset-cookie: a=b', 'holdfast-turn-line-set-cookie-a-b-1.ndjson'],
  ])('of turn %j is %s', async (id, name) => {
    const kit = await recorded(id);
    const answer = await kit.get(`/v1/turns/${encodeURIComponent(id)}/export?format=ndjson`);
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });
});

test('is refused for an unknown format or turn', async () => {
  const kit = await recorded();
  expect(await kit.get('/v1/turns/t/export')).toMatchObject({ status: 400, body: { error: { field: 'format' } } });
  expect(await kit.get('/v1/turns/t/export?format=oltp')).toMatchObject({
    status: 400,
    body: { error: { field: 'format', suggestion: 'otlp', allowed: 'otlp, chrome, ndjson' } },
  });
  expect(await kit.get('/v1/turns/u/export?format=otlp')).toMatchObject({ status: 404, body: { error: { code: 'UNKNOWN_TURN' } } });
});

test('HEAD has the headers and no body', async () => {
  const kit = await recorded();
  for (const format of ['otlp', 'ndjson']) {
    const head = await kit.send('HEAD', `/v1/turns/t/export?format=${format}`);
    expect([head.status, await head.text(), head.headers.get('content-disposition')]).toEqual([
      200,
      '',
      expect.stringContaining('attachment'),
    ]);
  }
});
