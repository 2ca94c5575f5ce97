/** Owns how families read as a query sees them: one flat list of samples for each name. */
import type { HistogramFamily, HistogramSeries, Labels, MetricFamily } from './families.ts';
import { metricDefinitions, type MetricKey } from './metric-names.ts';

/** One sample, as a query sees it. */
export interface MetricSample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** How an edge is written in the label `le`: as a fraction, in all formats, so that one query fits all versions of Prometheus. */
export function edgeText(edge: number): string {
  if (edge === Number.POSITIVE_INFINITY) return '+Inf';
  return Number.isInteger(edge) ? `${edge}.0` : String(edge);
}

type Part = 'value' | '_bucket' | '_sum' | '_count';

/** Where the samples of each name are. */
const sources: ReadonlyMap<string, readonly [MetricKey, Part]> = new Map(
  (Object.keys(metricDefinitions) as MetricKey[]).flatMap((key): [string, [MetricKey, Part]][] => {
    const { name, type } = metricDefinitions[key];
    if (type !== 'histogram') return [[name, [key, 'value']]];
    return (['_bucket', '_sum', '_count'] as const).map((part) => [`${name}${part}`, [key, part]]);
  }),
);

/** All samples of one name; none for a name that no family has. */
export function samplesNamed(name: string, familyOf: (key: MetricKey) => MetricFamily): readonly MetricSample[] {
  const source = sources.get(name);
  if (!source) return [];
  const [key, part] = source;
  const family = familyOf(key);
  if (family.type !== 'histogram') return family.series.map(({ labels, value }) => ({ name, labels, value }));
  if (part === '_bucket') return bucketSamples(name, family);
  const read = ({ sum, count }: HistogramSeries): number => (part === '_sum' ? sum : count);
  return family.series.map((series) => ({ name, labels: series.labels, value: read(series) }));
}

function bucketSamples(name: string, { series }: HistogramFamily): readonly MetricSample[] {
  return series.flatMap(({ labels, buckets }) =>
    buckets.map(({ le, count }) => ({ name, labels: { ...labels, le: edgeText(le) }, value: count })),
  );
}
