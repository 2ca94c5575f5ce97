/** The time axis that all rows of a waterfall share. */
import type { Glyphs } from '../text/glyphs.ts';
import { type Line, cell, space, widthOf } from '../text/cell.ts';
import { formatLimit } from '../text/format.ts';

export interface Axis {
  readonly endMs: number;
  readonly columns: number;
}

const steps = [1, 2, 3, 5, 10] as const;

/**
 * While a turn runs, the axis ends at a round time after now. Bars grow to the right and the scale changes rarely,
 * instead of every bar shrinking with every frame.
 */
export function liveAxis(nowMs: number, columns: number, timeoutMs: number | undefined): Axis {
  const atLeast = Math.max(nowMs, 500);
  const magnitude = 10 ** Math.floor(Math.log10(atLeast));
  const round = (steps.find((step) => step * magnitude >= atLeast) ?? 10) * magnitude;
  const endMs = timeoutMs !== undefined && timeoutMs >= nowMs && timeoutMs > 0 ? Math.min(round, timeoutMs) : round;
  return { endMs, columns };
}

/** A finished turn fills its axis. */
export const finalAxis = (endMs: number, columns: number): Axis => ({ endMs: Math.max(1, endMs), columns });

/** The column of a point in time, possibly fractional. */
export const columnAt = (axis: Axis, atMs: number): number => Math.min(axis.columns, Math.max(0, (atMs / axis.endMs) * axis.columns));

/** The time scale, as wide as the bars: `0 ··· 1s ··· 2s`. */
export function renderRuler(axis: Axis, glyphs: Glyphs): Line {
  const end = cell(formatLimit(axis.endMs), 'dim');
  const middle = cell(formatLimit(axis.endMs / 2), 'dim');
  const start = cell('0s', 'dim');
  const free = axis.columns - widthOf([start, end]);
  if (free < 1) return [space(axis.columns)];
  const left = Math.floor(axis.columns / 2) - 2 - Math.floor(widthOf([middle]) / 2) - 1;
  const right = free - left - widthOf([middle]) - 2;
  const rule = (columns: number): Line => [space(1), cell(glyphs.unused.repeat(Math.max(0, columns - 2)), 'dim'), space(1)];
  if (left < 3 || right < 3) return [start, ...rule(free), end];
  return [start, ...rule(left + 1), middle, ...rule(right + 1), end];
}
