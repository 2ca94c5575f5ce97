/** The key stats of a turn. */
import { pluralize, formatDuration, formatNumber } from '../../ui/format.ts';
import { turnTotals, type CallView, type TurnView } from '@holdfast/core/turn-view';
import type { TurnState } from '@holdfast/gateway/contract';

export interface TurnStat {
  readonly name: string;
  readonly value: string;
  readonly detail?: string;
}

/** How long a running turn has run, in milliseconds; `nowMs` is the gateway's time, in milliseconds since 1970. */
export const runningFor = (startedAt: string, elapsedMs: number, nowMs: number): number => {
  const since = nowMs - Date.parse(startedAt);
  return Number.isFinite(since) ? Math.max(elapsedMs, since) : elapsedMs;
};

/** `nowMs`: from the start of the turn; of an interrupted turn, the time of its latest event. */
export function turnStats(view: TurnView, nowMs: number, state: TurnState | undefined): readonly TurnStat[] {
  const { timeoutMs, durationMs } = view;
  const elapsedMs = durationMs ?? nowMs;
  const totals = turnTotals(view);
  const unsuccessful = [
    [totals.fellBack, 'answered by a fallback'],
    [totals.failed + totals.timedOut, 'failed'],
    [totals.skipped, 'skipped'],
    [totals.cancelled, 'cancelled'],
    [totals.interrupted, 'interrupted'],
    [totals.notRun, 'not run'],
  ] as const;
  const others = unsuccessful.flatMap(([quantity, text]) => (quantity === 0 ? [] : [`${quantity} ${text}`]));
  const isInterrupted = state === 'interrupted';
  const left = timeoutMs === undefined || isInterrupted ? {} : { detail: `${formatDuration(Math.max(0, timeoutMs - elapsedMs))} left` };
  return [
    { name: durationMs === undefined ? (isInterrupted ? 'Recorded for' : 'Running for') : 'Duration', value: formatDuration(elapsedMs) },
    { name: 'Deadline', value: timeoutMs === undefined ? 'none' : formatDuration(timeoutMs), ...left },
    { name: 'Calls', value: formatNumber(totals.calls), detail: [`${totals.succeeded} succeeded`, ...others].join(', ') },
    {
      name: 'Attempts',
      value: formatNumber(totals.attempts),
      ...(totals.retries === 0 ? {} : { detail: pluralize(totals.retries, 'retry', 'retries') }),
    },
    ...(totals.circuitsOpened === 0 ? [] : [{ name: 'Circuits opened', value: formatNumber(totals.circuitsOpened) }]),
  ];
}

export interface Loss {
  readonly text: string;
  /** A critical call is lost, which escalates the turn. */
  readonly escalates: boolean;
  /** The calls that are lost for this reason. */
  readonly calls: readonly string[];
}

/** The required calls that are lost, those that escalate the turn first. */
export function lossesOf(calls: readonly CallView[]): readonly Loss[] {
  const losses = new Map<string, { readonly text: string; readonly escalates: boolean; readonly calls: string[] }>();
  for (const { escalation: text, critical: escalates, callId } of calls) {
    if (text === undefined) continue;
    const key = `${escalates} ${text}`;
    const known = losses.get(key);
    if (known) known.calls.push(callId);
    else losses.set(key, { text, escalates, calls: [callId] });
  }
  return [...losses.values()].toSorted((one, other) => Number(other.escalates) - Number(one.escalates));
}
