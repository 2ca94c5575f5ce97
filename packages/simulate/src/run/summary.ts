/** Owns the means of several runs. */
import type { RunMetrics } from '../metrics/metrics.ts';

/** The figures that are averaged. */
export type MeanFigure =
  | 'turns'
  | 'calls'
  | 'requests'
  | 'success'
  | 'during'
  | 'after30s'
  | 'partialTurns'
  | 'callSuccess'
  | 'meanMs'
  | 'p50Ms'
  | 'p95Ms'
  | 'p99Ms'
  | 'failedWaitMs'
  | 'requestsPerCall'
  | 'requestsPerCallDuring'
  | 'peakPerSecond'
  | 'duplicates'
  | 'wastedRequests';

const means: readonly MeanFigure[] = [
  'turns',
  'calls',
  'requests',
  'success',
  'during',
  'after30s',
  'partialTurns',
  'callSuccess',
  'meanMs',
  'p50Ms',
  'p95Ms',
  'p99Ms',
  'failedWaitMs',
  'requestsPerCall',
  'requestsPerCallDuring',
  'peakPerSecond',
  'duplicates',
  'wastedRequests',
];

/** Means of several runs; `null` where no run has the figure. */
export type Summary = Readonly<Pick<RunMetrics, MeanFigure>> & {
  /** `'never'` if one of the runs never recovered. */
  readonly recoveryS: RunMetrics['recoveryS'];
  /** Means of the contenders' own figures; a run without one counts as 0. */
  readonly notes: Readonly<Record<string, number>>;
};

/** Returns the means of several runs, such as those of one contender with different seeds. */
export function summarize(runs: readonly RunMetrics[]): Summary {
  const numbers = Object.fromEntries(means.map((name) => [name, meanOf(runs.map((run) => run[name]))]));
  return { ...(numbers as Pick<Summary, MeanFigure>), recoveryS: recoveryOf(runs), notes: notesOf(runs) };
}

function meanOf(values: readonly (number | null)[]): number | null {
  const present = values.filter((value) => value !== null);
  return present.length === 0 ? null : present.reduce((sum, value) => sum + value, 0) / present.length;
}

function recoveryOf(runs: readonly RunMetrics[]): Summary['recoveryS'] {
  const all = runs.map(({ recoveryS }) => recoveryS);
  return all.includes('never') ? 'never' : meanOf(all.filter((each) => each !== 'never'));
}

function notesOf(runs: readonly RunMetrics[]): Summary['notes'] {
  const names = [...new Set(runs.flatMap(({ notes }) => Object.keys(notes)))].toSorted();
  return Object.fromEntries(names.map((name) => [name, meanOf(runs.map(({ notes }) => notes[name] ?? 0)) ?? 0]));
}
