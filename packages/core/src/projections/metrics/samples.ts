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

/** A set of series that can add its samples to a list without copying itself. */
export interface SampleSource {
  collect(samples: MetricSample[], name: string, part: SamplePart): void;
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

/** Returns all samples of one name; empty for an unknown name. Fast, since it is called every few seconds with up to a thousand tools. */
export function samplesNamed(name: string, setsOf: (key: MetricKey) => Iterable<SampleSource>): readonly MetricSample[] {
  const source = sources.get(name);
  if (!source) return [];
  const samples: MetricSample[] = [];
  for (const set of setsOf(source[0])) set.collect(samples, name, source[1]);
  return samples;
}
