/** Renders the comparison of policies in one world. */
import type { Comparison } from '@holdfast/simulate';
import { labMetrics } from '@holdfast/simulate/report';
import { formatMetric } from '../../lab/metrics.ts';
import { type Cell, cell, type Surface, successTone } from '../text/cell.ts';
import { renderMetricTable } from './metric-table.ts';

/** The metrics in the table, in this order. The JSON output has the rest. */
const shown: Readonly<Record<string, string>> = {
  success: 'success',
  success_during: 'during',
  success_after_30s: '30s after',
  mean_ms: 'mean',
  p99_ms: 'p99',
  failed_wait_ms: 'failed wait',
  requests_per_call: 'req/call',
  requests_per_call_during: 'during',
  recovery_s: 'recovery',
};

/** Shown only if they are not zero for every policy. */
const extras: Readonly<Record<string, string>> = { duplicates: 'duplicates', partial_turns: 'partial' };

interface Column {
  readonly title: string;
  readonly of: (comparison: Comparison) => Cell;
}

export function renderComparison(comparisons: readonly Comparison[], surface: Surface): readonly string[] {
  const columns = columnsOf(comparisons);
  const rows = comparisons.map((comparison) => [cell(comparison.contender, 'strong'), ...columns.map(({ of }) => of(comparison))]);
  const titles = ['policy', ...columns.map(({ title }) => title)];
  return renderMetricTable(titles, rows, surface);
}

function columnsOf(comparisons: readonly Comparison[]): readonly Column[] {
  const has = (property: keyof Comparison['summary']): boolean =>
    comparisons.some(({ summary }) => summary[property] !== null && summary[property] !== 0);
  const regular = Object.entries(shown).flatMap(([key, title]) =>
    labMetrics.filter((each) => each.key === key).map((each) => ({ ...each, title })),
  );
  const extra = Object.entries(extras).flatMap(([key, title]) =>
    labMetrics.filter((each) => each.key === key).map((each) => ({ ...each, title })),
  );
  // Omit columns that are empty in every row.
  const nonEmpty = regular.filter(({ property }) => comparisons.some(({ summary }) => summary[property] !== null));
  return [...nonEmpty, ...extra.filter(({ property }) => has(property))].map(({ title, key, property, unit }) => ({
    title,
    of: ({ summary }) => {
      const value = summary[property];
      return cell(
        formatMetric(value, unit),
        key === 'success' && typeof value === 'number' ? successTone(value) : value === 'never' ? 'bad' : 'plain',
      );
    },
  }));
}
