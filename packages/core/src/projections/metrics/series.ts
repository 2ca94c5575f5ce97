/**
 * Owns the values of one family, for one tool or for the whole process. Does not own what is counted (`observe.ts`).
 *
 * Invariants
 * 1. Adding is O(1), and the number of series is bounded by the family's closed sets and its limit.
 * 2. Times are summed in milliseconds and read in seconds: sums of whole milliseconds stay exact.
 */
import type { HistogramBucket, HistogramSeries, Labels, MetricDefinition, NumberSeries } from './families.ts';
import { otherValue } from './metric-values.ts';
import { exemplarOf, type Origin } from './origin.ts';
import { edgeText, type ReadSample, type SamplePart, type SampleSource } from './samples.ts';

export interface NumberCell {
  readonly labels: Labels;
  value: number;
}

/** Called when a value exceeds its family's limit. */
export type OnDropped = (limit: 'label_values') => void;

const separator = '\u0000';

/** The series of a counter or gauge. */
export class NumberSet implements SampleSource {
  readonly #definition: MetricDefinition;
  readonly #base: Labels;
  readonly #names: readonly string[];
  readonly #onDropped: OnDropped;
  readonly #cells = new Map<string, NumberCell>();
  /** Number of the series that exist from the start. */
  readonly #zeros: number;
  /** Known values of the limited label. */
  readonly #knownValues = new Set<string>();
  readonly #limited: number;
  readonly #maxValues: number;
  /** The value that was used last, since most values come many times in a row. */
  #latestValue: string | undefined;
  #latestCell: NumberCell | undefined;

  constructor(definition: MetricDefinition, tool: string | undefined, onDropped: OnDropped) {
    const { labels, limit, zeros } = definition;
    this.#definition = definition;
    this.#base = tool === undefined ? {} : { tool };
    this.#names = tool === undefined ? labels : labels.slice(1);
    this.#onDropped = onDropped;
    this.#limited = limit ? this.#names.indexOf(limit.label) : -1;
    for (const values of zeros) {
      this.#knownValues.add(values[this.#limited] ?? '');
      this.#open(values.join(separator), values);
    }
    this.#zeros = this.#cells.size;
    this.#maxValues = this.#knownValues.size + (limit?.values ?? 0);
  }

