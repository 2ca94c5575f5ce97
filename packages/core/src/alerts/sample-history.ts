/**
 * Owns the samples of the series that the rules look at, for as far back as the longest window reaches. Does not own what they mean.
 *
 * Invariants
 * 1. Times ascend. A sample of the same moment takes the place of the one before it.
 * 2. A sample that came less than half an interval after its predecessor gives way to the next one: events that bring evaluations cannot make the history grow.
 * 3. Time that was set back takes the samples of the time that is not yet with it.
 * 4. A series that is not among the samples of a moment has ended at that moment: `latest` does not know it, its past stays within the window.
 * 5. At most `maxSeries` series; what is beyond is counted, not kept.
 */
import type { Metrics } from '../metrics/create-metrics.ts';
import type { MetricSample } from '../metrics/samples.ts';
import type { Labels } from './alert.ts';
import type { Series } from './increase.ts';
import type { SeriesSelector } from './rule.ts';

export interface KeptSeries extends Series {
  readonly name: string;
  readonly labels: Labels;
  readonly times: number[];
  readonly values: number[];
}

export interface SampleHistoryOptions {
  /** Series that anybody will ask for. */
  readonly selectors: readonly SeriesSelector[];
  readonly keepMs: number;
  readonly intervalMs: number;
  /** A series that appears was 0 at the moment before. */
  readonly beginAtZero: boolean;
  /** @default 5000 */
  readonly maxSeries?: number;
}

export type SavedHistory = readonly {
  readonly name: string;
  readonly labels: Labels;
  readonly times: readonly number[];
  readonly values: readonly number[];
}[];

export class SampleHistory {
  readonly #options: SampleHistoryOptions;
  readonly #wanted: ReadonlyMap<string, readonly SeriesSelector[]>;
  readonly #series = new Map<string, KeptSeries>();
  #moments: number[] = [];
  /** Samples of series beyond the limit. */
  dropped = 0;

  constructor(options: SampleHistoryOptions) {
    this.#options = options;
    this.#wanted = byMetric(options.selectors);
  }

  add(nowEpochMs: number, metrics: Pick<Metrics, 'samples'>): void {
    this.#makeRoom(nowEpochMs);
    for (const name of this.#wanted.keys())
      for (const sample of metrics.samples(name)) if (this.#wants(name, sample.labels)) this.#append(nowEpochMs, name, sample);
    this.#moments.push(nowEpochMs);
    this.#forget(nowEpochMs - this.#options.keepMs);
  }

  /** Every series that is selected. */
  select(selector: SeriesSelector): readonly KeptSeries[] {
    return [...this.#series.values()].filter((series) => series.name === selector.metric && selects(selector, series.labels));
  }

  save(): SavedHistory {
    return [...this.#series.values()].map(({ name, labels, times, values }) => ({ name, labels, times: [...times], values: [...values] }));
  }

  restore(saved: SavedHistory): void {
    this.#series.clear();
    for (const { name, labels, times, values } of saved) {
      if (!this.#wants(name, labels)) continue;
      this.#series.set(seriesKey(name, labels), { name, labels, times: [...times], values: [...values] });
    }
    this.#moments = [...new Set([...this.#series.values()].flatMap(({ times }) => times))].toSorted((a, b) => a - b);
  }

  #makeRoom(nowEpochMs: number): void {
    while ((this.#moments.at(-1) ?? -Infinity) >= nowEpochMs) this.#undo();
    const [before, last] = this.#moments.slice(-2);
    if (before !== undefined && last !== undefined && last - before < this.#options.intervalMs / 2) this.#undo();
  }

  #undo(): void {
    const moment = this.#moments.pop();
    for (const { times, values } of this.#series.values()) {
      if (times.at(-1) !== moment) continue;
      times.pop();
      values.pop();
    }
  }

  #wants(name: string, labels: Labels): boolean {
    return this.#wanted.get(name)?.some((selector) => selects(selector, labels)) ?? false;
  }

  #append(nowEpochMs: number, name: string, { labels, value }: MetricSample): void {
    const key = seriesKey(name, labels);
    let series = this.#series.get(key);
    if (!series) {
      if (this.#series.size >= (this.#options.maxSeries ?? 5_000)) {
        this.dropped++;
        return;
      }
      const before = this.#options.beginAtZero ? this.#moments.slice(-1) : [];
      series = { name, labels, times: [...before], values: before.map(() => 0) };
      this.#series.set(key, series);
    }
    series.times.push(nowEpochMs);
    series.values.push(value);
  }

  #forget(beforeEpochMs: number): void {
    this.#moments = this.#moments.filter((moment) => moment >= beforeEpochMs);
    for (const [key, { times, values }] of this.#series) {
      const kept = times.findIndex((time) => time >= beforeEpochMs);
      const old = kept === -1 ? times.length : kept;
      times.splice(0, old);
      values.splice(0, old);
      if (times.length === 0) this.#series.delete(key);
    }
  }
}

function byMetric(selectors: readonly SeriesSelector[]): ReadonlyMap<string, readonly SeriesSelector[]> {
  const found = new Map<string, SeriesSelector[]>();
  for (const selector of selectors) found.set(selector.metric, [...(found.get(selector.metric) ?? []), selector]);
  return found;
}

function seriesKey(name: string, labels: Labels): string {
  return JSON.stringify([name, ...Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

function selects({ labels: wanted = {} }: SeriesSelector, labels: Labels): boolean {
  return Object.entries(wanted).every(([name, value]) => {
    const has = labels[name] ?? '';
    return typeof value === 'string' ? has === value : value.includes(has);
  });
}
