/** After many random calls, the metrics agree with the recorded events. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMetrics, type Metrics } from '../../../src/projections/metrics/create-metrics.ts';
import { metricDefinitions } from '../../../src/projections/metrics/metric-names.ts';
import type { MetricSample } from '../../../src/projections/metrics/samples.ts';
import { createMetricsFold, type MetricsFold } from '../../../src/projections/tool-metrics.ts';
import { announceSeed } from '../../support/seed.ts';
import { addTo, keyOf, type Tally } from './tally.ts';
import { runCalls, toolNames } from './workload.ts';

announceSeed('metrics/agreement');

const isKnown = (tool: string): boolean => toolNames.includes(tool);

function samplesOf(metrics: Metrics): readonly MetricSample[] {
  return Object.values(metricDefinitions).flatMap(({ name, type, events }) => {
    if (events.length === 0) return [];
    const names = type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
    return names.flatMap((sample) => metrics.samples(sample));
  });
}

/** The tally has times in milliseconds. */
const inUnits = (name: string, value: number): number => (/_seconds_(total|sum)$/.test(name) ? value / 1000 : value);

const metrics = createMetrics({ tools: toolNames });
const fold: MetricsFold = createMetricsFold({ isKnown });
const tally: Tally = new Map();
let calls = 0;
/** Values after each batch, when calls have their results and some work still continues. */
const inFlight: number[] = [];
const wrongInFlight: string[] = [];

beforeAll(async () => {
  calls = await runCalls(
    fc.readConfigureGlobal().seed ?? 1,
    100_000,
    (event) => {
      metrics.observe(event);
      fold.observe(event);
    },
    (events) => {
      addTo(tally, events, isKnown);
      for (const { name, labels, value } of metrics.samples('holdfast_tool_in_flight')) {
        inFlight.push(value);
        if (value !== (tally.get(keyOf(name, labels)) ?? 0)) wrongInFlight.push(JSON.stringify(labels));
      }
    },
  );
}, 120_000);

describe('metrics after 100,000 calls', () => {
  it('agree with the events, series by series', () => {
    const unmatched = new Map(tally);
    const differences = samplesOf(metrics).flatMap(({ name, labels, value }) => {
      const key = keyOf(name, labels);
      const counted = inUnits(name, unmatched.get(key) ?? (labels['state'] === 'closed' ? 1 : 0));
      unmatched.delete(key);
      return counted === value ? [] : [{ key, counted, value }];
    });
    expect(differences).toEqual([]);
    expect([...unmatched].filter(([, value]) => value !== 0)).toEqual([]);
    expect(calls).toBeGreaterThanOrEqual(100_000);
  });

  it('have a value for every counter', () => {
    const rare = /validation|reducer|agent|transcript|argument_repairs|component/;
    const unused = Object.values(metricDefinitions)
      .filter(({ name, events, type }) => type === 'counter' && events.length > 0 && !rare.test(name))
      .filter(({ name }) => metrics.samples(name).every(({ value }) => value === 0));
    expect(unused.map(({ name }) => name)).toEqual([]);
    const seen = (name: string, label: string): readonly (string | undefined)[] =>
      metrics.samples(name).flatMap(({ labels, value }) => (value > 0 ? [labels[label]] : []));
    expect(new Set(seen('holdfast_tool_calls_total', 'outcome')).size).toBe(8);
    expect(new Set(seen('holdfast_tool_retries_denied_total', 'reason')).size).toBeGreaterThanOrEqual(7);
    expect(new Set(seen('holdfast_tool_orphans_total', 'result')).size).toBe(3);
    expect(new Set(seen('holdfast_circuit_transitions_total', 'to')).size).toBe(3);
  });

  it('track attempts in flight, and end at 0', () => {
    expect(wrongInFlight).toEqual([]);
    expect(Math.max(...inFlight)).toBeGreaterThan(3);
    expect(metrics.samples('holdfast_tool_in_flight').filter(({ value }) => value !== 0)).toEqual([]);
  });

  it('agree with the metrics of each tool', () => {
    const sum = (name: string, wanted: Readonly<Record<string, string>>): number =>
      metrics
        .samples(name)
        .filter(({ labels }) => Object.entries(wanted).every(([label, value]) => labels[label] === value))
        .reduce((total, { value }) => total + value, 0);
    for (const tool of toolNames) {
      const outcome = (name: string): number => sum('holdfast_tool_calls_total', { tool, outcome: name });
      const attempts = (name: string): number => sum('holdfast_tool_attempts_total', { tool, outcome: name });
      const retries = sum('holdfast_tool_retries_total', { tool });
      const expected = {
        totalExecutions: sum('holdfast_tool_calls_total', { tool }),
        successCount: outcome('success'),
        errorCount: outcome('error') + outcome('refused') + outcome('rejected') + outcome('skipped'),
        timeoutCount: outcome('timeout') + outcome('unstarted'),
        cancelledCount: outcome('cancelled'),
        refusedCount: sum('holdfast_tool_refusals_total', { tool }),
        attempts: {
          errorCount: attempts('transient') + attempts('permanent') + attempts('neutral'),
          transientErrorCount: attempts('transient'),
          permanentErrorCount: attempts('permanent'),
          retryCount: retries,
          retrySuccessRate: retries === 0 ? 0 : sum('holdfast_tool_retries_succeeded_total', { tool }) / retries,
          circuitBreakerOpens: sum('holdfast_circuit_transitions_total', { tool, to: 'open' }),
          timeoutCount: sum('holdfast_tool_timeouts_total', { tool }),
        },
      };
      expect(fold.of(tool), tool).toMatchObject(expected);
    }
  });
});
