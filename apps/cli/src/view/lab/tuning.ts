/** Renders the result of `tune`: the cost and benefit of each setting, and the recommendation. */
import type { HistoryFigures, Tuned, TunePoint } from '@holdfast/simulate';
import { formatMetric } from '../../lab/metrics.ts';
import { sentenceLines } from '../summary/wrap.ts';
import { type Cell, cell, type Surface } from '../text/cell.ts';
import { pluralize, formatDuration } from '../text/format.ts';
import { renderMetricTable } from './metric-table.ts';
import { formatRange } from './what-if.ts';

const titles = ['', 'success', 'requests/call', 'added', 'p99', 'recorded calls', 'observed'] as const;

export interface TuningView {
  /** Show dominated settings too. */
  readonly all: boolean;
}

export function renderTuning(tuned: Tuned, { all }: TuningView, surface: Surface): readonly string[] {
  const { fitted, points, current, recommended } = tuned;
  const shown = points.filter((point) => all || point.onFront || point === current || point === recommended?.point);
  const lines = (sentence: string, indent = 1): readonly string[] => sentenceLines(sentence, surface, indent);
  return [
    ...lines(
      `${tuned.toolName}: ${pluralize(fitted.calls, 'call')} and ${pluralize(fitted.attempts, 'attempt')} recorded, ${formatRate(fitted.callsPerSecond)}; outside of outages, ${formatMetric(fitted.failureShare, 'fraction')} of the attempts failed, ${formatMetric(fitted.timeoutShare, 'fraction')} timed out${fitted.throttledShare === 0 ? '' : `, ${formatMetric(fitted.throttledShare, 'fraction')} were rate-limited`}; p50 ${formatDuration(fitted.p50Ms)}, p95 ${formatDuration(fitted.p95Ms)}, p99 ${formatDuration(fitted.p99Ms)}.`,
    ),
    ...(tuned.leftOut.length === 0 ? [] : lines(`${pluralize(tuned.leftOut.length, 'turn')} left out: ${leftOutReasons(tuned)}.`)),
    '',
    ...renderMetricTable(
      titles,
      shown.map((point) => row(point, shown, tuned)),
      surface,
    ),
    '',
    ...settingsLines(shown, tuned).flatMap(([name, words]) => lines(`${name}: ${words}`)),
    '',
    ...lines(
      `${pluralize(points.length, 'setting')} tried${tuned.cancelled ? ', then the search was stopped' : ''}${all ? '' : `; ${shown.length} shown: the Pareto-optimal ones and the current one`}.`,
    ),
    ...lines(
      'success to p99: in simulations fitted to the record. recorded calls: their success rate under the settings, as lower and upper bound.',
    ),
    '',
    ...recommendation(shown, tuned).flatMap((line, index) => lines(line, index === 0 ? 1 : 3)),
  ];
}

/** Descriptions of settings are long: they are below the table, by number. */
const nameOf = (point: TunePoint, shown: readonly TunePoint[], { current }: Tuned): string =>
  point === current ? 'current' : String(shown.filter((each) => each !== current).indexOf(point) + 1);

const settingsLines = (shown: readonly TunePoint[], tuned: Tuned): readonly (readonly [string, string])[] =>
  shown.filter((point) => point !== tuned.current).map((point) => [nameOf(point, shown, tuned), point.words.join(', ')]);

function row(point: TunePoint, shown: readonly TunePoint[], tuned: Tuned): readonly Cell[] {
  const { lab, history } = point;
  const { current, recommended } = tuned;
  return [
    cell(nameOf(point, shown, tuned), point === recommended?.point ? 'good' : point === current ? 'strong' : 'plain'),
    cell(formatMetric(lab.success, 'fraction')),
    cell(lab.requestsPerCall.toFixed(2)),
    cell(`${lab.addedLatencyMs <= -0.5 ? '-' : '+'}${formatDuration(Math.abs(lab.addedLatencyMs))}`),
    cell(formatDuration(lab.p99Ms)),
    cell(history ? formatRange(history.success, (share) => formatMetric(share, 'fraction')) : 'not evaluated', history ? 'plain' : 'dim'),
    cell(history ? formatObserved(history) : ''),
  ];
}

const formatObserved = ({ observedShare }: HistoryFigures): string =>
  `${observedShare < 1 ? Math.min(99, Math.round(observedShare * 100)) : 100}%`;

const formatRate = (perSecond: number): string =>
  perSecond >= 1 ? `${perSecond.toFixed(1)} per second` : `${(perSecond * 60).toFixed(1)} per minute`;

function leftOutReasons({ leftOut }: Tuned): string {
  const counts = new Map<string, number>();
  for (const { reason } of leftOut) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, number]) => `${number} ${reason.replaceAll('_', ' ')}`).join(', ');
}

function recommendation(shown: readonly TunePoint[], tuned: Tuned): readonly string[] {
  const { recommended } = tuned;
  if (!recommended) return ['No recommendation: no other setting is clearly better, or there is too little data.'];
  return [
    `Recommended: ${nameOf(recommended.point, shown, tuned)}.`,
    recommended.reason,
    `Confidence ${recommended.confidence}: ${recommended.because.join(' ')}`,
  ];
}
