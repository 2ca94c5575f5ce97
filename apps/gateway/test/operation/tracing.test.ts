/** Spans of a whole gateway, at a collector that listens for OTLP over HTTP: as children of the client's span, and handed to tools and servers. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseManifest } from '@holdfast/manifest';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { otlpOptions } from '../../src/composition/tracing.ts';
import { startGateway } from '../fixtures/gateway.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
  readonly status: { readonly code: number };
}

interface Traces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Span['attributes'] };
    readonly scopeSpans: readonly { readonly schemaUrl: string; readonly spans: readonly Span[] }[];
  }[];
}

const open: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** `statuses`: of the next answers; 200 after them. */
async function startCollector(statuses: number[] = []) {
  const received: Traces[] = [];
  const requests: IncomingHttpHeaders[] = [];
  const url = await listening(
    createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        const status = statuses.shift() ?? 200;
        requests.push(request.headers);
        if (request.url === '/v1/traces' && status === 200) received.push(JSON.parse(body) as Traces);
        response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      });
    }),
  );
  const spans = (): readonly Span[] =>
    received.flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
  const until = (count: number): Promise<void> => vi.waitFor(() => expect(spans().length).toBeGreaterThanOrEqual(count), 10_000);
  return { url, received, requests, spans, until };
}

/** A tool over HTTP that keeps the headers it gets. The first request fails, so that there are two attempts. */
async function startTool(failures = 0) {
  const headers: IncomingHttpHeaders[] = [];
  const url = await listening(
    createServer((request, response) => {
      headers.push(request.headers);
      response.writeHead(headers.length <= failures ? 503 : 200, { 'content-type': 'application/json' }).end('{"ok":true}');
    }),
  );
  return { url, headers };
}

const words = (collector: string, tool: string, more: object = {}) => ({
  version: 1,
  store: false,
  telemetry: { otlp: { url: collector, headers: { 'x-key': 'k' } } },
  tools: [
    {
      id: 'look',
      description: 'Looks something up.',
      effect: 'read',
      run: { http: { method: 'GET', url: tool } },
      retry_policy: { initial_delay_ms: 1 },
    },
  ],
  gateway: { reload: false, tool_lock: 'off' },
  ...more,
});

const client = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const traceparent = `00-${client.traceId}-${client.spanId}-01`;
const attributeOf = (span: Span | undefined, name: string): string | undefined =>
  span?.attributes.find(({ key }) => key === name)?.value.stringValue;

const baseOf = (mcpUrl: string): string => mcpUrl.replace(/\/mcp$/, '');

const post = (url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  });

describe('a client with a trace', () => {
  test('over the API: the call is a child of its span, the attempts of the call, and the requests of the attempts', async () => {
    const [collector, tool] = [await startCollector(), await startTool(1)];
    await using gateway = await startGateway(words(collector.url, tool.url));
    const answer = await post(
      `${baseOf(gateway.url)}/v1/calls`,
      { tool_id: 'look', arguments: {} },
      { traceparent, tracestate: 'vendor=1' },
    );
    expect(await answer.json()).toMatchObject({ status: 'success' });
    await collector.until(3);
    const spans = collector.spans();
    const call = spans.find(({ name }) => name === 'execute_tool look');
    const attempts = spans.filter(({ name }) => name === 'tool_attempt look');
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([client.traceId]));
    expect(call).toMatchObject({ parentSpanId: client.spanId, traceState: 'vendor=1', status: { code: 0 } });
    expect(attributeOf(call, 'gen_ai.tool.description')).toBe('Looks something up.');
    expect(attempts.map(({ parentSpanId, status }) => [parentSpanId, status.code])).toEqual([
      [call?.spanId, 2],
      [call?.spanId, 0],
    ]);
    expect(tool.headers.map((headers) => [headers['traceparent'], headers['tracestate']])).toEqual(
      attempts.map(({ spanId }) => [`00-${client.traceId}-${spanId}-01`, 'vendor=1']),
    );
    const [traces] = collector.received;
    expect(traces?.resourceSpans[0]?.resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'holdfast' } });
    expect(traces?.resourceSpans[0]?.scopeSpans[0]?.schemaUrl).toBe('https://opentelemetry.io/schemas/gen-ai/0.1.0');
    expect(collector.requests[0]).toMatchObject({ 'x-key': 'k' });
  });

  test('over MCP: the trace of _meta comes before that of the connection', async () => {
    const [collector, tool] = [await startCollector(), await startTool()];
    await using gateway = await startGateway(words(collector.url, tool.url));
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
      traceparent,
    };
    const params = { name: 'look', arguments: {}, _meta: meta };
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'look',
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    };
    const answer = await post(gateway.url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers);
    expect(await answer.text()).toContain('ok');
    await collector.until(2);
    expect(collector.spans().find(({ name }) => name === 'execute_tool look')).toMatchObject({
      traceId: client.traceId,
      parentSpanId: client.spanId,
    });
  });

  test('a turn is one span with its calls below it', async () => {
    const [collector, tool] = [await startCollector(), await startTool()];
    await using gateway = await startGateway(words(collector.url, tool.url));
    const calls = [
      { call_id: 'a', tool_id: 'look' },
      { call_id: 'b', tool_id: 'look', depends_on: ['a'] },
    ];
    await post(`${baseOf(gateway.url)}/v1/turns`, { calls }, { traceparent });
    await collector.until(5);
    const spans = collector.spans();
    const turn = spans.find(({ name }) => name === 'holdfast.turn');
    expect(turn).toMatchObject({ traceId: client.traceId, parentSpanId: client.spanId });
    expect(spans.filter(({ parentSpanId }) => parentSpanId === turn?.spanId)).toHaveLength(2);
  });

  test('that is not sampled: nothing is recorded, and tools receive that', async () => {
    const [collector, tool] = [await startCollector(), await startTool()];
    await using gateway = await startGateway(words(collector.url, tool.url));
    await post(`${baseOf(gateway.url)}/v1/calls`, { tool_id: 'look' }, { traceparent: `00-${client.traceId}-${client.spanId}-00` });
    expect(tool.headers[0]?.['traceparent']).toMatch(new RegExp(`^00-${client.traceId}-[0-9a-f]{16}-00$`));
    await gateway.gateway.close(0);
    expect(collector.requests).toEqual([]);
  });

  test('without a collector: tools receive the trace of the client unchanged', async () => {
    const tool = await startTool();
    await using gateway = await startGateway({ ...words('http://127.0.0.1:9', tool.url), telemetry: {} });
    await post(`${baseOf(gateway.url)}/v1/calls`, { tool_id: 'look' }, { traceparent });
    await post(`${baseOf(gateway.url)}/v1/calls`, { tool_id: 'look' }, { traceparent: 'nonsense' });
    expect(tool.headers.map((headers) => headers['traceparent'])).toEqual([traceparent, undefined]);
  });
});

