/** The key stats of a turn. */
import { pluralize, formatDuration, formatNumber } from '../../ui/format.ts';
import type { CallView, TurnView } from '@holdfast/core/turn-view';

export interface TurnStat {
  readonly name: string;
  readonly value: string;
  readonly detail?: string;
}

export function turnStats(view: TurnView, nowMs: number): readonly TurnStat[] {
  const { calls, timeoutMs, durationMs } = view;
  const elapsedMs = durationMs ?? nowMs;
  const attempts = calls.reduce((sum, { segments }) => sum + segments.filter(({ kind }) => kind === 'attempt').length, 0);
  const retries = calls.reduce((sum, { decisions }) => sum + decisions.filter(({ decision }) => decision.action === 'retry').length, 0);
  const countStatus = (...statuses: readonly string[]): number => calls.filter(({ status }) => statuses.includes(status)).length;
  const unsuccessful = [
    [countStatus('error', 'timeout'), 'failed'],
    [countStatus('skipped'), 'skipped'],
    [countStatus('cancelled'), 'cancelled'],
    [countStatus('not_run'), 'not run'],
  ] as const;
  const others = unsuccessful.flatMap(([quantity, text]) => (quantity === 0 ? [] : [`${quantity} ${text}`]));
  const opened = view.circuits.filter(({ state }) => state === 'open').length;
  return [
    { name: durationMs === undefined ? 'Running for' : 'Duration', value: formatDuration(elapsedMs) },
    {
      name: 'Deadline',
      value: timeoutMs === undefined ? 'none' : formatDuration(timeoutMs),
      ...(timeoutMs === undefined ? {} : { detail: `${formatDuration(Math.max(0, timeoutMs - elapsedMs))} left` }),
    },
    { name: 'Calls', value: formatNumber(calls.length), detail: [`${countStatus('success')} succeeded`, ...others].join(', ') },
    { name: 'Attempts', value: formatNumber(attempts), ...(retries === 0 ? {} : { detail: pluralize(retries, 'retry', 'retries') }) },
    ...(opened === 0 ? [] : [{ name: 'Circuits opened', value: formatNumber(opened) }]),
  ];
}

export interface Escalation {
  readonly text: string;
  /** The calls that were escalated with this text. */
  readonly calls: readonly string[];
}

export function escalationsOf(calls: readonly CallView[]): readonly Escalation[] {
  const byText = new Map<string, string[]>();
  for (const { escalation, callId } of calls)
    if (escalation !== undefined) byText.set(escalation, [...(byText.get(escalation) ?? []), callId]);
  return [...byText].map(([text, ids]) => ({ text, calls: ids }));
}
