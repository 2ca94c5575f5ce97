/** The first line: the turn, a bar for its deadline, and the time left. */
import { renderDeadlineBar } from '../bars/deadline-bar.ts';
import type { TurnView } from '@holdfast/core/turn-view';
import { type Cell, type Line, type Tone, cell, column, space, widthOf } from '../text/cell.ts';
import { formatDuration, formatLimit } from '../text/format.ts';
import type { Glyphs } from '../text/glyphs.ts';

export interface HeaderOptions {
  readonly width: number;
  readonly nowMs: number;
  readonly glyphs: Glyphs;
}

export function renderHeader(view: TurnView, { width, nowMs, glyphs }: HeaderOptions): Line {
  const start = [space(1), outcomeGlyph(view, glyphs), space(1)];
  const time = timeText(view, nowMs, width >= 60);
  const title = cell(view.turnId === '' ? 'turn' : `turn ${view.turnId}`, 'strong');
  const room = width - widthOf(start) - widthOf([time]) - 1;
  const titleWidth = Math.min(widthOf([title]), Math.max(4, Math.min(room, Math.floor(width * 0.45))));
  const line: Cell[] = [...start, ...column(title, titleWidth, glyphs.ellipsis)];
  const bar = width - widthOf(line) - widthOf([time]) - 4;
  if (view.timeoutMs !== undefined && bar >= 6)
    line.push(space(2), ...renderDeadlineBar(nowMs, view.timeoutMs, bar, glyphs), space(2), time);
  else line.push(space(2), time);
  return line;
}

export function outcomeGlyph(view: TurnView, glyphs: Glyphs): Cell {
  const [glyph, tone] = outcomeSign(view, glyphs);
  return cell(glyph, tone);
}

function outcomeSign(view: TurnView, glyphs: Glyphs): readonly [string, Tone] {
  if (isBeingCancelled(view)) return [glyphs.failed, 'warn'];
  switch (view.outcome) {
    case undefined:
      return [glyphs.running, view.deadlineReachedMs === undefined ? 'active' : 'bad'];
    case 'success':
      return [glyphs.done, 'good'];
    case 'partial':
    case 'deadline':
      return [glyphs.mixed, 'warn'];
    default:
      return [glyphs.failed, 'bad'];
  }
}

function timeText(view: TurnView, nowMs: number, roomy: boolean): Cell {
  if (isBeingCancelled(view)) return cell(`cancelled after ${formatDuration(nowMs)}`, 'warn');
  if (view.timeoutMs === undefined) return cell(formatDuration(nowMs), 'dim');
  const left = view.timeoutMs - nowMs;
  if (left <= 0 || (view.status === 'running' && view.deadlineReachedMs !== undefined))
    return cell(`deadline of ${formatLimit(view.timeoutMs)} reached`, 'bad');
  return cell(
    `${formatDuration(left)} left${roomy ? ` of ${formatLimit(view.timeoutMs)}` : ''}`,
    left < view.timeoutMs * 0.1 ? 'bad' : 'plain',
  );
}

/** Cancelled, but calls are still running. */
export const isBeingCancelled = ({ status, cancelledMs }: TurnView): boolean => status === 'running' && cancelledMs !== undefined;
