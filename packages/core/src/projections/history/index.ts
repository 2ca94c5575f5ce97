/** The entry `@holdfast/core/history`: the history of tools, circuits, failures and turns, as folds over the trace. A store such as `@holdfast/store-sqlite/history` persists it. */
export type { Cell, CellCounts, CellNumber } from './cell.ts';
export type { CircuitRule } from './circuit-cause.ts';
export type { ToolCircuitChange } from './circuit-fold.ts';
export type { LatestFailure, SlowCall } from './highlights.ts';
export { createHistory, type History, type HistoryBatch, type HistoryLimits, type HistoryOptions } from './history.ts';
export type { AlertEventRecord, AlertRecords, DeliveryRecord, Kept } from './kept-alerts.ts';
export type { FactsQuery, HistoryStatus, HistoryWrite, KeptChange, KeptHistory, KeptTurn, SeriesQuery, TurnPlace } from './kept-history.ts';
export type { CursorMark, HistoryLease, LeaseListener } from './lease.ts';
export type {
  CallRecord,
  ChangeRecord,
  CircuitChange,
  CircuitSample,
  ClusterRecord,
  FailureRecord,
  StrategyCount,
  TurnFacts,
  TurnRecord,
} from './records.ts';
export type { RecentTurns } from './turn-fold.ts';
export type { LatencySketch, SketchContent } from '../metrics/sketch.ts';
