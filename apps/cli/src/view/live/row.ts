/** The row of a call: name, waterfall, attempts, time, note. */
import type { WaterfallOptions } from '../bars/waterfall.ts';
import { renderWaterfall, visibleSegments } from '../bars/waterfall.ts';
import type { CallView, FailureView } from '@holdfast/core/turn-view';
import { type Cell, type Line, type Tone, cell, column, columnRight, space } from '../text/cell.ts';
import { formatDuration } from '../text/format.ts';
import type { Glyphs } from '../text/glyphs.ts';
import { shortError } from '../text/failure.ts';
import type { Layout } from './layout.ts';

export interface RowOptions extends WaterfallOptions {
  readonly layout: Layout;
  /** The trace ends before the turn does. */
  readonly interrupted?: boolean;
}

export function callRow(call: CallView, options: RowOptions): Line {
  const { layout, glyphs } = options;
  const dimmed = call.status === 'skipped' || call.status === 'waiting' || call.status === 'not_run';
  const name = column(cell(call.callId, dimmed ? 'dim' : 'plain'), layout.name, glyphs.ellipsis);
  const start: Line = [space(1), statusGlyph(call, glyphs), space(1), ...name, space(layout.note > 0 ? 2 : 1)];
  const placeholder = barPlaceholder(call, options);
  return placeholder === undefined ? [...start, ...measuredColumns(call, options)] : [...start, cell(placeholder, 'dim')];
}

function measuredColumns(call: CallView, options: RowOptions): Line {
  const { layout, glyphs } = options;
  const line: Cell[] = [];
  if (layout.bar > 0) line.push(...renderWaterfall(call, options));
  if (layout.attempts > 0) line.push(space(2), ...columnRight(cell(attemptsText(call, glyphs), 'dim'), layout.attempts));
  if (layout.time > 0) line.push(space(1), ...columnRight(cell(timeOf(call, options), timeTone(call)), layout.time));
  if (layout.note > 0) line.push(space(2), ...column(noteOf(call, glyphs), layout.note, glyphs.ellipsis));
  return line;
}

/** The text of a row without a bar: why the call has done nothing so far. */
function barPlaceholder(call: CallView, { layout, interrupted }: RowOptions): string | undefined {
  if (layout.bar === 0 || visibleSegments(call).length > 0) return undefined;
  if (call.status === 'skipped') return skipText(call);
  if (call.status === 'not_run') return 'not run';
  if (call.status !== 'waiting') return undefined;
  if (interrupted === true) return 'not started';
  return call.dependsOn.length > 0 ? `waiting for ${call.dependsOn.join(', ')}` : 'waiting';
}

const skipText = (call: CallView): string => {
  const [direct] = call.skip?.causedBy ?? [];
  return direct === undefined ? 'skipped' : `skipped: needs ${direct}`;
};

const statusTones: Readonly<Record<CallView['status'], Tone>> = {
  waiting: 'dim',
  queued: 'warn',
  running: 'active',
  backing_off: 'warn',
  success: 'good',
  error: 'bad',
  timeout: 'bad',
  skipped: 'dim',
  cancelled: 'warn',
  interrupted: 'warn',
  not_run: 'dim',
};

export function statusGlyph(call: CallView, glyphs: Glyphs): Cell {
  const signs: Readonly<Record<CallView['status'], string>> = {
    waiting: glyphs.waiting,
    queued: glyphs.waiting,
    running: glyphs.running,
    backing_off: glyphs.backingOff,
    success: glyphs.done,
    error: glyphs.failed,
    timeout: glyphs.failed,
    skipped: glyphs.skipped,
    cancelled: glyphs.skipped,
    interrupted: glyphs.skipped,
    not_run: glyphs.skipped,
  };
  return cell(signs[call.status], statusTones[call.status]);
}

/** `2/5` while the call runs, `×3` if it took more than one attempt. */
export function attemptsText(call: CallView, glyphs: Glyphs): string {
  const active = call.status === 'running' || call.status === 'backing_off' || call.status === 'queued';
  if (active && call.maxAttempts !== undefined && call.attempt > 0) return `${call.attempt}/${call.maxAttempts}`;
  return call.attempts > 1 ? `${glyphs.times}${call.attempts}` : '';
}

function timeOf(call: CallView, { nowMs }: RowOptions): string {
  if (call.startedMs === undefined || call.status === 'waiting') return '';
  if ((call.status === 'skipped' || call.status === 'not_run') && visibleSegments(call).length === 0) return '';
  return formatDuration((call.endedMs ?? nowMs) - call.startedMs);
}

const timeTone = (call: CallView): Tone => (call.endedMs === undefined ? 'active' : 'plain');

function noteOf(call: CallView, glyphs: Glyphs): Cell {
  const progress = progressText(call, glyphs);
  if (progress !== '') return cell(progress, 'active');
  const tone: Tone = call.status === 'success' ? 'dim' : call.status === 'error' || call.status === 'timeout' ? 'bad' : 'warn';
  return cell(shortErrors(call.failures, glyphs), tone);
}

export function progressText(call: CallView, glyphs: Glyphs): string {
  if (call.progress === undefined || call.status !== 'running') return '';
  const { done, total, message } = call.progress;
  const share =
    done === undefined ? '' : total !== undefined && total > 0 ? `${Math.min(100, Math.round((done / total) * 100))}%` : String(done);
  return [share, message].filter((part) => part !== '').join(` ${glyphs.dot} `);
}

/** The errors in order, as short as possible: `503 ×2, timeout`. */
export function shortErrors(failures: readonly FailureView[], glyphs: Glyphs): string {
  const groups: { short: string; times: number }[] = [];
  for (const failure of failures) {
    const short = shortError(failure);
    const last = groups.at(-1);
    if (last?.short === short) last.times += 1;
    else groups.push({ short, times: 1 });
  }
  return groups.map(({ short, times }) => (times > 1 ? `${short} ${glyphs.times}${times}` : short)).join(', ');
}
