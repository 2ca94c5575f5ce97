/** The history of tools, circuits, failures and turns: folds over the trace. Keeping them is the store's (`@holdfast/store-sqlite/history`). */
export {
  addCounts,
  callsOf,
  type Cell,
  type CellCounts,
  type CellNumber,
  cellNumbers,
  createCell,
  emptyCounts,
  mergeCell,
  packCell,
  type PackedCell,
  unpackCell,
} from './cell.ts';
export type { FineCell } from './cell-fold.ts';
export type { CircuitRule } from './circuit-cause.ts';
export type { ToolCircuitChange } from './circuit-fold.ts';
export { failuresKept, type SlowCall, slowCallsKept, type ToolFailure } from './highlights.ts';
export { createHistory, type History, type HistoryBatch, type HistoryLimits, type HistoryOptions, unknownTool } from './history.ts';
export type { AlertEventRecord, AlertRecords, DeliveryRecord, Kept } from './kept-alerts.ts';
export type { FactsQuery, HistoryStatus, HistoryWrite, KeptChange, KeptHistory, KeptTurn, SeriesQuery, TurnPlace } from './kept-history.ts';
export type { CursorMark, HistoryLease, LeaseListener } from './lease.ts';
export { type HistoryLevel, historyLevels } from './resolutions.ts';
export { mergeClusters } from './merge-clusters.ts';
export { recentMs, recentStepMs } from './recent.ts';
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
export { type Share, shareOf } from './share.ts';
export type { Soon } from './maybe-promise.ts';
export { patternOf, signatureOf } from './failure-signature.ts';
export type { LatencySketch, SketchContent } from '../metrics/sketch.ts';
