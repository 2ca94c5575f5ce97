/** Owns the numbers that stand above a turn. Pure. */
import { count, duration, number } from '../../ui/format.ts';
import type { CallView, TurnView } from '@holdfast/core/turn-view';

export interface TurnFigure {
  readonly name: string;
  readonly value: string;
  readonly beside?: string;
}

export function figuresOf(view: TurnView, nowMs: number): readonly TurnFigure[] {
  const { calls, timeoutMs, durationMs } = view;
  const tookMs = durationMs ?? nowMs;
  const attempts = calls.reduce((sum, { segments }) => sum + segments.filter(({ kind }) => kind === 'attempt').length, 0);
  const retries = calls.reduce((sum, { decisions }) => sum + decisions.filter(({ decision }) => decision.action === 'retry').length, 0);
  const with_ = (...statuses: readonly string[]): number => calls.filter(({ status }) => statuses.includes(status)).length;
  const lost = [
    [with_('error', 'timeout'), 'failed'],
    [with_('skipped'), 'skipped'],
    [with_('cancelled'), 'cancelled'],
    [with_('not_run'), 'not run'],
  ] as const;
  const others = lost.flatMap(([many, word]) => (many === 0 ? [] : [`${many} ${word}`]));
  const opened = view.circuits.filter(({ state }) => state === 'open').length;
  return [
    { name: durationMs === undefined ? 'Runs for' : 'Took', value: duration(tookMs) },
    {
      name: 'Deadline',
      value: timeoutMs === undefined ? 'none' : duration(timeoutMs),
      ...(timeoutMs === undefined ? {} : { beside: `${duration(Math.max(0, timeoutMs - tookMs))} left` }),
    },
    { name: 'Calls', value: number(calls.length), beside: [`${with_('success')} succeeded`, ...others].join(', ') },
    { name: 'Attempts', value: number(attempts), ...(retries === 0 ? {} : { beside: count(retries, 'retry', 'retries') }) },
    ...(opened === 0 ? [] : [{ name: 'Circuits opened', value: number(opened) }]),
  ];
}

export interface Escalation {
  readonly text: string;
  /** Those it is notified of in the same words. */
  readonly calls: readonly string[];
}

export function escalationsOf(calls: readonly CallView[]): readonly Escalation[] {
  const byText = new Map<string, string[]>();
  for (const { escalation, callId } of calls)
    if (escalation !== undefined) byText.set(escalation, [...(byText.get(escalation) ?? []), callId]);
  return [...byText].map(([text, ids]) => ({ text, calls: ids }));
}
