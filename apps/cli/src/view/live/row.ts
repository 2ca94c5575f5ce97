/** The row of a call: what it is, what it does, how long it takes. */
import type { WaterfallOptions } from '../bars/waterfall.ts';
import { shownSegments, waterfall } from '../bars/waterfall.ts';
import type { CallView, FailureView } from '@holdfast/core/turn-view';
import { type Cell, type Line, type Tone, cell, column, columnRight, space } from '../text/cell.ts';
import { duration } from '../text/format.ts';
import type { Glyphs } from '../text/glyphs.ts';
import { shortError } from '../text/failure.ts';
import type { Layout } from './layout.ts';

export interface RowOptions extends WaterfallOptions {
  readonly layout: Layout;
  /** The trace ends before the call does. */
  readonly interrupted?: boolean;
}

export function callRow(call: CallView, options: RowOptions): Line {
  const { layout, glyphs } = options;
  const quiet = call.status === 'skipped' || call.status === 'waiting' || call.status === 'not_run';
  const name = column(cell(call.callId, quiet ? 'dim' : 'plain'), layout.name, glyphs.ellipsis);
  const start: Line = [space(1), statusGlyph(call, glyphs), space(1), ...name, space(layout.note > 0 ? 2 : 1)];
  const words = insteadOfBar(call, options);
  return words === undefined ? [...start, ...measuredColumns(call, options)] : [...start, cell(words, 'dim')];
}

function measuredColumns(call: CallView, options: RowOptions): Line {
  const { layout, glyphs } = options;
  const line: Cell[] = [];
  if (layout.bar > 0) line.push(...waterfall(call, options));
  if (layout.tries > 0) line.push(space(2), ...columnRight(cell(tries(call, glyphs), 'dim'), layout.tries));
  if (layout.time > 0) line.push(space(1), ...columnRight(cell(timeOf(call, options), timeTone(call)), layout.time));
  if (layout.note > 0) line.push(space(2), ...column(noteOf(call, glyphs), layout.note, glyphs.ellipsis));
  return line;
}

/** A call that did nothing so far has no bar; the row says why. */
function insteadOfBar(call: CallView, { layout, interrupted }: RowOptions): string | undefined {
  if (layout.bar === 0 || shownSegments(call).length > 0) return undefined;
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
    not_run: glyphs.skipped,
  };
  return cell(signs[call.status], statusTones[call.status]);
}

/** `2/5` while it continues, `×3` when it took more than one attempt. */
export function tries(call: CallView, glyphs: Glyphs): string {
  const going = call.status === 'running' || call.status === 'backing_off' || call.status === 'queued';
  if (going && call.maxAttempts !== undefined && call.attempt > 0) return `${call.attempt}/${call.maxAttempts}`;
  return call.attempts > 1 ? `${glyphs.times}${call.attempts}` : '';
}

function timeOf(call: CallView, { nowMs }: RowOptions): string {
  if (call.startedMs === undefined || call.status === 'waiting') return '';
  if ((call.status === 'skipped' || call.status === 'not_run') && shownSegments(call).length === 0) return '';
  return duration((call.endedMs ?? nowMs) - call.startedMs);
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

/** `503 ×2, timeout`: what went wrong, in order, as short as can be. */
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
