/** The last line: the turn in numbers. What is zero is not said; what does not fit is dropped from the end. */
import { turnTotals, type TurnView } from '@holdfast/core/turn-view';
import { type Cell, type Line, cell, space, widthOf } from '../text/cell.ts';
import { count } from '../text/format.ts';
import type { Glyphs } from '../text/glyphs.ts';

export function footer(view: TurnView, width: number, glyphs: Glyphs): Line {
  return chips(totalChips(view), width, glyphs);
}

export function totalChips(view: TurnView): readonly Cell[] {
  const totals = turnTotals(view);
  const when = (number: number, chip: Cell): readonly Cell[] => (number > 0 ? [chip] : []);
  return [
    cell(count(totals.calls, 'call'), 'strong'),
    ...when(totals.succeeded, cell(`${totals.succeeded} ok`, 'good')),
    ...when(totals.failed, cell(`${totals.failed} failed`, 'bad')),
    ...when(totals.timedOut, cell(`${totals.timedOut} timed out`, 'bad')),
    ...when(totals.skipped, cell(`${totals.skipped} skipped`, 'dim')),
    ...when(totals.cancelled, cell(`${totals.cancelled} cancelled`, 'warn')),
    ...when(totals.notRun, cell(`${totals.notRun} not run`, 'dim')),
    ...when(totals.active, cell(`${totals.active} running`, 'active')),
    ...when(totals.waiting, cell(`${totals.waiting} waiting`, 'dim')),
    ...when(totals.escalated, cell(`${totals.escalated} escalated`, 'bad')),
    ...when(totals.retries, cell(count(totals.retries, 'retry', 'retries'), 'dim')),
    ...when(totals.alternatives, cell(count(totals.alternatives, 'alternative'), 'dim')),
    ...when(totals.defaults, cell(count(totals.defaults, 'default'), 'dim')),
    ...when(totals.circuitsOpened, cell(`${count(totals.circuitsOpened, 'circuit')} opened`, 'bad')),
    ...when(totals.late, cell(`${totals.late} orphaned`, 'warn')),
  ];
}

const chips = (cells: readonly Cell[], width: number, glyphs: Glyphs): Line => chipLines(cells, width, glyphs)[0] ?? [];

/** As many lines as the chips need. */
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
