/** Owns the picture of a search for better settings: what each costs and brings, and which one is recommended. */
import type { HistoryFigures, Tuned, TunePoint } from '@holdfast/simulate';
import { shownFigure } from '../../lab/figures.ts';
import { wrapSentence } from '../summary/wrap.ts';
import { type Cell, cell, lineText, type Surface } from '../text/cell.ts';
import { count, duration } from '../text/format.ts';
import { renderFigures } from './figure-table.ts';
import { shownRange } from './what-if.ts';

const titles = ['', 'success', 'requests/call', 'added', 'p99', 'recorded calls', 'observed'] as const;

export interface TunedView {
  /** Those that something beats as well. */
  readonly all: boolean;
}

export function renderTuned(tuned: Tuned, { all }: TunedView, surface: Surface): readonly string[] {
  const { fitted, points, current, recommended } = tuned;
  const shown = points.filter((point) => all || point.onFront || point === current || point === recommended?.point);
  const sentenceLines = (sentence: string, indent = 1): readonly string[] =>
    wrapSentence(cell(sentence), surface.width, indent).map((line) => lineText(line, surface));
  return [
    ...sentenceLines(
      `${tuned.toolName}: ${count(fitted.calls, 'call')} and ${count(fitted.attempts, 'attempt')} recorded, ${rate(fitted.callsPerSecond)}; outside of outages ${shownFigure(fitted.failureShare, 'share')} of the attempts failed, ${shownFigure(fitted.timeoutShare, 'share')} timed out${fitted.throttledShare === 0 ? '' : `, ${shownFigure(fitted.throttledShare, 'share')} were turned away for the number of requests`}; p50 ${duration(fitted.p50Ms)}, p95 ${duration(fitted.p95Ms)}, p99 ${duration(fitted.p99Ms)}.`,
    ),
    ...(tuned.leftOut.length === 0 ? [] : sentenceLines(`${count(tuned.leftOut.length, 'turn')} left out: ${leftOutReasons(tuned)}.`)),
    '',
    ...renderFigures(
      titles,
      shown.map((point) => row(point, shown, tuned)),
      surface,
    ),
    '',
    ...settingsLines(shown, tuned).flatMap(([name, words]) => sentenceLines(`${name}: ${words}`)),
    '',
    ...sentenceLines(
      `${count(points.length, 'setting')} tried${tuned.cancelled ? ', then the search was ended' : ''}${all ? '' : `; ${shown.length} shown: those that nothing beats, and the present ones`}.`,
    ),
    ...sentenceLines(
      'success to p99: in worlds fitted to the record. recorded calls: what would have become of them, as a range in which the truth lies.',
    ),
    '',
    ...recommendation(shown, tuned).flatMap((line, index) => sentenceLines(line, index === 0 ? 1 : 3)),
  ];
}

/** Settings are many words: they stand below the table, by number. */
const nameOf = (point: TunePoint, shown: readonly TunePoint[], { current }: Tuned): string =>
  point === current ? 'now' : String(shown.filter((each) => each !== current).indexOf(point) + 1);

const settingsLines = (shown: readonly TunePoint[], tuned: Tuned): readonly (readonly [string, string])[] =>
  shown.filter((point) => point !== tuned.current).map((point) => [nameOf(point, shown, tuned), point.words.join(', ')]);

function row(point: TunePoint, shown: readonly TunePoint[], tuned: Tuned): readonly Cell[] {
  const { lab, history } = point;
  const { current, recommended } = tuned;
  return [
    cell(nameOf(point, shown, tuned), point === recommended?.point ? 'good' : point === current ? 'strong' : 'plain'),
    cell(shownFigure(lab.success, 'share')),
    cell(lab.requestsPerCall.toFixed(2)),
    cell(`${lab.addedLatencyMs < 0 ? '-' : '+'}${duration(Math.abs(lab.addedLatencyMs))}`),
    cell(duration(lab.p99Ms)),
    cell(history ? shownRange(history.success, (share) => shownFigure(share, 'share')) : 'not asked', history ? 'plain' : 'dim'),
    cell(history ? observed(history) : ''),
  ];
}

const observed = ({ observedShare }: HistoryFigures): string =>
  `${observedShare < 1 ? Math.min(99, Math.round(observedShare * 100)) : 100}%`;

const rate = (perSecond: number): string =>
  perSecond >= 1 ? `${perSecond.toFixed(1)} per second` : `${(perSecond * 60).toFixed(1)} per minute`;

function leftOutReasons({ leftOut }: Tuned): string {
  const counts = new Map<string, number>();
  for (const { reason } of leftOut) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, number]) => `${number} ${reason.replaceAll('_', ' ')}`).join(', ');
}

function recommendation(shown: readonly TunePoint[], tuned: Tuned): readonly string[] {
  const { recommended } = tuned;
  if (!recommended) return ['Nothing is recommended: the present settings are as good as any, or too little is known.'];
  return [
    `Recommended: ${nameOf(recommended.point, shown, tuned)}.`,
    recommended.reason,
    `Confidence ${recommended.confidence}: ${recommended.because.join(' ')}`,
  ];
}
