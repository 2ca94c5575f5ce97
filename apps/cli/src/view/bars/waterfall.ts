/** One row of the waterfall: the segments of a call, exactly `axis.columns` columns wide. */
import type { CallView, Segment, SegmentKind } from '@holdfast/core/turn-view';
import { type Cell, type Line, type Tone, cell } from '../text/cell.ts';
import type { Glyphs } from '../text/glyphs.ts';
import { type Axis, columnAt } from './axis.ts';

interface Mark {
  readonly glyph: string;
  readonly tone: Tone;
}

export interface WaterfallOptions {
  readonly axis: Axis;
  readonly nowMs: number;
  readonly timeoutMs: number | undefined;
  readonly glyphs: Glyphs;
}

/** The segments that the waterfall draws: attempts, waits, and late work that did not stop when asked to. */
export function visibleSegments({ segments }: CallView): readonly Segment[] {
  return segments.filter(({ kind, stopped }) => visibleKinds.has(kind) && !stopped);
}

const visibleKinds: ReadonlySet<SegmentKind> = new Set<SegmentKind>(['attempt', 'backoff', 'queue', 'late']);

export function renderWaterfall(call: CallView, options: WaterfallOptions): Line {
  const marks: (Mark | undefined)[] = Array.from({ length: options.axis.columns }, () => undefined);
  for (const segment of visibleSegments(call)) if (segment.kind !== 'attempt') paintPause(marks, segment, options);
  for (const segment of visibleSegments(call)) if (segment.kind === 'attempt') paintAttempt(marks, segment, options);
  paintDeadline(marks, options);
  return groupMarks(marks);
}

/** Pauses only fill columns without an attempt, so that short attempts stay visible. */
function paintPause(marks: (Mark | undefined)[], segment: Segment, { axis, nowMs, glyphs }: WaterfallOptions): void {
  const from = Math.floor(columnAt(axis, segment.startMs));
  const to = Math.ceil(columnAt(axis, segment.endMs ?? nowMs));
  const glyph = segment.kind === 'backoff' ? glyphs.backoff : segment.kind === 'queue' ? glyphs.queue : glyphs.late;
  const tone: Tone = segment.kind === 'backoff' ? 'warn' : 'dim';
  for (let index = from; index < to; index += 1) marks[index] ??= { glyph, tone };
}

function paintAttempt(marks: (Mark | undefined)[], segment: Segment, { axis, nowMs, glyphs }: WaterfallOptions): void {
  const running = segment.endMs === undefined;
  const exact = columnAt(axis, segment.endMs ?? nowMs);
  const from = Math.min(Math.floor(columnAt(axis, segment.startMs)), axis.columns - 1);
  const last = Math.max(from, Math.ceil(exact) - 1);
  const tone = attemptTone(segment);
  // Keep the end mark of the previous attempt if this one has another column.
  const start = last > from && marks[from]?.glyph === glyphs.broken ? from + 1 : from;
  for (let index = start; index <= last && index < axis.columns; index += 1) marks[index] = { glyph: glyphs.work, tone };
  if (last >= axis.columns || last < 0) return;
  if (running) marks[last] = { glyph: exact - last > 0 && exact - last < 0.5 ? glyphs.halfHead : glyphs.head, tone };
  else if (segment.result !== 'success' && segment.result !== 'running') marks[last] = { glyph: glyphs.broken, tone };
}

function attemptTone(segment: Segment): Tone {
  if (segment.result === 'running') return 'active';
  return segment.result === 'success' ? 'good' : 'bad';
}

function paintDeadline(marks: (Mark | undefined)[], { axis, timeoutMs, glyphs }: WaterfallOptions): void {
  if (timeoutMs === undefined || timeoutMs > axis.endMs) return;
  const index = Math.min(Math.floor(columnAt(axis, timeoutMs)), axis.columns - 1);
  if (index >= 0) marks[index] ??= { glyph: glyphs.deadline, tone: 'dim' };
}

function groupMarks(marks: readonly (Mark | undefined)[]): Line {
  const cells: Cell[] = [];
  for (const mark of marks) {
    const { glyph, tone } = mark ?? { glyph: ' ', tone: 'plain' as const };
    const last = cells.at(-1);
    if (last?.tone === tone) cells[cells.length - 1] = cell(last.text + glyph, tone);
    else cells.push(cell(glyph, tone));
  }
  return cells;
}
