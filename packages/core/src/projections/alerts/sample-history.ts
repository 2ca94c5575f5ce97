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
import type { MetricSample } from '../metrics/samples.ts';
import type { Labels } from './alert.ts';
import type { KeptSeries } from './kept-series.ts';
import type { SeriesSelector } from './rule.ts';
import { packSeries, unpackSeries, type SavedHistory } from './saved-history.ts';

/** Series that a rule looks at, and how far back. */
interface Watched {
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
  /** The same by its labels as an object, for sources that tell of a series by the same one each time. */
  known: WeakMap<Labels, KeptSeries | 'unwanted'>;
  /** What a selector selects. */
  readonly selected: Map<SeriesSelector, readonly KeptSeries[]>;
}

/** What is sampled: the metrics fold of `@holdfast/core/metrics`. */
export interface SampleSource {
  /** All series of that name; see `Metrics`. */
  samples(name: string): readonly MetricSample[];
}

/** Evaluations between two goes at what is too old: nobody looks at it, it only takes room. */
const FORGET_EVERY = 16;

export class SampleHistory {
  readonly #options: SampleHistoryOptions;
  readonly #metrics: ReadonlyMap<string, Metric>;
  readonly #keepMs: number;
  #moments: number[] = [];
  #size = 0;
  #evaluations = 0;

  constructor(options: SampleHistoryOptions) {
    this.#options = options;
    this.#metrics = byMetric(options.watched);
    this.#keepMs = Math.max(0, ...options.watched.map(({ windowMs }) => windowMs));
  }

  add(nowEpochMs: number, metrics: SampleSource): void {
    this.#makeRoom(nowEpochMs);
    for (const [name, metric] of this.#metrics) for (const sample of metrics.samples(name)) this.#append(nowEpochMs, metric, sample);
    this.#moments.push(nowEpochMs);
    this.#evaluations++;
    if (this.#evaluations % FORGET_EVERY === 0) this.#forget(nowEpochMs);
  }

  /** Every series that is selected. */
  select(selector: SeriesSelector): readonly KeptSeries[] {
    const metric = this.#metrics.get(selector.metric);
    if (!metric) return [];
    const before = metric.selected.get(selector);
    if (before) return before;
    const found = [...metric.series.values()].filter(({ labels }) => selects(selector, labels));
    metric.selected.set(selector, found);
    return found;
  }

  save(): SavedHistory {
    this.#forget(this.#moments.at(-1) ?? 0);
    return packSeries(this.#moments, this.#all());
  }

  restore(saved: SavedHistory): void {
    for (const metric of this.#metrics.values()) {
      metric.series.clear();
      changed(metric);
    }
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
    const series = metric.known.get(labels) ?? this.#find(metric, name, labels);
    if (series === 'unwanted') return;
    series.times.push(nowEpochMs);
    series.values.push(value);
  }

  #find(metric: Metric, name: string, labels: Labels): KeptSeries | 'unwanted' {
    const key = seriesKey(labels);
    const series = metric.series.get(key) ?? this.#begin(metric, key, name, labels) ?? 'unwanted';
    metric.known.set(labels, series);
    return series;
  }

  #begin(metric: Metric, key: string, name: string, labels: Labels): KeptSeries | undefined {
    if (this.#size >= (this.#options.maxSeries ?? 50_000) || !metric.selectors.some((selector) => selects(selector, labels)))
      return undefined;
    const before = this.#options.beginAtZero ? this.#moments.slice(-1) : [];
    const begun = { name, labels, times: [...before], values: before.map(() => 0) };
    metric.series.set(key, begun);
    changed(metric);
    this.#size++;
    return begun;
  }

  #forget(nowEpochMs: number): void {
    this.#moments = this.#moments.filter((moment) => moment >= nowEpochMs - this.#keepMs);
    for (const metric of this.#metrics.values()) {
      for (const [key, { times, values }] of metric.series) {
        const kept = times.findIndex((time) => time >= nowEpochMs - metric.keepMs);
        const old = kept === -1 ? times.length : kept;
        times.splice(0, old);
        values.splice(0, old);
        if (times.length > 0) continue;
        metric.series.delete(key);
        changed(metric);
        this.#size--;
      }
    }
  }
}

/** There are other series than before. */
function changed(metric: Metric): void {
  metric.known = new WeakMap();
  metric.selected.clear();
}

function byMetric(watched: readonly Watched[]): ReadonlyMap<string, Metric> {
  const names = new Set(watched.map(({ of }) => of.metric));
  return new Map(
    [...names].map((name): [string, Metric] => {
      const own = watched.filter(({ of }) => of.metric === name);
      const keepMs = Math.max(...own.map(({ windowMs }) => windowMs));
      return [name, { selectors: own.map(({ of }) => of), keepMs, series: new Map(), known: new WeakMap(), selected: new Map() }];
    }),
  );
}

/** Anyone who tells of a series tells its labels in the same order every time. */
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
