/** Owns converting clusters of failures for the API. */
import type { ClusterRecord } from '@holdfast/core/history';
import type { FailureCluster } from '../contract.ts';
import { toIso } from '../plain/iso-time.ts';
import type { FailureFilter } from './history.ts';

const hourMs = 3_600_000;
const shownHours = 24;

export function failureCluster({ hours, first_seen, last_seen, ...rest }: ClusterRecord, now: number): FailureCluster {
  const latest = Math.floor(now / hourMs);
  return {
    ...rest,
    first_seen: toIso(first_seen),
    last_seen: toIso(last_seen),
    hourly: Array.from({ length: shownHours }, (_, index) => hours[String(latest - shownHours + 1 + index)] ?? 0),
    is_new: now - first_seen < hourMs,
  };
}

/** The latest seen first. */
export function filterClusters(
  clusters: readonly ClusterRecord[],
  { tool_id: tool, since, limit }: FailureFilter,
): readonly ClusterRecord[] {
  return clusters
    .filter((cluster) => (tool === undefined || cluster.tool_id === tool) && (since === undefined || cluster.last_seen >= since))
    .toSorted((one, other) => other.last_seen - one.last_seen || (one.signature < other.signature ? -1 : 1))
    .slice(0, limit);
}
