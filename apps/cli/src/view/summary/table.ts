/** The results of a turn, one row per call. On a narrow screen columns are dropped in this order: attempts, served by, error. */
import { failureText } from '../text/failure.ts';
import type { CallView, TurnView } from '@holdfast/core/turn-view';
import { type Cell, type Line, type Tone, cell, column, columnRight, space, widthOf } from '../text/cell.ts';
import { formatDuration } from '../text/format.ts';
import type { Glyphs } from '../text/glyphs.ts';
import { wrapSentence } from './wrap.ts';

interface Column {
  readonly title: string;
  readonly right: boolean;
  readonly maxWidth: number;
  /** Shown on screens at least this wide. */
  readonly minScreenWidth: number;
  readonly value: (call: CallView, glyphs: Glyphs) => Cell;
}

const columns: readonly Column[] = [
  { title: 'call', right: false, maxWidth: 28, minScreenWidth: 0, value: ({ callId }) => cell(callId) },
  { title: 'status', right: false, maxWidth: 12, minScreenWidth: 24, value: statusCell },
  { title: 'served by', right: false, maxWidth: 28, minScreenWidth: 64, value: servedByCell },
  {
    title: 'attempts',
    right: true,
    maxWidth: 8,
    minScreenWidth: 70,
    value: ({ attempts, end }) => cell(attemptsText(end?.attempts ?? attempts), 'dim'),
  },
  { title: 'time', right: true, maxWidth: 7, minScreenWidth: 36, value: timeCell },
  { title: 'error', right: false, maxWidth: Number.POSITIVE_INFINITY, minScreenWidth: 50, value: errorCell },
];

export function resultsTable(view: TurnView, width: number, glyphs: Glyphs): readonly Line[] {
  const shown = columns.filter(({ minScreenWidth }) => width >= minScreenWidth);
  const cells = view.calls.map((call) => shown.map(({ value }) => value(call, glyphs)));
  const widths = fitColumns(shown, cells, width);
  const titles = shown.map(({ title }) => cell(title, 'dim'));
  const rows = view.calls.flatMap((call, index) => {
    const row = cells[index] ?? [];
    const last = row.at(-1);
    const fits = last === undefined || widthOf([last]) <= (widths.at(-1) ?? 0);
    if (fits || shown.at(-1)?.title !== 'error') return [tableLine(shown, row, widths, glyphs)];
    // The waterfall already shows why a call was skipped.
    const below = call.skip === undefined ? wrapSentence(errorCell(call), width, 5) : [];
    return [tableLine(shown, row.slice(0, -1), widths, glyphs), ...below];
  });
  return [tableLine(shown, titles, widths, glyphs), ...rows];
}

function fitColumns(shown: readonly Column[], cells: readonly (readonly Cell[])[], width: number): readonly number[] {
  let room = width - 1;
  return shown.map(({ title, maxWidth }, index) => {
    const content = Math.max(title.length, ...cells.map((row) => widthOf([row[index] ?? cell('')])));
    const wanted = Math.min(content, maxWidth, index === 0 ? Math.max(4, Math.floor(width * 0.4)) : content, Math.max(0, room));
    room -= wanted + 2;
    return wanted;
  });
}

function tableLine(shown: readonly Column[], row: readonly Cell[], widths: readonly number[], glyphs: Glyphs): Line {
  return [
    space(1),
    ...row.flatMap((value, index) => {
      const room = widths[index] ?? 0;
      const aligned = shown[index]?.right === true ? columnRight(value, room) : column(value, room, glyphs.ellipsis);
      return index === 0 ? aligned : [space(2), ...aligned];
    }),
  ];
}

const statusWords: Readonly<Record<CallView['status'], readonly [string, Tone]>> = {
  waiting: ['not started', 'dim'],
  queued: ['not finished', 'warn'],
  running: ['not finished', 'warn'],
  backing_off: ['not finished', 'warn'],
  success: ['ok', 'good'],
  error: ['failed', 'bad'],
  timeout: ['timed out', 'bad'],
  skipped: ['skipped', 'dim'],
  cancelled: ['cancelled', 'warn'],
  interrupted: ['interrupted', 'warn'],
  not_run: ['not run', 'dim'],
};

function statusCell(call: CallView): Cell {
  const [word, tone] = statusWords[call.status];
  if (call.status === 'success' && call.defaults.some((name) => name !== '')) return cell('ok, default', 'good');
  if (call.end?.partial === true) return cell('partial', 'warn');
  return cell(word, tone);
}

const attemptsText = (attempts: number): string => (attempts > 0 ? String(attempts) : '');

function servedByCell({ end, toolName, status, attempts }: CallView): Cell {
  if (end === undefined || status === 'skipped' || attempts === 0) return cell('');
  if (end.fallbackUsed && end.servedBy === toolName) return cell('fallback value', 'accent');
  return cell(end.servedBy, end.servedBy === toolName ? 'dim' : 'accent');
}

function timeCell(call: CallView): Cell {
  if (call.status === 'skipped' || call.status === 'waiting' || call.status === 'not_run') return cell('');
  const spanned = call.startedMs === undefined || call.endedMs === undefined ? undefined : call.endedMs - call.startedMs;
  return cell(formatDuration(spanned ?? call.end?.executionMs));
}

function errorCell(call: CallView): Cell {
  if (call.status === 'success') return cell('');
  if (call.skip !== undefined) return cell(skipReason(call), 'dim');
  const stopped = call.end === undefined || call.end.stoppedBy === '' ? '' : ` (stopped by ${call.end.stoppedBy})`;
  const error = call.end?.error || call.end?.code || failureText(call.failures.at(-1));
  // A cancelled call is no failure.
  const tone: Tone = call.status === 'cancelled' || call.status === 'not_run' ? 'dim' : 'bad';
  return cell(error === '' ? '' : error + stopped, tone);
}

/** The direct cause; the waterfall shows the whole chain. */
function skipReason({ skip }: CallView): string {
  const [direct] = skip?.causedBy ?? [];
  return direct === undefined ? (skip?.message ?? '') : `needs ${direct}`;
}
