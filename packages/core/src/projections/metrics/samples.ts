/** Owns how families read as a query sees them: one flat list of samples for each name. */
import type { Labels } from './families.ts';
import { metricDefinitions, type MetricKey } from './metric-names.ts';

/** One sample, as a query sees it. */
export interface MetricSample {
  /** Name of the sample; of a histogram with `_bucket`, `_sum` or `_count`. */
  readonly name: string;
  /** Labels of the sample; of a bucket with `le`. */
  readonly labels: Labels;
  /** The value when it was read. */
  readonly value: number;
}

/** How an edge is written in the label `le`: as a fraction, in all formats, so that one query fits all versions of Prometheus. */
export function edgeText(edge: number): string {
  if (edge === Number.POSITIVE_INFINITY) return '+Inf';
  return Number.isInteger(edge) ? `${edge}.0` : String(edge);
}

/** What a set of series can tell without copying all of itself. */
export interface SampleSource {
  tell(samples: MetricSample[], name: string, part: SamplePart): void;
}

export type SamplePart = 'value' | '_bucket' | '_sum' | '_count';

/** Which family the samples of each name belong to, and what of it they are. */
const sources: ReadonlyMap<string, readonly [MetricKey, SamplePart]> = new Map(
  (Object.keys(metricDefinitions) as MetricKey[]).flatMap((key): [string, [MetricKey, SamplePart]][] => {
    const { name, type } = metricDefinitions[key];
    if (type !== 'histogram') return [[name, [key, 'value']]];
    return (['_bucket', '_sum', '_count'] as const).map((part) => [`${name}${part}`, [key, part]]);
  }),
);

/** All samples of one name; none for a name that no family has. Read every few seconds, with a thousand tools. */
export function samplesNamed(name: string, setsOf: (key: MetricKey) => Iterable<SampleSource>): readonly MetricSample[] {
  const source = sources.get(name);
  if (!source) return [];
  const samples: MetricSample[] = [];
  for (const set of setsOf(source[0])) set.tell(samples, name, source[1]);
  return samples;
}
