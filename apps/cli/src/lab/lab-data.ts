/** The output of `simulate --output json`: a line per world and policy. The same seeds give the same bytes. */
import type { Comparison, RunMetrics } from '@holdfast/simulate';
import type { ExpectationResult } from './expectations.ts';
import { metricData } from './metrics.ts';

export function labData(comparison: Comparison, results: readonly ExpectationResult[], withSeries: boolean): unknown {
  const { world, contender, summary, runs } = comparison;
  const expectations = results.filter((each) => each.world === world && each.policy === contender);
  return {
    world,
    policy: contender,
    seeds: runs.map(({ seed }) => seed),
    ...metricData(summary),
    notes: summary.notes,
    ...(expectations.length === 0
      ? {}
      : { expectations: expectations.map(({ expectation, holds, message }) => ({ expectation, holds, ...(holds ? {} : { message }) })) }),
    runs: runs.map((run) => runData(run, withSeries)),
  };
}

function runData(run: RunMetrics, withSeries: boolean): unknown {
  const { begun, success, latencyMs, requests, waiting } = run.series;
  const faults = run.faults.map(({ kind, of, fromMs, untilMs }) => ({ kind, of, from_ms: fromMs, until_ms: untilMs }));
  const series = { begun, success, latency_ms: latencyMs, requests, waiting };
  return { seed: run.seed, ...metricData(run), faults, ...(withSeries ? { series } : {}) };
}
