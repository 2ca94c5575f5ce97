/**
 * Owns what a rule's condition measures at a moment, for each value of its labels, and whether the condition holds. Does not own the alert's state (`alert-lifecycle.ts`).
 *
 * Invariants
 * 1. Calculated in the order in which Prometheus calculates the printed rule, so that both get the same result bit for bit.
 * 2. Without data there is no measurement: no data is not 0.
 */
import type { Labels } from './alert.ts';
import type { Series } from './increase.ts';
import { increase } from './increase.ts';
import type { KeptSeries } from './kept-series.ts';
import type { AlertCondition, AlertRule, MeanCondition, RatioCondition, SeriesSelector } from './rule.ts';
import type { SampleHistory } from './sample-history.ts';
import { metricDefinitions } from '../metrics/metric-names.ts';
import { meanSeries, selectorsOf } from './selectors.ts';

export interface Measurement {
  /** The labels of the rule's `by` and their values. */
  readonly labels: Labels;
  /** A share, a mean in seconds or a count. NaN when nothing happened. */
  readonly value: number;
  /** For a share: its numerator. */
  readonly part?: number;
  /** For a share or mean: the number of observations. */
  readonly volume?: number;
  /** The mean that is shown beside this one. */
  readonly beside?: number;
}

/** Measurements by the values of the rule's labels. */
export type Measurements = ReadonlyMap<string, Measurement>;

export function measure(rule: AlertRule, history: SampleHistory, nowEpochMs: number): Measurements {
  const { condition, windowMs = 0 } = rule;
  const growthOf = (of: SeriesSelector): ReadonlyMap<string, Sum> =>
    sumBy(rule.by, history.select(of), (series) => increase(series, nowEpochMs, windowMs));
  switch (condition.kind) {
    case 'ratio':
      return joinSums(growthOf(condition.part), growthOf(condition.whole), (part, whole) => ({
        value: finite(part / whole),
        part,
        volume: whole,
      }));
    case 'mean': {
      const besides = condition.beside ? means(condition.beside, growthOf) : undefined;
      return new Map([...means(condition.of, growthOf)].map(([key, mean]) => [key, { ...mean, ...besideOf(besides?.get(key)) }]));
    }
    case 'increase':
      return new Map([...growthOf(condition.of)].map(([key, { labels, sum }]) => [key, { labels, value: sum }]));
    case 'value': {
      const now = sumBy(rule.by, history.select(condition.of), (series) => latest(series, nowEpochMs));
      return new Map([...now].map(([key, { labels, sum }]) => [key, { labels, value: sum }]));
    }
  }
}

/** Whether the condition holds for a measurement: above the limit, or while firing above the limit for clearing. */
export function holds(condition: AlertCondition, measured: Measurement, firing: boolean): boolean {
  switch (condition.kind) {
    case 'ratio':
      return ratioExceeds(condition, measured) || (firing && condition.clearBelow !== undefined && measured.value > condition.clearBelow);
    case 'mean':
      return meanExceeds(condition, measured) || (firing && condition.clearBelow !== undefined && measured.value > condition.clearBelow);
    case 'increase':
    case 'value':
      return measured.value > condition.above;
  }
}

/** Whether the rule can alert about a tool that never ran: the condition holds at 0, or it counts closed circuits. */
export function readsIdleTools(rule: AlertRule): boolean {
  const { condition } = rule;
  const limit = ('clearBelow' in condition ? condition.clearBelow : undefined) ?? condition.above;
  const readsClosed = ({ metric, labels: { state = 'closed' } = {} }: SeriesSelector): boolean =>
    metric === metricDefinitions.circuitState.name && (state === 'closed' || state.includes('closed'));
  return limit < 0 || selectorsOf(rule).some(readsClosed);
}

/** How far the numerator has to be above `limit × volume`, per square root of the volume: the lower Wilson bound solved for the numerator. */
export function wilsonMargin({ above, deviations = 0 }: RatioCondition): number {
  return deviations * Math.sqrt(above * (1 - above));
}

function ratioExceeds(condition: RatioCondition, { value, part = 0, volume = 0 }: Measurement): boolean {
  if (volume < (condition.minimumVolume ?? 0)) return false;
  if (!condition.deviations) return value > condition.above;
  return part > condition.above * volume + wilsonMargin(condition) * Math.sqrt(volume);
}

function meanExceeds({ above, minimumVolume = 0 }: MeanCondition, { value, volume = 0 }: Measurement): boolean {
  return value > above && volume >= minimumVolume;
}

interface Sum {
  readonly labels: Labels;
  readonly sum: number;
}

function sumBy(by: readonly string[], all: readonly KeptSeries[], read: (series: Series) => number | undefined): ReadonlyMap<string, Sum> {
  const sums = new Map<string, Sum>();
  for (const series of all) {
    const value = read(series);
    if (value === undefined) continue;
    const key = keyOfAlert(by, series.labels);
    const before = sums.get(key);
    sums.set(key, before ? { labels: before.labels, sum: before.sum + value } : { labels: pickLabels(by, series.labels), sum: value });
  }
  return sums;
}

/** The key of the alert, among those of a rule, that a series belongs to. */
export function keyOfAlert(by: readonly string[], labels: Labels): string {
  const [only] = by;
  if (by.length === 1 && only !== undefined) return labels[only] ?? '';
  return by.map((name) => labels[name] ?? '').join('\u0000');
}

const pickLabels = (by: readonly string[], labels: Labels): Labels =>
  Object.fromEntries(by.flatMap((name) => (labels[name] ? [[name, labels[name]]] : [])));

function joinSums(
  left: ReadonlyMap<string, Sum>,
  right: ReadonlyMap<string, Sum>,
  join: (left: number, right: number) => Omit<Measurement, 'labels'>,
): ReadonlyMap<string, Measurement> {
  const found = new Map<string, Measurement>();
  for (const [key, { labels, sum }] of left) {
    const other = right.get(key);
    if (other) found.set(key, { labels, ...join(sum, other.sum) });
  }
  return found;
}

function means(of: SeriesSelector, growthOf: (of: SeriesSelector) => ReadonlyMap<string, Sum>): ReadonlyMap<string, Measurement> {
  const [sum, count] = meanSeries(of);
  return joinSums(growthOf(sum), growthOf(count), (total, volume) => ({ value: finite(total / volume), volume }));
}

/** JSON has no Infinity, which a share or mean of nothing would give. The result is above every limit either way. */
const finite = (value: number): number => Math.min(value, Number.MAX_VALUE);

const besideOf = (mean: Measurement | undefined): { readonly beside?: number } => (mean && mean.volume ? { beside: mean.value } : {});

/** The value at exactly this moment; a series without one has ended. */
const latest = ({ times, values }: Series, nowEpochMs: number): number | undefined =>
  times.at(-1) === nowEpochMs ? values.at(-1) : undefined;
