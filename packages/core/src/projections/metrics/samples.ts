/** Owns families as a query sees them: one flat list of samples per name. */
import type { Labels } from './families.ts';
import { metricDefinitions, type MetricKey } from './metric-names.ts';

/** One sample, as a query sees it. */
export interface MetricSample {
  /** Name of the sample; for a histogram with `_bucket`, `_sum` or `_count`. */
  readonly name: string;
  /** Labels of the sample; for a bucket with `le`. */
  readonly labels: Labels;
  /** The value when it was read. */
  readonly value: number;
}

/** Formats an edge for the label `le`: always with a decimal point, so that one query works in all versions of Prometheus. */
export function edgeText(edge: number): string {
  if (edge === Number.POSITIVE_INFINITY) return '+Inf';
  return Number.isInteger(edge) ? `${edge}.0` : String(edge);
}

/** One sample of a reading. */
export interface ReadSample extends MetricSample {
  /** The number of the last reading before its tool was known: in all later ones it existed, and was 0 until now. Absent if it is new. */
  readonly bornAfter?: number | undefined;
}

/** All samples but those of tools that never ran: they are 0, and there may be thousands. */
export interface ActiveReading {
  /** Readings are counted. */
  readonly number: number;
  /** Returns the samples of one name. Those of the first tool are always included, so that it is known which series exist. */
  samples(name: string): readonly ReadSample[];
}

/** A set of series that can add its samples to a list without copying itself. */
export interface SampleSource {
  collect(samples: ReadSample[], name: string, part: SamplePart, bornAfter?: number): void;
}

export type SamplePart = 'value' | '_bucket' | '_sum' | '_count';

/** The family and the part of it that the samples of each name belong to. */
const sources: ReadonlyMap<string, readonly [MetricKey, SamplePart]> = new Map(
  (Object.keys(metricDefinitions) as MetricKey[]).flatMap((key): [string, [MetricKey, SamplePart]][] => {
    const { name, type } = metricDefinitions[key];
    if (type !== 'histogram') return [[name, [key, 'value']]];
    return (['_bucket', '_sum', '_count'] as const).map((part) => [`${name}${part}`, [key, part]]);
  }),
);

/** Returns all samples of one name; empty for an unknown name. Fast, since it is called every few seconds with thousands of tools. */
export function samplesNamed(
  name: string,
  collect: (key: MetricKey, each: (source: SampleSource, bornAfter?: number) => void) => void,
): readonly ReadSample[] {
  const source = sources.get(name);
  if (!source) return [];
  const [key, part] = source;
  const samples: ReadSample[] = [];
  collect(key, (set, bornAfter) => set.collect(samples, name, part, bornAfter));
  return samples;
}
