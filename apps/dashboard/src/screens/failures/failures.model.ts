/** Filters, sorts and describes failure clusters. */
import type { FailureCluster, FailurePointer, StrategyResult } from '@holdfast/gateway/contract';
import { compareNames } from '../../data/live-state.ts';
import { pluralize, formatNumber } from '../../ui/format.ts';
import { shareOf } from '../../ui/share.model.ts';
import { describeStopReason } from '../../ui/stop-reasons.ts';
import type { Share } from '@holdfast/gateway/contract';

type FailureOrder = 'latest' | 'count' | 'new' | 'lost';

export interface FailureChoice {
  readonly q: string;
  readonly tool: string;
  readonly sort: FailureOrder;
}

const latest = (one: FailureCluster, other: FailureCluster): number => compareNames(other.last_seen, one.last_seen);

const orders: Readonly<Record<FailureOrder, (one: FailureCluster, other: FailureCluster) => number>> = {
  latest,
  count: (one, other) => other.count - one.count || latest(one, other),
  new: (one, other) => compareNames(other.first_seen, one.first_seen) || latest(one, other),
  lost: (one, other) => other.calls_failed - one.calls_failed || latest(one, other),
};

export function filterClusters(clusters: readonly FailureCluster[], { q, tool, sort }: FailureChoice): readonly FailureCluster[] {
  const words = q.toLowerCase().split(/\s+/u).filter(Boolean);
  const text = ({ tool_id: name, code, category, pattern, sample }: FailureCluster): string =>
    [name, code, category, pattern, sample].join(' ').toLowerCase();
  return clusters
    .filter((cluster) => (tool === '' || cluster.tool_id === tool) && words.every((word) => text(cluster).includes(word)))
    .toSorted(orders[sort]);
}

export const toolsOf = (clusters: readonly FailureCluster[]): readonly string[] =>
  [...new Set(clusters.map(({ tool_id: tool }) => tool))].toSorted(compareNames);

/** The share of the affected calls that failed in the end. */
export const lostCalls = ({ calls_failed, calls_recovered }: FailureCluster): Share =>
  shareOf(calls_failed, calls_failed + calls_recovered);

const strategyLabels: Readonly<Record<string, string>> = {
  retry: 'Retry',
  use_alternative: 'Alternative',
  use_default: 'Default',
  accept_partial: 'Partial output',
};

export const strategyLabel = (strategy: string): string => strategyLabels[strategy] ?? strategy;

/** `Retry 12 of 40, alternative 3 of 3`. */
export const strategiesText = (strategies: readonly StrategyResult[]): string =>
  strategies.length === 0
    ? 'no recovery attempted'
    : strategies
        .map(({ strategy, tried, succeeded }) => `${strategyLabel(strategy)} ${formatNumber(succeeded)} of ${formatNumber(tried)}`)
        .join(', ');

export const hourlyLabel = (hourly: readonly number[]): string => {
  const all = hourly.reduce((total, value) => total + value, 0);
  return `${pluralize(all, 'failure')} in the last 24 hours, ${formatNumber(hourly.at(-1) ?? 0)} in the last hour`;
};

/** How the call of a failure ended; an attempt without a reason of its own was retried, which does not say that the call succeeded. */
export function endText({ call_ended: ended, stopped_by: stoppedBy }: FailurePointer): string {
  if (ended === undefined) return stoppedBy === undefined ? 'not known yet' : `failed: ${describeStopReason(stoppedBy).short}`;
  return ended === 'failed' && stoppedBy !== undefined ? `failed: ${describeStopReason(stoppedBy).short}` : ended;
}
