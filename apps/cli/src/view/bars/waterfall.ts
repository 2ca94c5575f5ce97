/** One row of the waterfall: a call's spans as exactly `axis.columns` columns. */
import type { CallView, SpanView } from '../state/model.ts';
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

export function waterfall(call: CallView, options: WaterfallOptions): Line {
  const marks: (Mark | undefined)[] = Array.from({ length: options.axis.columns }, () => undefined);
  for (const span of call.spans) if (span.kind !== 'attempt') paintPause(marks, span, options);
  for (const span of call.spans) if (span.kind === 'attempt') paintAttempt(marks, span, options);
  paintDeadline(marks, options);
  return grouped(marks);
}

/** Pauses fill only columns they have to themselves: an attempt, however short, stays visible. */
function paintPause(marks: (Mark | undefined)[], span: SpanView, { axis, nowMs, glyphs }: WaterfallOptions): void {
  const from = Math.floor(columnAt(axis, span.startMs));
  const to = Math.ceil(columnAt(axis, span.endMs ?? nowMs));
  const glyph = span.kind === 'backoff' ? glyphs.backoff : span.kind === 'queue' ? glyphs.queue : glyphs.orphan;
  const tone: Tone = span.kind === 'backoff' ? 'warn' : 'dim';
  for (let index = from; index < to; index += 1) marks[index] ??= { glyph, tone };
}

function paintAttempt(marks: (Mark | undefined)[], span: SpanView, { axis, nowMs, glyphs }: WaterfallOptions): void {
  const running = span.endMs === undefined;
  const exact = columnAt(axis, span.endMs ?? nowMs);
  const from = Math.min(Math.floor(columnAt(axis, span.startMs)), axis.columns - 1);
  const last = Math.max(from, Math.ceil(exact) - 1);
  const tone = attemptTone(span);
  // Where the attempt before broke off stays visible, as long as this one has another column to show itself in.
  const begin = last > from && marks[from]?.glyph === glyphs.broken ? from + 1 : from;
  for (let index = begin; index <= last && index < axis.columns; index += 1) marks[index] = { glyph: glyphs.work, tone };
  if (last >= axis.columns || last < 0) return;
  if (running) marks[last] = { glyph: exact - last > 0 && exact - last < 0.5 ? glyphs.halfHead : glyphs.head, tone };
  else if (span.result !== 'success' && span.result !== 'running') marks[last] = { glyph: glyphs.broken, tone };
}

function attemptTone(span: SpanView): Tone {
  if (span.result === 'running') return 'active';
  return span.result === 'success' ? 'good' : 'bad';
}

function paintDeadline(marks: (Mark | undefined)[], { axis, timeoutMs, glyphs }: WaterfallOptions): void {
  if (timeoutMs === undefined || timeoutMs > axis.endMs) return;
  const index = Math.min(Math.floor(columnAt(axis, timeoutMs)), axis.columns - 1);
  if (index >= 0) marks[index] ??= { glyph: glyphs.deadline, tone: 'dim' };
}

function grouped(marks: readonly (Mark | undefined)[]): Line {
  const cells: Cell[] = [];
  for (const mark of marks) {
    const { glyph, tone } = mark ?? { glyph: ' ', tone: 'plain' as const };
    const last = cells.at(-1);
    if (last?.tone === tone) cells[cells.length - 1] = cell(last.text + glyph, tone);
    else cells.push(cell(glyph, tone));
  }
  return cells;
}
