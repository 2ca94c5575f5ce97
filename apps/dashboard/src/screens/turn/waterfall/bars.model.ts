/** The bars of a row: clipped to the visible range, and never too thin to see. */
import { formatDuration } from '../../../ui/format.ts';
import { latenessOf, type CallView, type Segment } from '@holdfast/core/turn-view';
import { minLatenessMs } from '../labels.ts';
import { type Span, xOf } from './axis.model.ts';

/** How a segment is drawn. */
type BarKind = 'line' | 'queue' | 'backoff' | 'overdue' | 'work' | 'failed' | 'stopped' | 'late';

export interface Bar {
  readonly key: number;
  readonly kind: BarKind;
  readonly x: number;
  readonly width: number;
  /** Still running. */
  readonly open: boolean;
  readonly hedge: boolean;
  readonly alternative: boolean;
  readonly probe: boolean;
  readonly attempt: number;
  /** The mark at its end: failed or timed out. */
  readonly mark: 'failed' | 'timeout' | undefined;
}

export interface Label {
  readonly text: string;
  readonly x: number;
  readonly end: boolean;
}

const minWidth = 2;

export function barsOf(segments: readonly Segment[], span: Span, width: number, nowMs: number): readonly Bar[] {
  const bars: Bar[] = [];
  segments.forEach((segment, key) => {
    const lateMs = latenessOf(segment);
    const isLate = lateMs >= minLatenessMs;
    const end = (segment.endMs ?? Math.max(nowMs, segment.startMs)) - (isLate ? lateMs : 0);
    if (isLate) bars.push(...overdueBar(segment, end, lateMs, { span, width, key: -1 - key }));
    if (end < span.fromMs || segment.startMs > span.toMs) return;
    const from = Math.max(-4, xOf(span, width, segment.startMs));
    const to = Math.min(width + 4, xOf(span, width, end));
    const kind = barKindOf(segment);
    const solid = segment.kind === 'attempt';
    if (!solid && to - from < 1) return;
    bars.push({
      key,
      kind,
      x: from,
      width: Math.max(solid ? minWidth : 1, to - from),
      open: segment.endMs === undefined,
      hedge: segment.hedge,
      alternative: segment.alternative,
      probe: segment.probe,
      attempt: segment.attempt,
      mark: !solid ? undefined : segment.result === 'error' ? 'failed' : segment.result === 'timeout' ? 'timeout' : undefined,
    });
  });
  // Waits are drawn behind work.
  return bars.toSorted((a, b) => depth[a.kind] - depth[b.kind]);
}

interface Place {
  readonly span: Span;
  readonly width: number;
  readonly key: number;
}

/** The time after a backoff in which the process was busy. */
function overdueBar(segment: Segment, fromMs: number, lateMs: number, { span, width, key }: Place): readonly Bar[] {
  const from = Math.max(-4, xOf(span, width, fromMs));
  const to = Math.min(width + 4, xOf(span, width, fromMs + lateMs));
  if (to - from < 1) return [];
  const plain = { open: false, hedge: false, alternative: segment.alternative, probe: false, attempt: segment.attempt, mark: undefined };
  return [{ ...plain, key, kind: 'overdue', x: from, width: to - from }];
}

const depth: Readonly<Record<BarKind, number>> = { line: 0, late: 1, backoff: 2, overdue: 2, queue: 2, work: 3, stopped: 3, failed: 3 };

function barKindOf({ kind, result }: Segment): BarKind {
  switch (kind) {
    case 'attempt':
      return result === 'error' || result === 'timeout'
        ? 'failed'
        : result === 'cancelled' || result === 'interrupted'
          ? 'stopped'
          : 'work';
    case 'backoff':
    case 'queue':
    case 'late':
      return kind;
    default:
      return 'line';
  }
}

/** The approximate width of a label. */
const labelWidth = (text: string): number => text.length * 6.4 + 10;

/** Places the label after the bars or, without room there, before them. */
export function labelOf(text: string, bars: readonly Bar[], width: number): Label | undefined {
  const drawn = bars.filter(({ kind }) => kind !== 'line');
  if (drawn.length === 0) return undefined;
  const room = labelWidth(text);
  const end = Math.max(...drawn.map(({ x, width: wide }) => x + wide));
  if (end + room <= width) return { text, x: Math.max(0, end) + 7, end: false };
  const begin = Math.min(...drawn.map(({ x }) => x));
  return begin - room >= 0 ? { text, x: begin - 7, end: true } : undefined;
}

export function callLabel(call: CallView, nowMs: number): string {
  if (call.startedMs === undefined) return '';
  const took = formatDuration((call.endedMs ?? nowMs) - call.startedMs);
  const attempts = call.segments.filter(({ kind }) => kind === 'attempt').length;
  return attempts > 1 ? `${took} · ${attempts}×` : took;
}

export const segmentLabel = ({ startMs, endMs }: Segment, nowMs: number): string => formatDuration((endMs ?? nowMs) - startMs);
