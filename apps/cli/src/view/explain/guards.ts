/** Renders the checks of a decision: the strategy, ✔ or ✘, what was checked, its value and its limit. */
import type { Guard } from '@holdfast/core';
import {
  compareToLimit,
  groupByStrategy,
  guardName,
  guardSubject,
  isInapplicable,
  measuresTime,
  type DecisionView,
} from '@holdfast/core/turn-view';
import { clean } from '../text/clean.ts';
import { cell, column, type Line, space, widthOf } from '../text/cell.ts';
import { formatLimit } from '../text/format.ts';
import type { Glyphs } from '../text/glyphs.ts';

export function guardLines({ decision, inputs }: DecisionView, width: number, glyphs: Glyphs): readonly Line[] {
  const groups = groupByStrategy(decision.guards);
  return groups.flatMap(({ strategy, guards }) => {
    const label = (index: number): Line => [space(3), ...(width < 60 ? [] : column(cell(index === 0 ? strategy : '', 'dim'), 13))];
    // Crosses for a strategy that does not apply would hide the ones that matter.
    if (isInapplicable(strategy, inputs)) return [[...label(0), cell(`${glyphs.dash} no partial output`, 'dim')]];
    const nameWidth = Math.min(width < 60 ? 18 : 36, Math.max(18, ...guards.map((guard) => widthOf([cell(guardText(guard))]))));
    return guards.map((guard, index) => [...label(index), ...checkLine(guard, nameWidth, glyphs)]);
  });
}

const guardText = (guard: Guard): string =>
  guardSubject(guard) === '' ? guardName(guard).replaceAll('_', ' ') : `${guardSubject(guard)} available`;

function checkLine(guard: Guard, nameWidth: number, glyphs: Glyphs): Line {
  const passed = guard.passed === true;
  const mark = Math.max(widthOf([cell(glyphs.passed)]), widthOf([cell(glyphs.stopped)]));
  const allowed = guard.limit === undefined ? [] : [cell(` ${compareToLimit(guard)} ${formatMeasured(guard, guard.limit)}`, 'dim')];
  return [
    ...column(passed ? cell(glyphs.passed, 'good') : cell(glyphs.stopped, 'bad'), mark),
    space(1),
    ...column(cell(guardText(guard), passed ? 'plain' : 'strong'), nameWidth, glyphs.ellipsis),
    space(2),
    cell(formatMeasured(guard, guard.value), passed ? 'plain' : 'bad'),
    ...allowed,
  ];
}

function formatMeasured(guard: Guard, value: unknown): string {
  if (typeof value === 'number' && measuresTime(guard)) return formatLimit(value);
  return guardSubject(guard) === '' ? clean(value) : `circuit ${clean(value)}`;
}
