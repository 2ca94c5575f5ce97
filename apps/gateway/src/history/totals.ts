/** Owns the totals of the gateway. */
import type { ToolExecutionService, ToolHealth } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import type { History as Folds, KeptHistory } from '@holdfast/core/history';
import { addCounts, emptyCounts, recentMs } from '@holdfast/core/internal';
import type { AlertItem, Totals } from '../contract.ts';
import type { Steps } from '../plain/steps.ts';
import { version } from '../plain/version.ts';
import { toCallCounts } from './describe-counts.ts';

export interface TotalsParts {
  readonly service: Pick<ToolExecutionService, 'tools' | 'getToolHealth' | 'getToolSettings'>;
  readonly store?: Pick<Store, 'status'> | undefined;
  readonly alerts?: (() => readonly AlertItem[]) | undefined;
  readonly loginsRequired?: (() => Totals['logins_required']) | undefined;
  /** Number of tools that are not offered. @default 0 */
  readonly toolsWithheld?: (() => number) | undefined;
  readonly now: number;
  readonly folds: Folds;
  readonly kept: Pick<KeptHistory, 'bytes' | 'retentionDays'>;
  readonly startedAt: string;
  readonly counts: (tool: string) => Parameters<typeof toCallCounts>[0];
}

export function* totalsOf(parts: TotalsParts): Steps<Totals> {
  const { service, store, alerts = () => [], loginsRequired, toolsWithheld = () => 0, now, folds, kept, startedAt, counts } = parts;
  const { turns, deadlinesMissed } = folds.recentTurns(now);
  const status = store?.status();
  const bytes = kept.bytes();
  const { tools } = service;
  const sums = emptyCounts();
  let open = 0;
  for (const { name } of tools) {
    addCounts(sums, counts(name));
    if (isOpen(service.getToolHealth(name)) && service.getToolSettings(name)?.breaker !== false) open += 1;
    yield;
  }
  const withheld = toolsWithheld();
  const logins = loginsRequired?.() ?? [];
  return {
    tools: tools.length,
    turns_per_minute: Math.round((turns / (recentMs / 60_000)) * 10) / 10,
    calls: toCallCounts(sums),
    deadlines_missed: deadlinesMissed,
    alerts_firing: countFiring(alerts()),
    circuits_open: open,
    ...(logins.length > 0 ? { logins_required: logins } : {}),
    ...(withheld > 0 ? { tools_withheld: withheld } : {}),
    started_at: startedAt,
    version,
    ...(status
      ? { store: { ok: status.ok, dropped: status.dropped, ...(status.problem === undefined ? {} : { problem: status.problem }) } }
      : {}),
    ...(bytes > 0 ? { history: { bytes, retention_days: kept.retentionDays } } : {}),
  };
}

/** A half-open circuit refuses calls, too, and its alert says that it opened. In shadow mode and when it is off, it refuses none. */
const isOpen = (health: ToolHealth | undefined): boolean =>
  health !== undefined && health.circuit !== 'closed' && health.mode !== 'shadow' && health.mode !== 'disabled';

/** Silenced, inhibited and acknowledged alerts fire, too. */
export const countFiring = (alerts: readonly AlertItem[]): number => alerts.filter(({ state }) => state === 'firing').length;
