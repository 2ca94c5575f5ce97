/** A bar that shows how much of a turn's time is used. */
import { type Line, type Tone, cell } from '../text/cell.ts';
import type { Glyphs } from '../text/glyphs.ts';

export function renderDeadlineBar(usedMs: number, timeoutMs: number, columns: number, glyphs: Glyphs): Line {
  const share = timeoutMs > 0 ? Math.min(1, Math.max(0, usedMs / timeoutMs)) : 1;
  const exact = share * columns;
  const full = Math.floor(exact);
  const half = exact - full >= 0.5 && full < columns;
  const used = glyphs.work.repeat(full) + (half ? glyphs.halfHead : '');
  return [cell(used, toneOf(share)), cell(glyphs.unused.repeat(columns - full - (half ? 1 : 0)), 'dim')];
}

/** Warns only near the deadline. */
function toneOf(share: number): Tone {
  if (share >= 0.9) return 'bad';
  return share >= 0.75 ? 'warn' : 'active';
}
