/** Owns the table of policies in one world. Where the screen is too narrow for it, each policy has its figures below each other. */
import type { Comparison } from '@holdfast/simulate';
import { labFigures, shownFigure } from '../../lab/figures.ts';
import { type Cell, cell, type Surface, type Tone } from '../text/cell.ts';
import { renderFigures } from './figure-table.ts';

/** What is shown, in this order; the rest is in the JSON. */
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

/** Shown only where some policy has any. */
const extras: Readonly<Record<string, string>> = { duplicates: 'done twice', partial_turns: 'partial' };

interface Column {
  readonly title: string;
  readonly of: (comparison: Comparison) => Cell;
}

export function renderComparison(comparisons: readonly Comparison[], surface: Surface): readonly string[] {
  const columns = columnsOf(comparisons);
  const rows = comparisons.map((comparison) => [cell(comparison.contender, 'strong'), ...columns.map(({ of }) => of(comparison))]);
  const titles = ['policy', ...columns.map(({ title }) => title)];
  return renderFigures(titles, rows, surface);
}

function columnsOf(comparisons: readonly Comparison[]): readonly Column[] {
  const has = (property: keyof Comparison['summary']): boolean =>
    comparisons.some(({ summary }) => summary[property] !== null && summary[property] !== 0);
  const known = Object.entries(shown).flatMap(([key, title]) =>
    labFigures.filter((each) => each.key === key).map((each) => ({ ...each, title })),
  );
  const more = Object.entries(extras).flatMap(([key, title]) =>
    labFigures.filter((each) => each.key === key).map((each) => ({ ...each, title })),
  );
  // A column that is empty everywhere tells nothing.
  const told = known.filter(({ property }) => comparisons.some(({ summary }) => summary[property] !== null));
  return [...told, ...more.filter(({ property }) => has(property))].map(({ title, key, property, unit }) => ({
    title,
    of: ({ summary }) => {
      const value = summary[property];
      return cell(
        shownFigure(value, unit),
        key === 'success' && typeof value === 'number' ? toneOf(value) : value === 'never' ? 'bad' : 'plain',
      );
    },
  }));
}

const toneOf = (success: number): Tone => (success >= 0.95 ? 'good' : success >= 0.5 ? 'warn' : 'bad');