describe('a collector', () => {
  test('that fails for a moment gets the spans later; the last ones at the shutdown', async () => {
    const [collector, tool] = [await startCollector([503]), await startTool()];
    await using gateway = await startGateway(words(collector.url, tool.url));
    await post(`${baseOf(gateway.url)}/v1/calls`, { tool_id: 'look' });
    await gateway.gateway.close(0);
    expect(collector.spans().map(({ name }) => name)).toEqual(['tool_attempt look', 'execute_tool look']);
    expect(collector.spans()[1]).not.toHaveProperty('parentSpanId');
    expect(gateway.faults).toEqual([]);
  });

  test('that refuses them is reported once, and no call is affected', async () => {
    const [collector, tool] = [await startCollector([400, 400]), await startTool()];
    await using gateway = await startGateway(words(collector.url, tool.url));
    for (const count of [1, 2]) {
      expect(await (await post(`${baseOf(gateway.url)}/v1/calls`, { tool_id: 'look' })).json()).toMatchObject({ status: 'success' });
      await vi.waitFor(() => expect(collector.requests).toHaveLength(count), 5_000);
    }
    await vi.waitFor(() => expect(gateway.faults).toHaveLength(1));
    expect(gateway.faults[0]).toMatch(/^telemetry\.otlp: 2 spans were dropped: .* answered HTTP 400$/);
  });
});

describe('the environment', () => {
  const none = { telemetry: {} };
  const optionsOf = (environment: Readonly<Record<string, string>>, manifest: object = none) => {
    const reports: string[] = [];
    return { ...otlpOptions(manifest as typeof none, environment, (text) => reports.push(text)), reports };
  };

  test.each([
    [{}, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' }, 'http://c:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t/x' }, 'http://t/x'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_SDK_DISABLED: 'true' }, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_TRACES_EXPORTER: 'none' }, undefined],
  ])('%j: spans go to %s', (environment, url) => {
    expect(optionsOf(environment).url).toBe(url);
  });

  test('names headers and resource; the manifest comes first', () => {
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc, x-org = 7',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
      OTEL_SERVICE_NAME: 'gateway',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      KEY: 'secret',
    };
    expect(optionsOf(environment)).toMatchObject({
      headers: { authorization: 'Basic abc', 'x-org': '7' },
      resource: { 'deployment.environment.name': 'test', 'service.name': 'gateway' },
      reports: [expect.stringContaining('4318')],
    });
    const { manifest } = parseManifest(
      "version: 1\ntools: [{ id: a, run: { http: { url: 'http://127.0.0.1:9' } } }]\ntelemetry: { otlp: { url: 'http://own:4318', headers: { x-org: { env: KEY } } } }",
    );
    expect(optionsOf(environment, manifest)).toMatchObject({
      url: 'http://own:4318/v1/traces',
      headers: { authorization: 'Basic abc', 'x-org': 'secret' },
    });
  });
});
