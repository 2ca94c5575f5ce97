/** The rows of the waterfall: calls, and the segments of expanded calls. A flat list, so that it can be virtualized. */
import type { CallView, Segment, TurnView } from '@holdfast/core/turn-view';
import { failureText } from '../labels.ts';

export interface Row {
  readonly key: string;
  readonly call: CallView;
  /** 1: a call; 2: a segment. */
  readonly level: 1 | 2;
  readonly segment: Segment | undefined;
  /** Its index in `call.segments`. */
  readonly segmentIndex: number;
  readonly expandable: boolean;
  readonly expanded: boolean;
  /** Position among its siblings, from 1. */
  readonly position: number;
  readonly siblings: number;
}

export interface Selection {
  readonly callId: string;
  /** 0: the call itself. */
  readonly attempt: number;
}

export type RowOrder = 'plan' | 'begin' | 'duration';
export type RowFilter = 'all' | 'trouble' | 'path';

export interface RowOptions {
  /** The ids of expanded calls, or all. */
  readonly expanded: ReadonlySet<string> | 'all';
  readonly order: RowOrder;
  readonly filter: RowFilter;
  readonly search: string;
  readonly path: ReadonlySet<string>;
}

export function rowsOf(view: TurnView, options: RowOptions): readonly Row[] {
  const calls = sortCalls(
    view.calls.filter((call) => isShown(call, options)),
    options.order,
    view.elapsedMs,
  );
  const rows: Row[] = [];
  calls.forEach((call, index) => {
    const parts = partsOf(call);
    const expandable = parts.length > 0;
    const expanded = expandable && (options.expanded === 'all' || options.expanded.has(call.callId));
    const base = { call, siblings: calls.length };
    rows.push({ ...base, key: call.callId, level: 1, segment: undefined, segmentIndex: -1, expandable, expanded, position: index + 1 });
    if (!expanded) return;
    parts.forEach(([segment, segmentIndex], at) =>
      rows.push({
        call,
        key: `${call.callId}\n${segmentIndex}`,
        level: 2,
        segment,
        segmentIndex,
        expandable: false,
        expanded: false,
        position: at + 1,
        siblings: parts.length,
      }),
    );
  });
  return rows;
}

/** Waits for other calls that are shorter than this fraction of the call are not shown. */
const minFraction = 0.02;

const partsOf = (call: CallView): readonly (readonly [Segment, number])[] =>
  call.segments
    .map((segment, index) => [segment, index] as const)
    .filter(([segment]) => isSignificant(segment, call))
    .toSorted(([one], [other]) => one.startMs - other.startMs);

function isSignificant({ kind, startMs, endMs }: Segment, call: CallView): boolean {
  if (kind === 'attempt' || kind === 'backoff' || kind === 'queue' || endMs === undefined) return true;
  return endMs - startMs > (call.endedMs ?? endMs) * minFraction;
}

const troubled = new Set(['error', 'timeout', 'skipped', 'cancelled', 'not_run']);

/** Something did not go as planned, even if the call succeeded. */
export const hasTrouble = (call: CallView): boolean =>
  troubled.has(call.status) || call.failures.length > 0 || call.defaults.length > 0 || call.alternatives.length > 0;

function isShown(call: CallView, { filter, search, path }: RowOptions): boolean {
  if (filter === 'trouble' && !hasTrouble(call)) return false;
  if (filter === 'path' && !path.has(call.callId)) return false;
  const wanted = search.trim().toLowerCase();
  if (wanted === '') return true;
  return [call.callId, call.toolName, ...call.failures.map(({ code }) => code), ...call.failures.map(failureText)].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

function sortCalls(calls: readonly CallView[], order: RowOrder, elapsedMs: number): readonly CallView[] {
  if (order === 'plan') return calls;
  const begin = (call: CallView): number => call.startedMs ?? call.endedMs ?? Number.POSITIVE_INFINITY;
  const length = (call: CallView): number => (call.startedMs === undefined ? 0 : (call.endedMs ?? elapsedMs) - call.startedMs);
  return order === 'begin'
    ? calls.toSorted((a, b) => begin(a) - begin(b) || a.index - b.index)
    : calls.toSorted((a, b) => length(b) - length(a) || a.index - b.index);
}
