/**
 * A region at the end of the terminal output that is redrawn in place.
 *
 * Invariants
 * 1. The cursor is always at the start of the line below the region, so that later output, or a crash, goes below it.
 * 2. Unchanged lines are not rewritten; a frame is one write, between CSI ?2026h and CSI ?2026l.
 * 3. The region is smaller than the screen, since lines that scrolled off cannot be redrawn.
 */
import stringWidth from 'string-width';

export interface RegionOptions {
  readonly write: (text: string) => void;
  readonly columns: () => number;
  readonly rows: () => number;
}

export interface Region {
  readonly draw: (lines: readonly string[]) => void;
  /** Erases the region and leaves the cursor where it started. */
  readonly clear: () => void;
  /** Keeps what is on the screen; the next `draw` starts below it. */
  readonly release: () => void;
}

const escape = '\u001B[';
const beginFrame = `${escape}?2026h`;
const endFrame = `${escape}?2026l`;
/** Clears line by line: some terminals copy the screen to the scrollback if all of it is cleared at once. */
const clearLineAbove = `${escape}1A${escape}2K`;
const clearRest = `${escape}K`;
export const hideCursor: string = `${escape}?25l`;
export const showCursor: string = `${escape}?25h`;

export function createRegion({ write, columns, rows }: RegionOptions): Region {
  let shown: readonly string[] = [];
  let shownColumns = columns();

  /** A terminal that gets narrower rewraps lines, so the old frame may be taller now. */
  const heightNow = (): number => {
    const width = Math.max(1, columns());
    const height =
      width >= shownColumns ? shown.length : shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / width)), 0);
    return Math.min(height, Math.max(0, rows() - 1));
  };
  const eraseSequence = (): string => `\r${clearLineAbove.repeat(heightNow())}`;

  return {
    draw: (lines) => {
      const frame = lines.slice(0, Math.max(0, rows() - 1));
      const resized = columns() !== shownColumns || heightNow() < shown.length;
      const body = resized ? eraseSequence() + frame.map((line) => `${line}\r\n`).join('') : renderChanges(shown, frame, columns());
      if (body !== '') write(beginFrame + body + endFrame);
      shown = frame;
      shownColumns = columns();
    },
    clear: () => {
      if (shown.length > 0) write(beginFrame + eraseSequence() + endFrame);
      shown = [];
    },
    release: () => {
      shown = [];
    },
  };
}

/** Moves from the line below the old frame to the line below the new one, and writes only the changed lines. */
function renderChanges(before: readonly string[], after: readonly string[], columns: number): string {
  const first = after.findIndex((line, index) => line !== before[index]);
  if (first === -1 && after.length === before.length) return '';
  const from = first === -1 ? after.length : first;
  let text = `\r${before.length > from ? `${escape}${before.length - from}A` : ''}`;
  for (const [index, line] of after.entries()) {
    if (index < from) continue;
    // After a full line the cursor is still on its last character, so erasing would remove it.
    const rest = stringWidth(line) < columns ? clearRest : '';
    text += line === before[index] ? '\r\n' : `${line}${rest}\r\n`;
  }
  const surplus = Math.max(0, before.length - after.length);
  return text + `${escape}2K\r\n`.repeat(surplus) + (surplus > 0 ? `${escape}${surplus}A` : '');
}
