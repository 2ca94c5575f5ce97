/** The live view of a turn: a pure function of the turn view, the time and the screen. */
import { type Axis, liveAxis, renderRuler } from '../bars/axis.ts';
import type { TurnView } from '@holdfast/core/turn-view';
import { type Line, type Surface, lineText, space } from '../text/cell.ts';
import { glyphsOf } from '../text/glyphs.ts';
import { fitBlocks } from './blocks.ts';
import { renderFooter } from './footer.ts';
import { renderHeader } from './header.ts';
import { layoutOf, rowStart } from './layout.ts';
import { reasonLines } from './reasons.ts';
import { callRow } from './row.ts';

export interface LiveOptions extends Surface {
  /** In rows; the frame is never taller. */
  readonly height: number;
  /** Since the turn started. */
  readonly nowMs: number;
}

export function renderLive(view: TurnView, options: LiveOptions): string[] {
  const { width, height, nowMs } = options;
  const glyphs = glyphsOf(options.glyphs);
  const now = Math.max(view.elapsedMs, Number.isFinite(nowMs) ? nowMs : 0);
  const layout = layoutOf(width, view.calls);
  const axis = liveAxis(now, layout.bar, view.timeoutMs);
  const row = { layout, axis, nowMs: now, timeoutMs: view.timeoutMs, glyphs };
  const blocks = view.calls.map((call) => ({
    call,
    row: () => callRow(call, row),
    reasons: () => reasonLines(call, view, { nowMs: now, glyphs, narrow: layout.note === 0, final: false }),
  }));
  const top = [renderHeader(view, { width, nowMs: now, glyphs }), rulerLine(axis, layout, glyphs)];
  const bottom = [[], renderFooter(view, width, glyphs)];
  // On a screen with few rows, drop the frame and show the calls.
  const low = height < 8;
  const frame = low ? [top[0] ?? []] : [...top, ...bottom];
  const middle = fitBlocks(blocks, height - frame.length, glyphs);
  const lines = low ? [...frame, ...middle] : [...top, ...middle, ...bottom];
  return lines.slice(0, Math.max(0, height)).map((line) => lineText(line, options));
}

/** The time scale above the bars; an empty line if there are no bars. */
export function rulerLine(
  axis: Axis,
  layout: { readonly name: number; readonly note: number },
  glyphs: Parameters<typeof renderRuler>[1],
): Line {
  return axis.columns < 12 ? [] : [space(rowStart + layout.name + (layout.note > 0 ? 2 : 1)), ...renderRuler(axis, glyphs)];
}
