/** Prints `docs/reference/metrics.md` from the two tables of names: what Prometheus scrapes, and what goes to OpenTelemetry. */
import { metricDefinitions, type MetricDefinition } from '@holdfast/core/metrics';
import { metric } from '../../packages/telemetry/src/semconv.ts';
import { code, table } from './page.ts';

/** Values of a label, where they are a closed set. */
function labelText(definition: MetricDefinition, label: string): string {
  const { labels, zeros, limit } = definition;
  const index = (labels[0] === 'tool' ? labels.slice(1) : labels).indexOf(label);
  const values = [...new Set(zeros.map((row) => row[index]).filter((value) => value !== undefined))];
  if (index < 0 || values.length === 0) return code(label);
  const more = limit?.label === label ? ', …' : '';
  return `${code(label)}: ${values.map(code).join(', ')}${more}`;
}

const familyRow = (definition: MetricDefinition): readonly string[] => {
  const { name, type, unit, help, labels, events } = definition;
  // Every event counts there.
  const from = name === 'holdfast_trace_events_total' ? 'all' : events.map(code).join(', ');
  const told =
    name === 'holdfast_trace_events_total'
      ? `${code('event_type')}: the name of each event`
      : labels.map((label) => labelText(definition, label)).join('; ');
  return [code(name), unit ? `${type}, ${unit}` : type, help, told, from];
};

export function metricsPage(): string {
  const families = Object.values<MetricDefinition>(metricDefinitions);
  const ofTools = families.filter(({ labels }) => labels[0] === 'tool');
  const head = ['Name', 'Type', 'Meaning', 'Labels', 'From'];
  return [
    '# Metrics',
    'Every family of metrics, as Prometheus scrapes it and as OpenTelemetry gets it. What they are for is in [metrics](../concepts/metrics.md).\nIt is printed by `npm run docs`; a test fails when page and code differ.',
    'A histogram has samples that end in `_bucket`, `_sum` and `_count`. Series whose label values are listed are there from the start, at 0. `…`: others appear when they come.',
    '## Of each tool',
    'The label `tool` is a registered name, `unknown` or `other`.',
    table(head, ofTools.map(familyRow)),
    '## Of the process',
    'Without events: told by the host, or by the metrics about themselves.',
    table(head, families.filter((family) => !ofTools.includes(family)).map(familyRow)),
    '## OpenTelemetry',
    'Instruments of `@holdfast/telemetry/opentelemetry`. Exporters make names of their own of them.',
    table(
      ['Name', 'Instrument', 'Unit', 'Meaning', 'Attributes'],
      Object.values(metric).map(({ name, kind, unit, description, attributes }) => [
        code(name),
        kind.replaceAll('_', ' '),
        code(unit),
        description,
        attributes.map(code).join(', '),
      ]),
    ),
  ].join('\n\n');
}
