/**
 * Owns the text of metrics: Prometheus's text format 0.0.4, and OpenMetrics 1.0. Does not own which metrics exist, or the requests (`handler.ts`).
 *
 * Invariants
 * 1. Both formats have the same samples under the same names, so one query fits both. Only OpenMetrics has units and exemplars.
 * 2. The name of a tool or host cannot break a line.
 */
import { checkOptions } from '@holdfast/core/internal/plain';
import type { Exemplar, HistogramSeries, Labels, MetricDefinition, MetricFamily, NumberSeries } from '@holdfast/core/metrics';
import { edgeText } from '@holdfast/core/internal';

/** In which format metrics are written. */
export interface MetricsTextOptions {
  /** OpenMetrics 1.0 instead of text 0.0.4. @default false */
  readonly openMetrics?: boolean;
  /** Whether OpenMetrics ends with `# EOF`; false if more follows. @default true */
  readonly end?: boolean;
}

/** Families without series are left out. */
export function metricsText(families: readonly MetricFamily[], options: MetricsTextOptions = {}): string {
  checkOptions({ openMetrics: 'boolean', end: 'boolean' }, options, 'metricsText');
  const { openMetrics = false, end = true } = options;
  const texts = families.map((family) => familyText(family, openMetrics));
  return texts.join('') + (openMetrics && end ? endOfMetrics : '');
}

export const endOfMetrics = '# EOF\n';

const familyText = ({ series, ...definition }: MetricFamily, openMetrics: boolean): string =>
  [...familyParts(definition, series, openMetrics)].join('');

/** So many lines take about a millisecond. */
const linesPerPart = 250;

/** The text of a family in parts, with room for a turn of the event loop between them: a family has many lines for each tool. */
export function* familyParts(
  { name, type, unit, help }: MetricDefinition,
  all: Iterable<NumberSeries | HistogramSeries>,
  openMetrics: boolean,
): Generator<string, void> {
  const title = openMetrics && type === 'counter' ? name.replace(/_total$/, '') : name;
  let isEmpty = true;
  let lines = [`# HELP ${title} ${openMetrics ? escapeLabel(help) : help.replace(/[\\\n]/g, escape)}`, `# TYPE ${title} ${type}`];
  if (openMetrics && unit) lines.push(`# UNIT ${title} ${unit}`);
  for (const series of all) {
    isEmpty = false;
    if (lines.length >= linesPerPart) {
      yield `${lines.join('\n')}\n`;
      lines = [];
    }
    if ('buckets' in series) writeHistogram(lines, name, series, openMetrics);
    else lines.push(`${name}${formatLabels(series.labels)} ${numberText(series.value)}`);
  }
  if (!isEmpty) yield `${lines.join('\n')}\n`;
}

function writeHistogram(lines: string[], name: string, { labels, buckets, sum, count }: HistogramSeries, openMetrics: boolean): void {
  const inner = pairs(labels);
  const before = `${name}_bucket{${inner === '' ? '' : `${inner},`}le="`;
  const all = formatLabels(labels);
  for (const { le, count: upTo, exemplar } of buckets) {
    const origin = openMetrics && exemplar ? exemplarText(exemplar) : '';
    lines.push(`${before}${edgeText(le)}"} ${upTo}${origin}`);
  }
  lines.push(`${name}_sum${all} ${numberText(sum)}`, `${name}_count${all} ${count}`);
}

function exemplarText({ labels, value, timestamp }: Exemplar): string {
  const seconds = Date.parse(timestamp) / 1000;
  return ` # {${pairs(labels)}} ${numberText(value)}${Number.isFinite(seconds) ? ` ${seconds.toFixed(3)}` : ''}`;
}

function formatLabels(labels: Labels): string {
  const inner = pairs(labels);
  return inner === '' ? '' : `{${inner}}`;
}

/** A series has the same labels in every scrape: their text is cached. */
const pairsOf = new WeakMap<Labels, string>();

function pairs(labels: Labels): string {
  const known = pairsOf.get(labels);
  if (known !== undefined) return known;
  const text = Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',');
  pairsOf.set(labels, text);
  return text;
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}

const escapeLabel = (text: string): string => (/[\\"\n]/.test(text) ? text.replace(/[\\"\n]/g, escape) : text);

const escape = (character: string): string => (character === '\n' ? String.raw`\n` : `\\${character}`);
