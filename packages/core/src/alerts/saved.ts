/** Owns what an alert engine looks like while it does not run. */
import type { AlertPointer, Silence } from './alert.ts';
import type { SavedInstances } from './rule-book.ts';
import type { SavedHistory } from './sample-history.ts';

/** Plain JSON data. */
export interface SavedAlerts {
  readonly version: 1;
  /** Null: never. */
  readonly evaluatedAtEpochMs: number | null;
  /** The samples within the longest window. */
  readonly samples: SavedHistory;
  readonly alerts: SavedInstances;
  readonly silences: readonly Silence[];
  readonly causes: readonly (readonly [key: string, pointer: AlertPointer])[];
}

/** @throws TypeError naming what is wrong. */
export function checkSavedAlerts(saved: unknown): asserts saved is SavedAlerts {
  const { version, evaluatedAtEpochMs, samples, alerts, silences, causes } = (
    typeof saved === 'object' && saved !== null ? saved : {}
  ) as Partial<SavedAlerts>;
  const refuse = (field: string, must: string): never => {
    throw new TypeError(`restore: '${field}' must be ${must}. Give it what save() answered.`);
  };
  if (version !== 1) refuse('version', `1, got ${String(version)}`);
  if (evaluatedAtEpochMs !== null && !Number.isFinite(evaluatedAtEpochMs)) refuse('evaluatedAtEpochMs', 'a time or null');
  for (const [field, list] of Object.entries({ samples, silences, causes })) if (!Array.isArray(list)) refuse(field, 'an array');
  if (typeof alerts !== 'object' || alerts === null) refuse('alerts', 'an object');
  for (const list of Object.values(alerts ?? {})) if (!Array.isArray(list)) refuse('alerts', 'lists of alerts');
}
