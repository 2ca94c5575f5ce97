/** Answers about tools, and manual control of their circuits. */
import { type AnyTool, defineTool, type ToolSettings } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { createKit, type Kit } from './kit.ts';

test('the tools are listed by name, in pages', async () => {
  const kit = createKit();
  const { body } = await kit.get('/v1/tools');
  expect(body['tools'].map(({ name }: { name: string }) => name)).toEqual(['echo', 'fail', 'large', 'wait']);
  const first = await kit.get('/v1/tools?limit=3');
  expect(first.body).toMatchObject({ tools: [{ name: 'echo' }, { name: 'fail' }, { name: 'large' }], next_cursor: 'large' });
  const second = await kit.get('/v1/tools?limit=3&cursor=large');
  expect(second.body).toMatchObject({ tools: [{ name: 'wait' }] });
  expect(second.body).not.toHaveProperty('next_cursor');
});

test('a tool has its settings as in a manifest, its health and its metrics', async () => {
  const limited = defineTool({
    name: 'limited',
    timeoutMs: Infinity,
    concurrency: { limit: 2 },
    retry: { maxAttempts: 1 },
    effect: 'read',
    run: async () => Promise.reject(new Error('no')),
  });
  const kit = createKit({ tools: [limited] });
  await kit.post('/v1/calls', { tool_id: 'limited' });
  const { body } = await kit.get('/v1/tools/limited');
  expect(body).toMatchObject({
    name: 'limited',
    source: { kind: 'tool' },
    degraded: false,
    settings: {
      timeout_ms: null,
      concurrency: { limit: 2, queue: null },
      retry_policy: { max_attempts: 1 },
      effect: 'read',
      circuit_breaker: { failure_threshold: 5 },
    },
    health: { circuit: 'closed', mode: 'auto', failure_count: 1, in_flight: 0 },
    metrics: { total_executions: 1, execution_error_count: 1, error_count: 1, failure_rate: 1 },
  });
});

test('schemas and descriptions come from the catalog, if there is one', async () => {
  const definition = {
    name: 'echo',
    description: 'Of the server.',
    inputSchema: { type: 'object', properties: { x: {} } },
    outputSchema: { type: 'object' },
  };
  const source = { kind: 'mcp', server: 'files', tool: 'echo' } as const;
  const catalog = { get: (name: string) => (name === 'echo' ? { definition, source, degraded: true } : undefined) };
  const kit = createKit({ catalog });
  expect((await kit.get('/v1/tools/echo')).body).toMatchObject({
    description: 'Of the server.',
    source,
    degraded: true,
    input_schema: definition.inputSchema,
    output_schema: definition.outputSchema,
  });
  expect((await kit.get('/v1/tools/wait')).body).toMatchObject({ source: { kind: 'tool' }, degraded: false });
  const [echo] = (await kit.get('/v1/tools')).body['tools'];
  expect(echo).not.toHaveProperty('input_schema');
  expect((await createKit().get('/v1/tools/echo')).body).toMatchObject({
    description: 'Returns its arguments.',
    input_schema: { type: 'object' },
  });
});

test("what a server's Retry-After holds says so, whatever its circuit", async () => {
  const limited = async () =>
    Promise.reject(Object.assign(new Error('Too Many Requests'), { status: 429, headers: { 'retry-after': '3600' } }));
  const tools = [defineTool({ name: 'limited', run: limited }), defineTool({ name: 'bare', breaker: false, run: limited })];
  const system = manualSystem();
  const kit = createKit({ tools, service: { system } });
  for (const tool of tools) {
    await kit.post('/v1/calls', { tool_id: tool.name });
    await system.advance(2_000);
  }
  expect((await kit.get('/v1/tools')).body).toMatchObject({
    tools: [
      { name: 'bare', health: { circuit: null, retry_after_ms: 8_000, held_ms: 8_000 } },
      { name: 'limited', health: { circuit: 'closed', retry_after_ms: 6_000, held_ms: 6_000 } },
    ],
  });
  await system.advance(6_000);
  expect((await kit.get('/v1/tools/limited')).body['health']).not.toHaveProperty('held_ms');
});

test('a tool without circuit breaker has no circuit', async () => {
  const bare = defineTool({ name: 'bare', breaker: false, run: async () => 1 });
  expect((await createKit({ tools: [bare] }).get('/v1/tools/bare')).body).toMatchObject({
    health: { circuit: null },
    settings: { circuit_breaker: false },
  });
});

