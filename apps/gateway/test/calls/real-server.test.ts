/** A real server of the legacy era over stdio, and clients of both eras. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolExecutionService } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Calls } from '../../src/calls/calls.ts';
import { createCalls } from '../../src/calls/create-calls.ts';
import { createToolRuns } from '../../src/calls/tool-runs.ts';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { createCatalog } from '../../src/catalog/create-catalog.ts';
import { createUpstreams } from '../../src/upstreams/upstreams.ts';
import { manifestOf } from '../catalog/scene.ts';
import { errorOf, request, type RequestOptions, textOf } from './scene.ts';

interface RealScene {
  readonly calls: Calls;
  readonly catalog: Catalog;
  readonly call: (name: string, args?: JsonObject, options?: RequestOptions) => Promise<JsonObject>;
}

async function open(more = ''): Promise<RealScene> {
  const server = JSON.stringify({
    command: process.execPath,
    args: [join(import.meta.dirname, 'fixtures/legacy-server.mjs')],
    cwd: import.meta.dirname,
    prefix: '',
  });
  const manifest = manifestOf(
    `version: 1\nmcp_servers: { real: ${server} }\ngateway: { tool_lock: off${more} }\n`,
    join(tmpdir(), 'holdfast.yaml'),
  );
  const settings = () => manifest.gateway;
  const upstreams = createUpstreams(manifest);
  const runs = createToolRuns({ upstreams, settings });
  const catalog = await createCatalog({ manifest, tools: [] }, { upstreams, run: runs.run, wrap: runs.wrap, readyMs: 20_000 });
  await catalog.ready();
  const tools = () => catalog.list().map(({ tool }) => tool);
  const service = new ToolExecutionService({ tools: tools() });
  catalog.subscribe(() => service.replaceTools(tools()));
  const calls = createCalls({ service, catalog, runs, settings });
  onTestFinished(async () => {
    await Promise.all([calls.close(), catalog.close()]);
    await service.close();
    await upstreams.close();
  });
  return { calls, catalog, call: (name, args = {}, options = {}) => calls.handle(request(name, args, options)) };
}

const modern = { era: 'modern', capabilities: { elicitation: { form: {} } } } as const;
const legacy = { era: 'legacy', capabilities: { elicitation: {} } } as const;

describe('a real server', () => {
  it('is called, reports progress, fails and refuses as it does without a gateway', async () => {
    const { call, calls } = await open();
    expect(await call('echo', { message: 'hi' })).toEqual({ content: [{ type: 'text', text: 'hi' }] });
    const asked = request('slow', {}, { wantsProgress: true });
    expect(textOf(await calls.handle(asked))).toBe('done');
    expect(asked.progress).toEqual([0, 1, 2].map((progress) => ({ progress, total: 3 })));
    const failure = await call('fail');
    expect(textOf(failure)).toBe('Access denied: secret=[redacted]');
    expect(errorOf(failure)).toMatchObject({ classification: 'permanent', category: 'permission', attempts: 1 });
  });

  it('asks a legacy client while the call runs', async () => {
    const { call } = await open();
    const names = ['ada', 'bob'];
    const result = await call(
      'ask',
      { count: 2 },
      { client: legacy, answers: () => ({ action: 'accept', content: { name: names.shift() ?? '' } }) },
    );
    expect(textOf(result)).toBe('ada,bob');
  });

  it('asks a modern client by results, while others call it and ask too', async () => {
    const { call, calls } = await open();
    const first = await call('ask', { count: 2 }, { client: modern });
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: { 'question-1': { method: 'elicitation/create', params: { message: 'Name 0?' } } },
    });
    expect(textOf(await call('echo', { message: 'meanwhile' }, { client: modern }))).toBe('meanwhile');
    const other = await call('ask', {}, { client: modern });
    expect(other).toMatchObject({ resultType: 'input_required' });
    const answer = (asked: JsonObject, key: string, name: string): RequestOptions => ({
      client: modern,
      params: { requestState: asked['requestState'], inputResponses: { [key]: { action: 'accept', content: { name } } } },
    });
    expect(textOf(await call('ask', {}, answer(other, 'question-1', 'eve')))).toBe('eve');
    const second = await call('ask', { count: 2 }, answer(first, 'question-1', 'ada'));
    expect(textOf(await call('ask', { count: 2 }, answer(second, 'question-2', 'bob')))).toBe('ada,bob');
    expect(calls.status()).toMatchObject({ running: 0, suspended: 0 });
  });

  it('that crashes is restarted: a read is retried, a tool without a declared effect is not', async () => {
    const { call, catalog } = await open();
    const before = textOf(await call('pid'));
    const crash = await call('crash');
    expect(errorOf(crash)).toMatchObject({ attempts: 1, ambiguous: true, retryable: false });
    expect(textOf(crash)).toContain('Check before you call it again');
    const after = textOf(await call('pid'));
    expect(after).not.toBe(before);
    expect((errorOf(await call('flaky'))['attempts'] as number) > 1).toBe(true);
    await expect.poll(() => catalog.list().every(({ degraded }) => !degraded), { timeout: 20_000 }).toBe(true);
  });

  it('that changes its tools is listed again', async () => {
    const { call, catalog } = await open();
    const changed = new Promise<void>((resolve) => {
      catalog.subscribe(resolve);
    });
    await call('grow');
    await changed;
    expect(textOf(await call('grown'))).toBe('grown');
  });
});
