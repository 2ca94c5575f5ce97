/** Owns the figures of a contender's runs in one world. */
import type { RunMetrics } from '../metrics/metrics.ts';
import { figureOf, type Figure } from './figure.ts';

/** Figures that no run has are absent. */
export interface Standing {
  /** Name of the world. */
  readonly world: string;
  /** Name of the contender. */
  readonly contender: string;
  /** How many runs the figures are made of: one per seed. */
  readonly runs: number;
  /** Share of the turns that succeeded; see `RunMetrics.success`. */
  readonly success?: Figure;
  /** The same, of turns begun while a fault lasted. */
  readonly during?: Figure;
  /** The same, of turns begun in the 30 s after the last fault. */
  readonly after30s?: Figure;
  /** Mean duration of turns that succeeded. */
  readonly meanMs?: Figure;
  /** 99th percentile of the duration of turns that succeeded. */
  readonly p99Ms?: Figure;
  /** Mean duration of turns that did not succeed. */
  readonly failedWaitMs?: Figure;
  /** Requests sent per call. */
  readonly requestsPerCall?: Figure;
  /** Requests sent while a fault lasted, per call begun meanwhile. */
  readonly requestsPerCallDuring?: Figure;
  /** Requests in the second that had most. */
  readonly peakPerSecond?: Figure;
  /** Mean of the runs that recovered. */
  readonly recoveryS?: Figure;
  /** Number of runs that never recovered. */
  readonly neverRecovered: number;
  /** Side effects of unsafe tools beyond the first of each call. */
  readonly duplicates?: Figure;
  /** Requests that were worked on although their caller had gone. */
  readonly wastedRequests?: Figure;
  /** Turns that did not succeed, but had a call that did. */
  readonly partialTurns?: Figure;
}

const names = [
  'success',
  'during',
  'after30s',
  'meanMs',
  'p99Ms',
  'failedWaitMs',
  'requestsPerCall',
  'requestsPerCallDuring',
  'peakPerSecond',
  'duplicates',
  'wastedRequests',
  'partialTurns',
] as const;

/** Combines the runs of one contender in one world over several seeds. */
export function standingOf(runs: readonly RunMetrics[]): Standing {
  const [first] = runs;
  if (!first) throw new RangeError('standingOf needs at least one run.');
  const figures: Record<string, Figure> = {};
  for (const name of names) {
    const figure = figureOf(runs.map((run) => run[name]));
    if (figure) figures[name] = figure;
  }
  const recovery = figureOf(runs.map(({ recoveryS }) => (recoveryS === 'never' ? null : recoveryS)));
  return {
    world: first.world,
    contender: first.contender,
    runs: runs.length,
    ...figures,
    ...(recovery && { recoveryS: recovery }),
    neverRecovered: runs.filter(({ recoveryS }) => recoveryS === 'never').length,
  };
}