describe('a circuit', () => {
  const operator = { principal: 'operator' } as const;
  const failing = { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1, openMs: 60_000 } } as const;
  const tools = [
    defineTool({ name: 'down', ...failing, run: async () => Promise.reject(Object.assign(new Error('reset'), { code: 'ECONNRESET' })) }),
  ];

  test.each([
    ['open', 'open', 'forced_open'],
    ['close', 'closed', 'auto'],
    ['disable', 'closed', 'disabled'],
    ['shadow', 'open', 'shadow'],
    ['reset', 'closed', 'auto'],
    ['auto', 'open', 'auto'],
  ])('that has opened is %s: %s, %s', async (command, circuit, mode) => {
    const kit = createKit({ tools });
    await kit.post('/v1/calls', { tool_id: 'down' });
    expect((await kit.get('/v1/tools/down')).body).toMatchObject({ health: { circuit: 'open', retry_after_ms: expect.any(Number) } });
    const { status, body } = await kit.post('/v1/tools/down/circuit', { command }, operator);
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'down', health: { circuit, mode } });
    expect(kit.service.getToolHealth('down')).toMatchObject({ mode });
  });

  test('closes from every mode', async () => {
    const kit = createKit();
    for (const mode of ['open', 'disable', 'shadow']) {
      await kit.post('/v1/tools/echo/circuit', { command: mode }, operator);
      const { body } = await kit.post('/v1/tools/echo/circuit', { command: 'close' }, operator);
      expect(body).toMatchObject({ health: { circuit: 'closed', mode: 'auto' } });
    }
  });

  test('is not changed without a token, and the answer has a hint', async () => {
    const kit = createKit();
    const answer = await kit.post('/v1/tools/echo/circuit', { command: 'open' });
    expect(answer).toMatchObject({
      status: 401,
      body: { error: { code: 'TOKEN_NEEDED', hint: expect.stringContaining('HOLDFAST_OPERATOR_TOKEN') } },
    });
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    expect(kit.service.getToolHealth('echo')).toMatchObject({ mode: 'auto' });
  });

  test('that was opened refuses calls', async () => {
    const kit = createKit();
    await kit.post('/v1/tools/echo/circuit', { command: 'open' }, operator);
    expect((await kit.post('/v1/calls', { tool_id: 'echo' })).body).toMatchObject({ error: { code: 'CIRCUIT_OPEN' } });
  });

  test('records the operator', async () => {
    const reported: unknown[] = [];
    const past = { note: (change: unknown) => reported.push(change) } as never;
    const kit = createKit({ past });
    await kit.post('/v1/tools/echo/circuit', { command: 'open' }, { principal: 'ops' });
    await kit.post('/v1/tools/ecko/circuit', { command: 'open' }, { principal: 'ops' });
    await kit.post('/v1/tools/echo/circuit', { command: 'open' });
    await kit.post('/v1/tools/echo/circuit', { command: 'shadow' }, { principal: 'ops' });
    expect(reported).toEqual([
      { kind: 'operator_action', tool_id: 'echo', text: 'ops opened the circuit of echo' },
      { kind: 'operator_action', tool_id: 'echo', text: 'ops switched the circuit of echo to shadow mode' },
    ]);
  });

  test('refuses other commands', async () => {
    const kit = createKit();
    const answer = await kit.post('/v1/tools/echo/circuit', { command: 'shadwo' }, operator);
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'NOT_ALLOWED', field: 'command', suggestion: 'shadow' } } });
    expect(await kit.post('/v1/tools/echo/circuit', { comand: 'open' }, operator)).toMatchObject({ status: 422 });
    expect(await kit.post('/v1/tools/ecko/circuit', { command: 'open' }, operator)).toMatchObject({
      status: 404,
      body: { error: { suggestion: 'echo' } },
    });
  });
});

test('every setting of a tool is listed', async () => {
  const kit = createKit();
  const { body } = await kit.get('/v1/tools/echo');
  const settings = kit.service.getToolSettings('echo') as ToolSettings;
  const reported = Object.entries(settings).filter(([, value]) => value !== undefined);
  expect(Object.keys(body['settings'])).toHaveLength(reported.length);
});

test('right after the start, tools are waited for before they are unknown', async () => {
  const known: AnyTool[] = [];
  const late = defineTool({ name: 'late', run: async () => 'here' });
  let asked = 0;
  const catalog = {
    get: () => undefined,
    ready: async () => {
      asked += 1;
      known.push(late);
    },
  };
  const kit = (): Kit => {
    known.length = 0;
    const made = createKit({ tools: [late], catalog });
    Object.defineProperty(made.service, 'tools', { get: () => known });
    const getToolSettings = made.service.getToolSettings.bind(made.service);
    made.service.getToolSettings = (name) => (known.length > 0 ? getToolSettings(name) : undefined);
    return made;
  };
  expect((await kit().post('/v1/turns', { calls: [{ call_id: 'a', tool_id: 'late' }] })).body).toMatchObject({ outcome: 'success' });
  expect((await kit().post('/v1/calls', { tool_id: 'late' })).body).toMatchObject({ output: 'here' });
  expect((await kit().get('/v1/tools/late')).status).toBe(200);
  expect((await kit().get('/v1/tools')).body).toMatchObject({ tools: [{ name: 'late' }] });
  expect(asked).toBe(4);
});

test('a withheld tool is answered with the reason', async () => {
  const catalog = { get: () => undefined, withheld: (name: string) => (name === 'changed' ? 'Its definition has changed.' : undefined) };
  const kit = createKit({ catalog });
  expect((await kit.get('/v1/tools/changed')).body).toMatchObject({
    error: { code: 'UNKNOWN_TOOL', message: 'Its definition has changed.' },
  });
});
