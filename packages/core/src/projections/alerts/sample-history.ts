/**
 * Owns the samples of the series that the rules select, as far back as the longest window over each reaches. Does not own what they mean.
 *
 * Invariants
 * 1. Times ascend. A sample of the same moment replaces the earlier one.
 * 2. A sample less than half an interval after its predecessor is replaced by the next one: evaluations triggered by events cannot make the history grow.
 * 3. When the clock is set back, samples later than the new time are removed.
 * 4. A series without a sample at a moment has ended at that moment: `latest` does not find it, but its past stays within the window.
 * 5. At most `maxSeries` series; further ones are not kept.
 */
import type { ActiveReading, MetricSample, ReadSample } from '../metrics/samples.ts';
import type { Labels } from './alert.ts';
import type { KeptSeries } from './kept-series.ts';
import type { SeriesSelector } from './rule.ts';
import { selects } from './selectors.ts';
import { packSeries, unpackSeries, type SavedHistory } from './saved-history.ts';

/** Series that a rule selects, and how far back. */
interface WatchedSeries {
  readonly of: SeriesSelector;
  readonly windowMs: number;
}

export interface SampleHistoryOptions {
  readonly watched: readonly WatchedSeries[];
  readonly intervalMs: number;
  /** A new series gets a sample of 0 at the previous moment. */
  readonly beginAtZero: boolean;
  /** Whether a series can matter that has always been 0. Where series do not begin at 0, it does. */
  readonly readsIdle: boolean;
  /** @default 50000 */
  readonly maxSeries?: number;
}

interface Metric {
  readonly selectors: readonly SeriesSelector[];
  readonly keepMs: number;
  readonly series: Map<string, KeptSeries>;
  /** Cache by the labels object, for sources that pass the same object for a series every time. */
  known: WeakMap<Labels, KeptSeries | 'unwanted'>;
  /** Cache of the series of each selector. */
  readonly selected: Map<SeriesSelector, readonly KeptSeries[]>;
}

/** What is sampled: the metrics fold of `@holdfast/core/metrics`. */
export interface SampleSource {
  /** Returns the samples of all series of that name; see `Metrics`. */
  samples(name: string): readonly MetricSample[];
  /** Begins a reading without tools that never ran; see `Metrics`. @default all series are read every time */
  readActive?(): ActiveReading;
}

interface Moment {
  readonly at: number;
  /** The number of the reading; 0 without one. */
  readonly reading: number;
}

/** Evaluations between two removals of old samples: no window reaches them, they only use memory. */
const FORGET_EVERY = 16;

export class SampleHistory {
  readonly #options: SampleHistoryOptions;
  readonly #metrics: ReadonlyMap<string, Metric>;
  readonly #keepMs: number;
  #moments: Moment[] = [];
  #size = 0;
  #evaluations = 0;

  constructor(options: SampleHistoryOptions) {
    this.#options = options;
    this.#metrics = byMetric(options.watched);
    this.#keepMs = Math.max(0, ...options.watched.map(({ windowMs }) => windowMs));
  }

