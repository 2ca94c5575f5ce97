/**
 * Owns the samples of the series that the rules look at, for as far back as the longest window over them reaches. Does not own what they mean.
 *
 * Invariants
 * 1. Times ascend. A sample of the same moment takes the place of the one before it.
 * 2. A sample that came less than half an interval after its predecessor gives way to the next one: events that bring evaluations cannot make the history grow.
 * 3. Time that was set back takes the samples of the time that is not yet with it.
 * 4. A series that is not among the samples of a moment has ended at that moment: `latest` does not know it, its past stays within the window.
 * 5. At most `maxSeries` series; what is beyond is not kept.
 */
import type { Metrics } from '../metrics/create-metrics.ts';
import type { MetricSample } from '../metrics/samples.ts';
import type { Labels } from './alert.ts';
import type { Series } from './increase.ts';
import type { SeriesSelector } from './rule.ts';
import { packSeries, unpackSeries, type SavedHistory } from './saved-history.ts';

export interface KeptSeries extends Series {
  readonly name: string;
  readonly labels: Labels;
  readonly times: number[];
  readonly values: number[];
}

/** Series that a rule looks at, and how far back. */
export interface Watched {
  readonly of: SeriesSelector;
  readonly windowMs: number;
}

export interface SampleHistoryOptions {
  readonly watched: readonly Watched[];
  readonly intervalMs: number;
  /** A series that appears was 0 at the moment before. */
  readonly beginAtZero: boolean;
  /** @default 50000 */
  readonly maxSeries?: number;
}

interface Metric {
  readonly selectors: readonly SeriesSelector[];
  readonly keepMs: number;
  readonly series: Map<string, KeptSeries>;
}

export class SampleHistory {
  readonly #options: SampleHistoryOptions;
  readonly #metrics: ReadonlyMap<string, Metric>;
  readonly #keepMs: number;
  #moments: number[] = [];
  #size = 0;

  constructor(options: SampleHistoryOptions) {
    this.#options = options;
    this.#metrics = byMetric(options.watched);
    this.#keepMs = Math.max(0, ...options.watched.map(({ windowMs }) => windowMs));
  }

  add(nowEpochMs: number, metrics: Pick<Metrics, 'samples'>): void {
    this.#makeRoom(nowEpochMs);
    for (const [name, metric] of this.#metrics) {
      for (const sample of metrics.samples(name)) this.#append(nowEpochMs, metric, sample);
      this.#forget(metric, nowEpochMs - metric.keepMs);
    }
    this.#moments = [...this.#moments.filter((moment) => moment >= nowEpochMs - this.#keepMs), nowEpochMs];
  }

  /** Every series that is selected. */
  select(selector: SeriesSelector): readonly KeptSeries[] {
    const metric = this.#metrics.get(selector.metric);
    return metric ? [...metric.series.values()].filter(({ labels }) => selects(selector, labels)) : [];
  }

  save(): SavedHistory {
    return packSeries(this.#moments, this.#all());
  }

  restore(saved: SavedHistory): void {
    for (const { series } of this.#metrics.values()) series.clear();
    this.#moments = [...saved.moments];
    for (const kept of unpackSeries(saved)) {
      const metric = this.#metrics.get(kept.name);
      if (metric?.selectors.some((selector) => selects(selector, kept.labels))) metric.series.set(seriesKey(kept.labels), kept);
    }
    this.#size = this.#all().length;
  }

  #all(): readonly KeptSeries[] {
    return [...this.#metrics.values()].flatMap(({ series }) => [...series.values()]);
  }

  #makeRoom(nowEpochMs: number): void {
    while ((this.#moments.at(-1) ?? -Infinity) >= nowEpochMs) this.#undo();
    const [before, last] = this.#moments.slice(-2);
    if (before !== undefined && last !== undefined && last - before < this.#options.intervalMs / 2) this.#undo();
  }

  #undo(): void {
    const moment = this.#moments.pop();
    for (const { times, values } of this.#all()) {
      if (times.at(-1) !== moment) continue;
      times.pop();
      values.pop();
    }
  }

  #append(nowEpochMs: number, metric: Metric, { name, labels, value }: MetricSample): void {
    const key = seriesKey(labels);
    const series = metric.series.get(key) ?? this.#begin(metric, key, name, labels);
    series?.times.push(nowEpochMs);
    series?.values.push(value);
  }

  #begin({ series, selectors }: Metric, key: string, name: string, labels: Labels): KeptSeries | undefined {
    if (this.#size >= (this.#options.maxSeries ?? 50_000) || !selectors.some((selector) => selects(selector, labels))) return undefined;
    const before = this.#options.beginAtZero ? this.#moments.slice(-1) : [];
    const begun = { name, labels, times: [...before], values: before.map(() => 0) };
    series.set(key, begun);
    this.#size++;
    return begun;
  }

  #forget({ series }: Metric, beforeEpochMs: number): void {
    for (const [key, { times, values }] of series) {
      let old = 0;
      while (old < times.length && (times[old] ?? 0) < beforeEpochMs) old++;
      if (old > 0) {
        times.splice(0, old);
        values.splice(0, old);
      }
      if (times.length === 0 && series.delete(key)) this.#size--;
    }
  }
}

function byMetric(watched: readonly Watched[]): ReadonlyMap<string, Metric> {
  const names = new Set(watched.map(({ of }) => of.metric));
  return new Map(
    [...names].map((name) => {
      const own = watched.filter(({ of }) => of.metric === name);
      const keepMs = Math.max(...own.map(({ windowMs }) => windowMs));
      return [name, { selectors: own.map(({ of }) => of), keepMs, series: new Map<string, KeptSeries>() }];
    }),
  );
}

/** Whoever tells of a series tells its labels in the same order every time. */
function seriesKey(labels: Labels): string {
  let key = '';
  for (const name in labels) key += `${name}\u0000${labels[name] ?? ''}\u0000`;
  return key;
}

function selects({ labels: wanted = {} }: SeriesSelector, labels: Labels): boolean {
  for (const name in wanted) {
    const value = wanted[name] ?? '';
    const has = labels[name] ?? '';
    if (typeof value === 'string' ? has !== value : !value.includes(has)) return false;
  }
  return true;
}
