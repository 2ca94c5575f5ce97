/**
 * Owns opening the history, in a file or a database, and reading what is needed at the start.
 *
 * Invariant: if the file is not usable, the history of this process is kept in memory.
 */
import type { ClusterRecord, KeptChange, KeptHistory, KeptTurn, ToolCircuitChange } from '@holdfast/core/history';
import { type PostgresEntry, postgresOptions } from '@holdfast/manifest';
import { isConfigurationError } from '@holdfast/store-sqlite';
import { type SyncAlertRecords, sqliteHistory } from '@holdfast/store-sqlite/history';
import { cachedAlerts } from './cached-alerts.ts';

/** The stored history of earlier and other processes. */
export interface OpenedHistory {
  readonly kept: KeptHistory;
  readonly alerts: SyncAlertRecords;
  /** Whether this process sends notifications of alerts when several gateways could. @default always true */
  readonly mayNotify?: (() => boolean) | undefined;
  readonly lastIds: { readonly change: number; readonly circuitChange: number };
  readonly circuits: readonly ToolCircuitChange[];
  readonly clusters: readonly ClusterRecord[];
  /** Newest first. */
  readonly changes: readonly KeptChange[];
  /** Newest first. */
  readonly turns: readonly KeptTurn[];
}

export interface OpenHistoryOptions {
  readonly retentionDays: number;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** Called with a sentence for the operator. */
  readonly onFault: (text: string) => void;
}

export const maxClusters = 1_000;
const earlierChanges = 200;
const earlierTurns = 200;

/** Without `path`, in memory. */
export function openFileHistory(path: string | undefined, { onFault, ...options }: OpenHistoryOptions): OpenedHistory {
  const kept = openFile(path ?? ':memory:', { onFault, ...options });
  return {
    kept,
    alerts: kept.alerts,
    lastIds: kept.lastIds(),
    circuits: kept.lastCircuitChanges(),
    clusters: kept.clusters(maxClusters),
    changes: kept.changes(earlierChanges),
    turns: kept.turns({ limit: earlierTurns }),
  };
}

function openFile(path: string, { retentionDays, now, onFault }: OpenHistoryOptions): ReturnType<typeof sqliteHistory> {
  const how = { retentionDays, ...(now ? { now } : {}), onFault: faultReporter(path, onFault) };
  try {
    return sqliteHistory({ path, ...how });
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
    onFault(`${error.message} Until then, the history is kept in memory only.`);
    return sqliteHistory({ path: ':memory:', ...how });
  }
}

/** A database that does not answer is tried again later; until then the history is empty. */
export async function openDatabaseHistory(
  entry: PostgresEntry,
  { retentionDays, now, onFault }: OpenHistoryOptions,
): Promise<OpenedHistory> {
  const { postgresHistory } = await import('@holdfast/store-postgres/history');
  const place = postgresOptions(entry);
  const kept = postgresHistory({ ...place, retentionDays, ...(now ? { now } : {}), onFault: faultReporter('in the database', onFault) });
  const lease = kept.lease?.('alerts');
  const [alerts, lastIds, circuits, clusters, changes, turns] = await Promise.all([
    cachedAlerts({ records: kept.alerts, lease, onFault }),
    kept.lastIds(),
    kept.lastCircuitChanges(),
    kept.clusters(maxClusters),
    kept.changes(earlierChanges),
    kept.turns({ limit: earlierTurns }),
  ]);
  return { kept, alerts, mayNotify: () => lease?.isPresumed() ?? true, lastIds, circuits, clusters, changes, turns };
}

const faultReporter =
  (place: string, onFault: (text: string) => void) =>
  ({ problem }: { readonly problem?: string }): void =>
    onFault(problem ?? `History ${place} is stored again.`);
