/** The checks of a decision as lines: which way they guard, ✔ or ✘, what was checked, what was seen, what was allowed. */
import type { Guard } from '@holdfast/core';
import {
  groupGuards,
  guardName,
  guardSubject,
  isIdleWay,
  limitComparison,
  measuresTime,
  type DecisionView,
} from '@holdfast/core/turn-view';
import { clean } from '../text/clean.ts';
import { cell, column, type Line, space, widthOf } from '../text/cell.ts';
import { limit } from '../text/format.ts';
import type { Glyphs } from '../text/glyphs.ts';

export function guardLines({ decision, inputs }: DecisionView, width: number, glyphs: Glyphs): readonly Line[] {
  const ways = groupGuards(decision.guards);
  return ways.flatMap(({ way, guards }) => {
    const label = (index: number): Line => [space(3), ...(width < 60 ? [] : column(cell(index === 0 ? way : '', 'dim'), 13))];
    // A cross for what could not have been would only hide the crosses that mattered.
    if (isIdleWay(way, inputs)) return [[...label(0), cell(`${glyphs.dash} no partial output`, 'dim')]];
    const wide = Math.min(width < 60 ? 18 : 36, Math.max(18, ...guards.map((guard) => widthOf([cell(words(guard))]))));
    return guards.map((guard, index) => [...label(index), ...checkLine(guard, wide, glyphs)]);
  });
}

const words = (guard: Guard): string =>
  guardSubject(guard) === '' ? guardName(guard).replaceAll('_', ' ') : `${guardSubject(guard)} available`;

function checkLine(guard: Guard, wide: number, glyphs: Glyphs): Line {
  const passed = guard.passed === true;
  const mark = Math.max(widthOf([cell(glyphs.passed)]), widthOf([cell(glyphs.stopped)]));
  const allowed = guard.limit === undefined ? [] : [cell(` ${limitComparison(guard)} ${formatMeasured(guard, guard.limit)}`, 'dim')];
  return [
    ...column(passed ? cell(glyphs.passed, 'good') : cell(glyphs.stopped, 'bad'), mark),
    space(1),
    ...column(cell(words(guard), passed ? 'plain' : 'strong'), wide, glyphs.ellipsis),
    space(2),
    cell(formatMeasured(guard, guard.value), passed ? 'plain' : 'bad'),
    ...allowed,
  ];
}

function formatMeasured(guard: Guard, value: unknown): string {
  if (typeof value === 'number' && measuresTime(guard)) return limit(value);
  return guardSubject(guard) === '' ? clean(value) : `circuit ${clean(value)}`;
}