  /** Returns the cell of a value, for callers that count the same value often. */
  cellOf(value: string): NumberCell {
    if (this.#latestCell && value === this.#latestValue) return this.#latestCell;
    const cell = this.#cells.get(value);
    // Not cached: every value beyond the limit has to be reported.
    if (!cell) return this.#addWithinLimit([value]);
    this.#latestValue = value;
    this.#latestCell = cell;
    return cell;
  }

  /** For families with at most one label besides `tool`. */
  add(value: string = '', by: number = 1): void {
    this.cellOf(value).value += by;
  }

  addTo(values: readonly string[], by: number = 1): void {
    const cell = this.#cells.get(values.join(separator)) ?? this.#addWithinLimit(values);
    cell.value += by;
  }

  /** Never below 0, since work that began before the first event may end after it. */
  decrement(): void {
    const cell = this.cellOf('');
    if (cell.value > 0) cell.value -= 1;
  }

  /** One-hot: 1 for this value, 0 for all others. */
  choose(value: string): void {
    for (const [key, cell] of this.#cells) cell.value = key === value ? 1 : 0;
  }

  read(): readonly NumberSeries[] {
    const scale = this.#definition.unit === 'seconds' ? 1000 : 1;
    return Array.from(this.#cells.values(), ({ labels, value }) => ({ labels, value: value / scale }));
  }

  collect(samples: ReadSample[], name: string, _part: SamplePart, bornAfter?: number): void {
    const scale = this.#definition.unit === 'seconds' ? 1000 : 1;
    let index = 0;
    for (const { labels, value } of this.#cells.values())
      samples.push({ name, labels, value: value / scale, bornAfter: index++ < this.#zeros ? bornAfter : undefined });
  }

  /** Adds a new combination of values. Without a limit, the `zeros` are the only combinations. */
  #addWithinLimit(values: readonly string[]): NumberCell {
    const value = values[this.#limited];
    if (value !== undefined && (this.#knownValues.has(value) || this.#knownValues.size < this.#maxValues)) {
      this.#knownValues.add(value);
      return this.#open(values.join(separator), values);
    }
    this.#onDropped('label_values');
    const others = value === undefined ? values.map(() => otherValue) : values.with(this.#limited, otherValue);
    const key = others.join(separator);
    return this.#cells.get(key) ?? this.#open(key, others);
  }

  #open(key: string, values: readonly string[]): NumberCell {
    const cell: NumberCell = { labels: labelsFor(this.#base, this.#names, values), value: 0 };
    this.#cells.set(key, cell);
    return cell;
  }
}

interface HistogramCell {
  readonly labels: Labels;
  readonly counts: number[];
  /** The latest observation of each bucket. */
  readonly origins: (Origin | undefined)[];
  readonly latest: number[];
  count: number;
  total: number;
}

/** The series of a histogram. */
export class HistogramSet implements SampleSource {
  readonly #cells = new Map<string, HistogramCell>();
  readonly #edges: readonly number[];
  readonly #scale: number;
  #latestValue: string | undefined;
  #latestCell: HistogramCell | undefined;

  constructor({ labels, zeros, unit }: MetricDefinition, tool: string | undefined, edges: readonly number[]) {
    this.#edges = edges;
    this.#scale = unit === 'seconds' ? 1000 : 1;
    const names = tool === undefined ? labels : labels.slice(1);
    for (const values of zeros)
      this.#cells.set(values.join(separator), {
        labels: labelsFor(tool === undefined ? {} : { tool }, names, values),
        counts: this.#eachBucket(0),
        origins: this.#eachBucket(undefined),
        latest: this.#eachBucket(0),
        count: 0,
        total: 0,
      });
  }

  /** `sample`: in milliseconds if the family is in seconds. Label values that are not among the `zeros` are ignored. */
  observe(sample: number, value: string, origin: Origin): void {
    const cell = this.#cellOf(value);
    if (!cell || !(sample >= 0)) return;
    const scaled = sample / this.#scale;
    let bucket = 0;
    while (bucket < this.#edges.length && scaled > (this.#edges[bucket] ?? 0)) bucket += 1;
    cell.counts[bucket] = (cell.counts[bucket] ?? 0) + 1;
    cell.count += 1;
    cell.total += sample;
    cell.origins[bucket] = origin;
    cell.latest[bucket] = scaled;
  }

  read(): readonly HistogramSeries[] {
    return Array.from(this.#cells.values(), (cell) => ({
      labels: cell.labels,
      count: cell.count,
      sum: cell.total / this.#scale,
      buckets: this.#buckets(cell),
    }));
  }

  collect(samples: ReadSample[], name: string, part: SamplePart, bornAfter?: number): void {
    for (const { labels, counts, count, total } of this.#cells.values()) {
      if (part === '_sum') samples.push({ name, labels, value: total / this.#scale, bornAfter });
      else if (part === '_count') samples.push({ name, labels, value: count, bornAfter });
      else {
        let below = 0;
        for (const [index, times] of counts.entries()) {
          below += times;
          const le = edgeText(this.#edges[index] ?? Number.POSITIVE_INFINITY);
          samples.push({ name, labels: { ...labels, le }, value: below, bornAfter });
        }
      }
    }
  }

  #eachBucket<Value>(value: Value): Value[] {
    return Array.from({ length: this.#edges.length + 1 }, () => value);
  }

  #cellOf(value: string): HistogramCell | undefined {
    if (value === this.#latestValue) return this.#latestCell;
    this.#latestValue = value;
    this.#latestCell = this.#cells.get(value);
    return this.#latestCell;
  }

  #buckets({ counts, origins, latest }: HistogramCell): readonly HistogramBucket[] {
    let below = 0;
    return counts.map((count, index) => {
      below += count;
      const bucket = { le: this.#edges[index] ?? Number.POSITIVE_INFINITY, count: below };
      const origin = origins[index];
      return origin ? { ...bucket, exemplar: exemplarOf(origin, latest[index] ?? 0) } : bucket;
    });
  }
}

function labelsFor(base: Labels, names: readonly string[], values: readonly string[]): Labels {
  return { ...base, ...Object.fromEntries(names.map((name, index) => [name, values[index] ?? ''])) };
}
