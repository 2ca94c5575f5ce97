/** Owns the saved state of an alert engine, and its validation. */
import type { AlertPointer, Silence } from './alert.ts';
import type { SavedInstances } from './rule-book.ts';
import { isSavedHistory, type SavedHistory } from './saved-history.ts';
import { fieldsOf, isRecord } from '../../engine/plain/is-object.ts';

/** Saved state of an alert engine: plain JSON data. Fields that only the engine reads are `unknown`. */
export interface SavedAlerts {
  /** Version of this format. */
  readonly version: 1;
  /** Time of the last evaluation, milliseconds since 1970; null when there was none. */
  readonly evaluatedAtEpochMs: number | null;
  /** The samples within the longest window. */
  readonly samples: unknown;
  /** The alerts of each rule. */
  readonly alerts: unknown;
  /** All silences, those included that ended within the last day. */
  readonly silences: readonly Silence[];
  /** The latest cause of each alert. */
  readonly causes: unknown;
}

export interface SavedState extends SavedAlerts {
  readonly samples: SavedHistory;
  readonly alerts: SavedInstances;
  readonly causes: readonly (readonly [key: string, pointer: AlertPointer])[];
}

/** @throws TypeError that names the invalid field */
export function checkSavedAlerts(saved: unknown): asserts saved is SavedState {
  const { version, evaluatedAtEpochMs, samples, alerts, silences, causes } = fieldsOf(saved) as Partial<Record<keyof SavedAlerts, unknown>>;
  if (version !== 1) refuse('version', `1, got ${String(version)}`);
  if (evaluatedAtEpochMs !== null && !Number.isFinite(evaluatedAtEpochMs)) refuse('evaluatedAtEpochMs', 'a time or null');
  if (!isSavedHistory(samples)) refuse('samples', 'moments and series');
  if (!isRecord(alerts) || !Object.values(alerts).every((list) => isListOf(list, isEntry))) refuse('alerts', 'lists of alerts');
  if (!isListOf(silences, (silence) => Array.isArray(fieldsOf(silence)['matchers']))) refuse('silences', 'a list of silences');
  if (
    !isListOf(causes, (cause) => Array.isArray(cause) && typeof cause[0] === 'string' && typeof fieldsOf(cause[1])['turnId'] === 'string')
  )
    refuse('causes', 'a list of pointers');
}

const isListOf = (value: unknown, isOne: (each: unknown) => boolean): boolean => Array.isArray(value) && value.every(isOne);

const isNumber = (value: unknown): boolean => Number.isFinite(value);

function isEntry(value: unknown): boolean {
  if (!Array.isArray(value) || typeof value[0] !== 'string') return false;
  const { state, activeAtEpochMs, measured } = fieldsOf(value[1]);
  const { labels, value: number } = fieldsOf(measured);
  const isState = state === 'pending' || state === 'firing' || state === 'resolved';
  return isState && isNumber(activeAtEpochMs) && isNumber(number) && typeof labels === 'object' && labels !== null;
}

function refuse(field: string, must: string): never {
  throw new TypeError(`restore: '${field}' must be ${must}. Pass the value that save() returned.`);
}
