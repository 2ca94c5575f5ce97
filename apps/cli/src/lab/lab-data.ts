/** Owns what `simulate --output json` prints: a line per world and policy. The same seeds give the same bytes. */
import type { Comparison, RunMetrics } from '@holdfast/simulate';
import type { Checked } from './expectations.ts';
import { figureData } from './figures.ts';

export function labData(comparison: Comparison, checked: readonly Checked[], withSeries: boolean): unknown {
  const { world, contender, summary, runs } = comparison;
  const own = checked.filter((each) => each.world === world && each.policy === contender);
  return {
    world,
    policy: contender,
    seeds: runs.map(({ seed }) => seed),
    ...figureData(summary),
    notes: summary.notes,
    ...(own.length === 0
      ? {}
      : { expectations: own.map(({ expectation, holds, message }) => ({ expectation, holds, ...(holds ? {} : { message }) })) }),
    runs: runs.map((run) => runData(run, withSeries)),
  };
}

function runData(run: RunMetrics, withSeries: boolean): unknown {
  const { begun, success, latencyMs, requests, waiting } = run.series;
  const faults = run.faults.map(({ kind, of, fromMs, untilMs }) => ({ kind, of, from_ms: fromMs, until_ms: untilMs }));
  const series = { begun, success, latency_ms: latencyMs, requests, waiting };
  return { seed: run.seed, ...figureData(run), faults, ...(withSeries ? { series } : {}) };
}
