/** Owns the figures of a contender's runs in one world. */
import type { RunMetrics } from '../metrics/metrics.ts';
import { figureOf, type Figure } from './figure.ts';

/** Figures that no run has are absent. */
export interface Standing {
  readonly world: string;
  readonly contender: string;
  readonly runs: number;
  readonly success?: Figure;
  readonly during?: Figure;
  readonly after30s?: Figure;
  readonly meanMs?: Figure;
  readonly p99Ms?: Figure;
  readonly failedWaitMs?: Figure;
  readonly requestsPerCall?: Figure;
  readonly requestsPerCallDuring?: Figure;
  readonly peakPerSecond?: Figure;
  /** Mean of the runs that recovered. */
  readonly recoveryS?: Figure;
  /** Number of runs that never recovered. */
  readonly neverRecovered: number;
  readonly duplicates?: Figure;
  readonly wastedRequests?: Figure;
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
