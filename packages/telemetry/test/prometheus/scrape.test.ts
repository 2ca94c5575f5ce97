/** A real Prometheus that scrapes the handler has the values of the metrics. */
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { createMetrics, type MetricFamily } from '@holdfast/core/metrics';
import { edgeText } from '@holdfast/core/internal';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPrometheusHandler } from '../../src/prometheus/index.ts';
import { startPrometheus, type InstantSample, type RealPrometheus } from './real-prometheus.ts';
import { serveScrapes, type ScrapeServer } from './scrape-server.ts';

const oddName = 'odd "name"\\\nof a tool';
const metrics = createMetrics({
  tools: ['search', 'mail', oddName],
  given: () => ({ version: '1.2.3', traceDropped: 0, alertsFiring: { ToolFailing: 1 } }),
  traceContext: ({ seq }) => ({ trace_id: String(seq).padStart(32, '0') }),
});
let server: ScrapeServer;
let prometheus: RealPrometheus;

beforeAll(async () => {
  let runs = 0;
  const search = (): Promise<string> => {
    runs += 1;
    return runs % 3 === 0 ? Promise.reject(Object.assign(new Error('down'), { status: 503 })) : sleep(runs % 20, 'found');
  };
  const retry = { initialDelayMs: 1, maxDelayMs: 1, jitter: 'none' } as const;
  const refuse = (): Promise<never> => Promise.reject(Object.assign(new Error('no'), { status: 403 }));
  const service = new ToolExecutionService({
    tools: [
      defineTool({ name: 'search', run: search, retry }),
      defineTool({ name: 'mail', run: refuse }),
      defineTool({ name: oddName, run: () => Promise.resolve(1) }),
    ],
  });
  service.subscribe((event) => metrics.observe(event));
  const calls = ['search', 'search', 'search', 'mail', oddName, 'invented'].map((toolName) => ({ toolName }));
  for (let turn = 0; turn < 10; turn += 1) await service.executeTurn({ calls });
  for (let call = 0; call < 10; call += 1) await service.executeTool({ toolName: 'search' });
  await service.close();
  server = await serveScrapes(createPrometheusHandler({ metrics }));
  prometheus = await startPrometheus({ openmetrics: `${server.host}/metrics`, text: `${server.host}/text` });
}, 60_000);

afterAll(async () => {
  await prometheus?.close();
  await server?.close();
});

const keyOf = (labels: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));

function expectedSamples(families: readonly MetricFamily[]): ReadonlyMap<string, number> {
  const samples = families.flatMap((family): readonly (readonly [string, number])[] => {
    const { name } = family;
    if (family.type !== 'histogram') return family.series.map(({ labels, value }) => [keyOf({ ...labels, __name__: name }), value]);
    return family.series.flatMap(({ labels, buckets, sum, count }) => [
      ...buckets.map(({ le, count: upTo }) => [keyOf({ ...labels, le: edgeText(le), __name__: `${name}_bucket` }), upTo] as const),
      [keyOf({ ...labels, __name__: `${name}_sum` }), sum],
      [keyOf({ ...labels, __name__: `${name}_count` }), count],
    ]);
  });
  return new Map(samples);
}

/** Repeats the query until there is a result, since the first scrape takes a while. */
async function eventually<Value>(ask: () => Promise<readonly Value[]>): Promise<readonly Value[]> {
  for (;;) {
    const found = await ask();
    if (found.length > 0) return found;
    await sleep(100);
  }
}

const scraped = async (job: string): Promise<readonly InstantSample[]> =>
  eventually(() => prometheus.query(`{__name__=~"holdfast_.+",job="${job}"}`));

it.each(['openmetrics', 'text'])(
  '%s: every sample arrives with its labels and value, and nothing else',
  async (job) => {
    const expected = expectedSamples(metrics.snapshot());
    const found = new Map(
      (await scraped(job)).map(({ metric: { job: _job, instance: _instance, ...labels }, value }) => [keyOf(labels), Number(value[1])]),
    );
    expect(found.size).toBeGreaterThan(300);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
    // On a busy machine a later scrape may be too late.
    expect(await prometheus.query(`max_over_time(up{job="${job}"}[5m]) == 1`)).toHaveLength(1);
  },
  60_000,
);

it('each job got its format, compressed', () => {
  expect(server.answered.get('/metrics')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8 gzip');
  expect(server.answered.get('/text')).toBe('text/plain; version=0.0.4; charset=utf-8 gzip');
});

it('exemplars refer from a bucket to the trace, the turn and the call', async () => {
  const family = metrics.family('attemptDuration');
  const kept = family.type === 'histogram' ? family.series.flatMap(({ buckets }) => buckets.flatMap(({ exemplar }) => exemplar ?? [])) : [];
  const found = (await eventually(() => prometheus.exemplars('holdfast_tool_attempt_duration_seconds_bucket'))).flatMap(
    ({ exemplars }) => exemplars,
  );
  const describeAll = (
    exemplars: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number | string }[],
  ): readonly string[] => exemplars.map(({ labels, value }) => `${keyOf(labels)} ${Number(value)}`).toSorted();
  expect(kept.length).toBeGreaterThan(2);
  expect(describeAll(found)).toEqual(describeAll(kept));
  expect(Object.keys(found[0]?.labels ?? {}).toSorted()).toEqual(['call_id', 'trace_id', 'turn_id']);
}, 60_000);
