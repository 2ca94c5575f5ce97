/** `GET /metrics` of a running gateway. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { version } from '../../src/plain/version.ts';
import { readWords } from '../fixtures/gateway.ts';

const tools = [{ id: 'fine', run: { command: { command: 'echo', args: ['{}'] } } }];

describe('without tokens', () => {
  let gateway: Gateway;
  let url: string;
  const scrape = (headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
    fetch(new URL('/metrics', url), { method, headers });

  beforeAll(async () => {
    gateway = await createGateway(readWords({ tools }, 'holdfast.yaml'), { log: 'off' });
    ({ url } = await gateway.listen({ port: 0 }));
  });
  afterAll(() => gateway.close(0));

  test('the series of every tool exist before its first call, and its calls are counted', async () => {
    expect(await (await scrape()).text()).toMatch(/^holdfast_tool_calls_total\{tool="fine",outcome="success"\} 0$/m);
    await gateway.service.executeTool({ toolName: 'fine', callId: 'a', arguments: {} });
    const answer = await scrape();
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await answer.text()).toMatch(/^holdfast_tool_calls_total\{tool="fine",outcome="success"\} 1$/m);
  });

  test('values without events are included', async () => {
    const text = await (await scrape()).text();
    expect(text).toContain(`version="${version}"`);
    expect(text).toMatch(/^holdfast_trace_\w*dropped\w* 0$/m);
    expect(text).toMatch(/^holdfast_tool_held_seconds\{tool="fine"\} 0$/m);
  });

  test('OpenMetrics if the client accepts it, compressed if the client accepts that', async () => {
    const answer = await scrape({ accept: 'application/openmetrics-text; version=1.0.0', 'accept-encoding': 'gzip' });
    expect(answer.headers.get('content-type')).toContain('application/openmetrics-text');
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect((await answer.text()).endsWith('# EOF\n')).toBe(true);
  });

  test('HEAD has no body; other methods are refused', async () => {
    const head = await scrape({}, 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await scrape({}, 'POST')).status).toBe(405);
  });

  test('a page of another host or origin reads nothing', async () => {
    expect((await scrape({ origin: 'http://evil.example' })).status).toBe(403);
  });
});

test('with tokens, a scraper needs one', async () => {
  const secret = 'scraper-secret-0123456789';
  process.env['METRICS_TEST_TOKEN'] = secret;
  const manifest = readWords({ tools, gateway: { tokens: [{ name: 'prometheus', env: 'METRICS_TEST_TOKEN' }] } }, 'holdfast.yaml');
  const gateway = await createGateway(manifest, { log: 'off' });
  const { url } = await gateway.listen({ port: 0 });
  delete process.env['METRICS_TEST_TOKEN'];
  const scrape = (token?: string): Promise<Response> =>
    fetch(new URL('/metrics', url), token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  expect((await scrape()).status).toBe(401);
  expect((await scrape('other')).status).toBe(401);
  expect((await scrape(secret)).status).toBe(200);
  await gateway.close(0);
});
