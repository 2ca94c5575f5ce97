/** Why Holdfast refused a call, and what opened the circuit that refused it. */
import type { FailureView } from '@holdfast/core/turn-view';
import type { CircuitChange, HistoryRange } from '@holdfast/gateway/contract';
import { formatDayAndTime, joinWords, pluralize } from '../../ui/format.ts';
import { reasonText } from '../tool/circuit.model.ts';

const reasons: Readonly<Record<string, string>> = {
  'refused:circuit': 'the circuit is open',
  'refused:probe_in_progress': 'the circuit is half-open, and a probe is running',
  'refused:forced_open': 'an operator holds the circuit open',
  'refused:server_hint': 'held by the server’s Retry-After',
  'refused:limiter': 'the rate limit is reached',
  'refused:bulkhead': 'all slots of the tool are taken',
  'refused:budget': 'the retry budget is used up',
};

/** `Refused: the rate limit is reached`. */
export const refusalText = ({ rule, code }: Pick<FailureView, 'rule' | 'code'>): string => `Refused: ${reasons[rule] ?? code}`;

/** Whether outcomes of calls opened the circuit that refused the call. */
export const isByCircuit = ({ refused, rule }: Pick<FailureView, 'refused' | 'rule'>): boolean =>
  refused && (rule === 'refused:circuit' || rule === 'refused:probe_in_progress');

/** The range of the circuit's timeline to search. A circuit can have been open for long before it refused the call. */
export const rangeOf = (atMs: number, nowMs: number): HistoryRange => (nowMs - atMs < 12 * 3_600_000 ? '24h' : '14d');

/** Times of events and changes are rounded to milliseconds. */
const roundingMs = 1;

/** The change that opened the circuit for the first time since it was last closed; failed probes in between do not count. */
export function openingBefore(changes: readonly CircuitChange[], atMs: number): CircuitChange | undefined {
  const earlier = changes.filter(({ at }) => Date.parse(at) <= atMs + roundingMs);
  const closed = earlier.findLastIndex(({ to }) => to === 'closed');
  return earlier.slice(closed + 1).find(({ from, to }) => from === 'closed' && to === 'open');
}

/** `Refused: circuit open since 03:49:06 after 5 failures (ECONNREFUSED)`. */
export function openingText(change: CircuitChange, nowMs: number): string {
  const since = `Refused: circuit open since ${formatDayAndTime(change.at, nowMs)}`;
  if (change.reason !== 'failure_threshold' || change.failure_count === undefined) return `${since}: ${reasonText(change)}`;
  const codes = new Set(change.samples.flatMap(({ counted, code }) => (counted && code !== undefined ? [code] : [])));
  return `${since} after ${pluralize(change.failure_count, 'failure')}${codes.size === 0 ? '' : ` (${joinWords([...codes])})`}`;
}

/** The call that opened the circuit. */
export function openedBy({ turn_id, call_id, samples }: CircuitChange): { readonly turnId: string; readonly callId: string } | undefined {
  const last = samples.findLast(({ counted }) => counted);
  const [turnId, callId] = turn_id === undefined || call_id === undefined ? [last?.turn_id, last?.call_id] : [turn_id, call_id];
  return turnId === undefined || callId === undefined ? undefined : { turnId, callId };
}
