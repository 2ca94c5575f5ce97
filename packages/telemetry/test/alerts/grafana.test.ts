/** Runs every query of the Grafana dashboard against a real Prometheus, without Grafana. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { metricDefinitions } from '@holdfast/core/metrics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { panelRows } from '../../src/alerts/grafana/panels.ts';
import { grafanaDashboard } from '../../src/alerts/index.ts';
import { startPrometheus, type RealPrometheus } from '../prometheus/real-prometheus.ts';
import { promtool } from './promtool.ts';
import { recordedService } from './recorded-service.ts';

const panels = panelRows.flatMap((row) => row.panels);
const queries = panels.flatMap(({ title, queries: own }) =>
  own.map(({ expression, legend }) => [`${title}: ${legend}`, expression, legend] as const),
);

let folder: string;
let prometheus: RealPrometheus;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-grafana-'));
  const metrics = await recordedService(Math.floor(Date.now() / 1000) * 1000);
  const said = await promtool({ 'metrics.txt': metrics }, 'tsdb', 'create-blocks-from', 'openmetrics', '--quiet', 'metrics.txt', folder);
  if (said.code !== 0) throw new Error(said.output);
  prometheus = await startPrometheus({}, folder);
}, 60_000);
afterAll(async () => {
  await prometheus?.close();
  await rm(folder, { recursive: true, force: true });
});

const asked = (expression: string): string => expression.replaceAll('$__rate_interval', '1m').replaceAll('$tool', '.+');

describe('every query', () => {
  it.each(queries)('%s has data, with the labels in its legend', async (_name, expression, legend) => {
    const found = await prometheus.query(asked(expression));
    expect(found.length).toBeGreaterThan(0);
    for (const [, label = ''] of legend.matchAll(/\{\{(\w+)\}\}/g))
      expect(
        found.some(({ metric }) => metric[label] !== undefined),
        label,
      ).toBe(true);
  });
});

it.each([
  ['Failure rate', (value: number) => value > 0.2 && value < 1],
  ['Calls', (value: number) => value > 0.2],
  ['Calls that a retry recovered', (value: number) => value > 0 && value <= 1],
  ['Circuits not closed', (value: number) => value >= 1],
  ['Alerts firing', (value: number) => value === 1],
  ['Held by Retry-After', (value: number) => value === 8],
])('%s shows what happened', async (title, isRight) => {
  const expression = panels.find((panel) => panel.title === title)?.queries[0]?.expression ?? '';
  const found = await prometheus.query(asked(expression));
  expect(Math.max(...found.map(({ value }) => Number(value[1])))).toSatisfy(isRight);
});

describe('the dashboard', () => {
  const dashboard = JSON.parse(JSON.stringify(grafanaDashboard())) as {
    readonly panels: readonly {
      readonly id: number;
      readonly type: string;
      readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
      readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
    }[];
  };

  it('has one panel for each query, without overlaps and within the grid', () => {
    const taken = new Set<string>();
    for (const {
      gridPos: { x, y, w, h },
    } of dashboard.panels) {
      expect(x + w).toBeLessThanOrEqual(24);
      for (let column = x; column < x + w; column++)
        for (let row = y; row < y + h; row++) {
          expect(taken.has(`${column} ${row}`)).toBe(false);
          taken.add(`${column} ${row}`);
        }
    }
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    expect(dashboard.panels.filter(({ type }) => type !== 'row')).toHaveLength(panels.length);
  });

  it('queries existing metrics', () => {
    const names = new Set<string>(Object.values(metricDefinitions).map(({ name }) => name));
    const named = dashboard.panels.flatMap(({ targets = [] }) =>
      targets.flatMap(({ expr }) => [...expr.matchAll(/holdfast_\w+/g)].map(([name]) => name)),
    );
    expect(named.filter((name) => !names.has(name.replace(/_(?:bucket|sum|count)$/, '')) && !names.has(name))).toEqual([]);
  });
});
