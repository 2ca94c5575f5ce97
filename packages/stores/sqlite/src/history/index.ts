/** The history in a SQLite file: cells, turn facts, circuit timelines, failure clusters, and what is kept of alerts. */
export type { AlertEventRecord, AlertRecords, DeliveryRecord, Kept } from './alert-records.ts';
export type { SeriesQuery } from './cells.ts';
export type { HistoryStatus } from './link.ts';
export type { KeptChange } from './records.ts';
export { sqliteHistory, type SqliteHistory, type SqliteHistoryOptions } from './sqlite-history.ts';
export type { FactsQuery, KeptTurn, TurnPlace } from './turns.ts';
export type { HistoryWrite } from './write-batch.ts';