  add(nowEpochMs: number, metrics: SampleSource): void {
    this.#removeReplaced(nowEpochMs);
    const reading = this.#options.readsIdle ? undefined : metrics.readActive?.();
    const source = reading ?? metrics;
    for (const [name, metric] of this.#metrics) for (const sample of source.samples(name)) this.#append(nowEpochMs, metric, sample);
    this.#moments.push({ at: nowEpochMs, reading: reading?.number ?? 0 });
    this.#evaluations++;
    if (this.#evaluations % FORGET_EVERY === 0) this.#forget(nowEpochMs);
  }

  /** Returns every series that the selector selects. */
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
    this.#forget(this.#moments.at(-1)?.at ?? 0);
    return packSeries(
      this.#moments.map(({ at }) => at),
      this.#all(),
    );
  }

  restore(saved: SavedHistory): void {
    for (const metric of this.#metrics.values()) {
      metric.series.clear();
      dropCaches(metric);
    }
    this.#moments = saved.moments.map((at) => ({ at, reading: 0 }));
    for (const kept of unpackSeries(saved)) {
      const metric = this.#metrics.get(kept.name);
      if (metric?.selectors.some((selector) => selects(selector, kept.labels))) metric.series.set(seriesKey(kept.labels), kept);
    }
    this.#size = this.#all().length;
  }

  #all(): readonly KeptSeries[] {
    return [...this.#metrics.values()].flatMap(({ series }) => [...series.values()]);
  }

  #removeReplaced(nowEpochMs: number): void {
    while ((this.#moments.at(-1)?.at ?? -Infinity) >= nowEpochMs) this.#removeLast();
    const [before, last] = this.#moments.slice(-2);
    if (before && last && last.at - before.at < this.#options.intervalMs / 2) this.#removeLast();
  }

  #removeLast(): void {
    const moment = this.#moments.pop()?.at;
    for (const { times, values } of this.#all()) {
      if (times.at(-1) !== moment) continue;
      times.pop();
      values.pop();
    }
  }

  #append(nowEpochMs: number, metric: Metric, sample: ReadSample): void {
    const { labels, value } = sample;
    const series = metric.known.get(labels) ?? this.#find(metric, sample);
    if (series === 'unwanted') return;
    series.times.push(nowEpochMs);
    series.values.push(value);
  }

  #find(metric: Metric, sample: ReadSample): KeptSeries | 'unwanted' {
    const { labels } = sample;
    const key = seriesKey(labels);
    const series = metric.series.get(key) ?? this.#create(metric, key, sample) ?? 'unwanted';
    metric.known.set(labels, series);
    return series;
  }

  #create(metric: Metric, key: string, { name, labels, bornAfter = Infinity }: ReadSample): KeptSeries | undefined {
    if (this.#size >= (this.#options.maxSeries ?? 50_000) || !metric.selectors.some((selector) => selects(selector, labels)))
      return undefined;
    const before = this.#zeroMoments(bornAfter);
    const created = { name, labels, times: before.map(({ at }) => at), values: before.map(() => 0) };
    metric.series.set(key, created);
    dropCaches(metric);
    this.#size++;
    return created;
  }

  /** The moments at which a new series was 0: those since its tool was known, and the one before. */
  #zeroMoments(bornAfter: number): readonly Moment[] {
    const first = this.#moments.findLastIndex(({ reading }) => reading <= bornAfter) + 1;
    return this.#options.beginAtZero ? this.#moments.slice(Math.max(0, first - 1)) : [];
  }

  #forget(nowEpochMs: number): void {
    this.#moments = this.#moments.filter(({ at }) => at >= nowEpochMs - this.#keepMs);
    for (const metric of this.#metrics.values()) {
      for (const [key, { times, values }] of metric.series) {
        const kept = times.findIndex((time) => time >= nowEpochMs - metric.keepMs);
        const old = kept === -1 ? times.length : kept;
        times.splice(0, old);
        values.splice(0, old);
        if (times.length > 0) continue;
        metric.series.delete(key);
        dropCaches(metric);
        this.#size--;
      }
    }
  }
}

/** Drops the caches of a metric whose set of series has changed. */
function dropCaches(metric: Metric): void {
  metric.known = new WeakMap();
  metric.selected.clear();
}

function byMetric(watched: readonly WatchedSeries[]): ReadonlyMap<string, Metric> {
  const names = new Set(watched.map(({ of }) => of.metric));
  return new Map(
    [...names].map((name): [string, Metric] => {
      const ofMetric = watched.filter(({ of }) => of.metric === name);
      const keepMs = Math.max(...ofMetric.map(({ windowMs }) => windowMs));
      return [name, { selectors: ofMetric.map(({ of }) => of), keepMs, series: new Map(), known: new WeakMap(), selected: new Map() }];
    }),
  );
}

/** Sources list the labels of a series in the same order every time. */
function seriesKey(labels: Labels): string {
  let key = '';
  for (const name in labels) key += `${name}\u0000${labels[name] ?? ''}\u0000`;
  return key;
}
