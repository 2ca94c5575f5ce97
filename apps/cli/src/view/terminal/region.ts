/**
 * A region at the end of the terminal's text that is rewritten in place.
 *
 * Invariants
 * 1. The cursor rests at the start of the line below the region, so whatever is written next, or a crash, lands below it.
 * 2. Lines that did not change are not written again; a frame is one write, between CSI ?2026h and CSI ?2026l.
 * 3. The region is lower than the screen: what has scrolled away could not be rewritten.
 */
import stringWidth from 'string-width';

export interface RegionOptions {
  readonly write: (text: string) => void;
  readonly columns: () => number;
  readonly rows: () => number;
}

export interface Region {
  readonly draw: (lines: readonly string[]) => void;
  /** Takes the region away and leaves the cursor where it began. */
  readonly clear: () => void;
  /** Keeps what is on the screen; the next `draw` starts below it. */
  readonly release: () => void;
}

const escape = '\u001B[';
const beginFrame = `${escape}?2026h`;
const endFrame = `${escape}?2026l`;
/** Line by line: clearing the whole rest of a screen makes some terminals keep a copy of it in the scrollback. */
const clearLineAbove = `${escape}1A${escape}2K`;
const clearRest = `${escape}K`;
export const hideCursor: string = `${escape}?25l`;
export const showCursor: string = `${escape}?25h`;

export function createRegion({ write, columns, rows }: RegionOptions): Region {
  let shown: readonly string[] = [];
  let shownColumns = columns();

  /** Terminals wrap drawn lines anew when they get narrower, so the old frame may be higher than it was. */
  const heightNow = (): number => {
    const width = Math.max(1, columns());
    const height =
      width >= shownColumns ? shown.length : shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / width)), 0);
    return Math.min(height, Math.max(0, rows() - 1));
  };
  const wiped = (): string => `\r${clearLineAbove.repeat(heightNow())}`;

  return {
    draw: (lines) => {
      const frame = lines.slice(0, Math.max(0, rows() - 1));
      const resized = columns() !== shownColumns || heightNow() < shown.length;
      const body = resized ? wiped() + frame.map((line) => `${line}\r\n`).join('') : changes(shown, frame, columns());
      if (body !== '') write(beginFrame + body + endFrame);
      shown = frame;
      shownColumns = columns();
    },
    clear: () => {
      if (shown.length > 0) write(beginFrame + wiped() + endFrame);
      shown = [];
    },
    release: () => {
      shown = [];
    },
  };
}

/** From the line below the old frame to the line below the new one, writing only what differs. */
function changes(before: readonly string[], after: readonly string[], columns: number): string {
  const first = after.findIndex((line, index) => line !== before[index]);
  if (first === -1 && after.length === before.length) return '';
  const from = first === -1 ? after.length : first;
  let text = `\r${before.length > from ? `${escape}${before.length - from}A` : ''}`;
  for (const [index, line] of after.entries()) {
    if (index < from) continue;
    // Erasing after a full line would take its last character: the cursor still stands on it.
    const rest = stringWidth(line) < columns ? clearRest : '';
    text += line === before[index] ? '\r\n' : `${line}${rest}\r\n`;
  }
  const tooMany = Math.max(0, before.length - after.length);
  return text + `${escape}2K\r\n`.repeat(tooMany) + (tooMany > 0 ? `${escape}${tooMany}A` : '');
}
