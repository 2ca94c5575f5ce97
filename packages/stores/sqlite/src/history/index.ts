/** The history in a SQLite file: cells, turn facts, circuit timelines, failure clusters, and what is kept of alerts. */
export type {
  AlertEventRecord,
  DeliveryRecord,
  FactsQuery,
  HistoryStatus,
  HistoryWrite,
  Kept,
  KeptChange,
  KeptTurn,
  SeriesQuery,
  TurnPlace,
} from '@holdfast/core/history';
export type { SyncAlertRecords } from './alert-records.ts';
export { sqliteHistory, type SqliteHistory, type SqliteHistoryOptions } from './sqlite-history.ts';
