/** The last line: the turn in numbers. Omits zeros, and drops from the end what does not fit. */
import { turnTotals, type TurnView } from '@holdfast/core/turn-view';
import { type Cell, type Line, cell, space, widthOf } from '../text/cell.ts';
import { pluralize } from '../text/format.ts';
import type { Glyphs } from '../text/glyphs.ts';

export function renderFooter(view: TurnView, width: number, glyphs: Glyphs): Line {
  return chipLine(totalChips(view), width, glyphs);
}

export function totalChips(view: TurnView): readonly Cell[] {
  const totals = turnTotals(view);
  const ifAny = (number: number, chip: Cell): readonly Cell[] => (number > 0 ? [chip] : []);
  return [
    cell(pluralize(totals.calls, 'call'), 'strong'),
    ...ifAny(totals.succeeded, cell(`${totals.succeeded} ok`, 'good')),
    ...ifAny(totals.fellBack, cell(`${totals.fellBack} with their fallback`, 'accent')),
    ...ifAny(totals.failed, cell(`${totals.failed} failed`, 'bad')),
    ...ifAny(totals.timedOut, cell(`${totals.timedOut} timed out`, 'bad')),
    ...ifAny(totals.skipped, cell(`${totals.skipped} skipped`, 'dim')),
    ...ifAny(totals.cancelled, cell(`${totals.cancelled} cancelled`, 'warn')),
    ...ifAny(totals.interrupted, cell(`${totals.interrupted} interrupted`, 'warn')),
    ...ifAny(totals.notRun, cell(`${totals.notRun} not run`, 'dim')),
    ...ifAny(totals.active, cell(`${totals.active} running`, 'active')),
    ...ifAny(totals.waiting, cell(`${totals.waiting} waiting`, 'dim')),
    ...ifAny(totals.escalated, cell(`${totals.escalated} escalated`, 'bad')),
    ...ifAny(totals.retries, cell(pluralize(totals.retries, 'retry', 'retries'), 'dim')),
    ...ifAny(totals.alternatives, cell(pluralize(totals.alternatives, 'alternative'), 'dim')),
    ...ifAny(totals.defaults, cell(pluralize(totals.defaults, 'default'), 'dim')),
    ...ifAny(totals.circuitsOpened, cell(`${pluralize(totals.circuitsOpened, 'circuit')} opened`, 'bad')),
    ...ifAny(totals.late, cell(`${totals.late} orphaned`, 'warn')),
  ];
}

const chipLine = (cells: readonly Cell[], width: number, glyphs: Glyphs): Line => chipLines(cells, width, glyphs)[0] ?? [];

/** Wraps the chips into as many lines as needed. */
export function chipLines(cells: readonly Cell[], width: number, glyphs: Glyphs): readonly Line[] {
  const lines: Cell[][] = [];
  for (const chip of cells) {
    const last = lines.at(-1);
    const joined = last === undefined ? [] : [...last, cell(` ${glyphs.dot} `, 'dim'), chip];
    if (last !== undefined && widthOf(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push([space(1), chip]);
  }
  return lines;
}
