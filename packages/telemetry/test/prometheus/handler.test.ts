import { createMetrics, type MetricFamily, type MetricKey } from '@holdfast/core/metrics';
import { expect, it, vi } from 'vitest';
import { createPrometheusHandler, metricsText, openMetricsContentType, textContentType } from '../../src/prometheus/index.ts';

const metrics = createMetrics({ tools: ['search'] });
const handler = createPrometheusHandler({ metrics });
const ask = (headers: Readonly<Record<string, string>> = {}, method = 'GET'): Response =>
  handler(new Request('http://localhost/metrics', { method, headers }));

const prometheus2 =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
const prometheus3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1';

it.each([
  [prometheus2, openMetricsContentType],
  [prometheus3, openMetricsContentType],
  ['application/openmetrics-text', openMetricsContentType],
  ['Application/OpenMetrics-Text; version="1.0.0"', openMetricsContentType],
  ['application/openmetrics-text;version=2.0.0,text/plain', textContentType],
  ['application/openmetrics-text;q=0.1,text/plain', textContentType],
  ['application/openmetrics-text;q=0', textContentType],
  ['application/openmetrics-text;q=nonsense', textContentType],
  ['text/html,*/*', textContentType],
  ['*/*', textContentType],
  ['', textContentType],
  [`${',;='.repeat(5_000)}application/openmetrics-text`, textContentType],
])('for %s it is %s', (accept, contentType) => {
  expect(ask({ accept }).headers.get('content-type')).toBe(contentType);
});

it('returns all metrics, as text and as OpenMetrics', async () => {
  expect(await ask().text()).toBe(metricsText(metrics.snapshot()));
  expect(await ask({ accept: prometheus2 }).text()).toBe(metricsText(metrics.snapshot(), { openMetrics: true }));
});

it('reads the series one by one, and lets the event loop turn between them', async () => {
  const names = Array.from({ length: 300 }, (_, index) => `tool_${index}`);
  const ofMany = createMetrics({ tools: names, maxTools: names.length });
  let turns = 0;
  const readIn = new Map<number, number>();
  function* eachSeries(key: MetricKey): Generator<MetricFamily['series'][number]> {
    for (const series of ofMany.eachSeries(key)) {
      readIn.set(turns, (readIn.get(turns) ?? 0) + 1);
      yield series;
    }
  }
  const response = createPrometheusHandler({ metrics: { eachSeries } })(new Request('http://localhost/metrics'));
  const count = setInterval(() => void (turns += 1), 0);
  const parts: string[] = [];
  for await (const part of response.body ?? []) {
    parts.push(new TextDecoder().decode(part));
    // A busy machine.
    for (const until = performance.now() + 2; performance.now() < until;);
  }
  clearInterval(count);
  expect(parts.join('')).toBe(metricsText(ofMany.snapshot()));
  for (const part of parts) expect(part.split('\n').length).toBeLessThan(300);
  const all = [...readIn.values()];
  expect(Math.max(...all)).toBeLessThan(all.reduce((sum, each) => sum + each) / 10);
});

it('small metrics are written without a timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  try {
    expect(await ask().text()).toBe(metricsText(metrics.snapshot()));
    await vi.runAllTimersAsync();
  } finally {
    vi.useRealTimers();
  }
});

it('many scrapes at once share the turns of the event loop', async () => {
  const texts: Promise<string>[] = [];
  let turns = 0;
  const readIn = new Set<number>();
  function* eachSeries(key: MetricKey): Generator<MetricFamily['series'][number]> {
    readIn.add(turns);
    for (const until = performance.now() + 1; performance.now() < until;);
    yield* metrics.eachSeries(key);
  }
  const scrape = createPrometheusHandler({ metrics: { eachSeries } });
  const count = setInterval(() => void (turns += 1), 0);
  for (let index = 0; index < 10; index += 1) texts.push(scrape(new Request('http://localhost/metrics')).text());
  expect(new Set(await Promise.all(texts))).toEqual(new Set([metricsText(metrics.snapshot())]));
  clearInterval(count);
  expect(readIn.size).toBeGreaterThan(20);
});

it('nothing is read for a client that does not read', async () => {
  let read = 0;
  function* eachSeries(key: MetricKey): Generator<MetricFamily['series'][number]> {
    for (const series of metrics.eachSeries(key)) {
      read += 1;
      yield series;
    }
  }
  const { body } = createPrometheusHandler({ metrics: { eachSeries } })(new Request('http://localhost/metrics'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(read).toBeLessThan(20);
  await body?.cancel();
});

it.each([
  ['gzip', 'gzip'],
  ['br, GZIP;q=0.5', 'gzip'],
  ['gzip;q=0', null],
  ['gzip;q=0.0, br', null],
  ['identity', null],
])('Accept-Encoding %s: compressed as %s', async (accepted, encoding) => {
  const response = ask({ 'accept-encoding': accepted });
  expect(response.headers.get('content-encoding')).toBe(encoding);
  const body = encoding ? response.body?.pipeThrough(new DecompressionStream('gzip')) : response.body;
  expect(await new Response(body).text()).toBe(metricsText(metrics.snapshot()));
});

it('allows HEAD, and no other method', async () => {
  const head = ask({}, 'HEAD');
  expect([head.status, await head.text(), head.headers.get('cache-control')]).toEqual([200, '', 'no-store']);
  const refused = ask({}, 'POST');
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});
