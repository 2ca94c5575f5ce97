/**
 * The entry `@holdfast/core/internal`: what the other packages of Holdfast share with the core. It follows no version rule; do not depend on it.
 */

// The engine in simulated time
export { numbers as adaptiveNumbers, varyNumbers } from './engine/admission/adaptive/numbers.ts';
export { createAgenda } from './runtime/drivers/virtual/agenda.ts';
export type { Agenda } from './runtime/drivers/virtual/agenda.ts';
export { failedOutcome } from './runtime/drivers/virtual/failed-outcome.ts';
export { VirtualHost } from './runtime/drivers/virtual/virtual-host.ts';
export type { Abort, AttemptRequest, Perform, VirtualHostOptions } from './runtime/drivers/virtual/virtual-host.ts';
export { createVirtualTools, partitionedTools, restoreCircuits, touchedCircuits } from './runtime/drivers/virtual/virtual-tools.ts';
export type { VirtualTools } from './runtime/drivers/virtual/virtual-tools.ts';
export { createVirtualWorld } from './runtime/drivers/virtual/virtual-world.ts';
export type { VirtualWorld } from './runtime/drivers/virtual/virtual-world.ts';
export type { Fault } from './engine/call/fault.ts';
export { userMessageFor } from './engine/call/messages.ts';
export type { AbortReason, Outcome } from './engine/call/protocol.ts';
export { avalanche, drawAt } from './engine/backoff/random.ts';
export { memoryEvents } from './projections/episodic-memory.ts';
export { StreamedTrace } from './engine/trace/streamed-trace.ts';
export type { StreamedTraceOptions } from './engine/trace/streamed-trace.ts';

// Settings, plans and errors
export { callIdOf, matchResponses, pairResults, resultIdOf } from './runtime/service/response-match.ts';
export { describeError } from './engine/classify/describe-error.ts';
export { readRecoveryRules } from './engine/recover/recovery-rules.ts';
export { createValidator, describeIssues, issuesOfStandard, type Validator } from './engine/schema/validator.ts';
export { toolFields, turnFields } from './engine/settings/fields.ts';
export { effectFromAnnotations, type ToolAnnotations } from './engine/tool/annotations.ts';
export { resolveSettings } from './engine/settings/resolve.ts';

export { isControlTurnId } from './engine/trace/control-turn-id.ts';

// Projections
export { createMetricsFold } from './projections/tool-metrics.ts';
export type { MetricsFold, MetricsFoldOptions } from './projections/tool-metrics.ts';
export { fingerprint } from './projections/alerts/fingerprint.ts';
export { increase, type Series } from './projections/alerts/increase.ts';
export { wilsonMargin } from './projections/alerts/measure.ts';
export { meanSeries } from './projections/alerts/selectors.ts';
export { createLatencySketch } from './projections/metrics/sketch.ts';
export { edgeText } from './projections/metrics/samples.ts';
export { addCounts, callsOf, countsText, createCell, emptyCounts, mergeCell, packCell, unpackCell } from './projections/history/cell.ts';
export type { FineCell } from './projections/history/cell-fold.ts';
export { countRecords, type HistoryReads } from './projections/history/kept-history.ts';
export { failuresKept } from './projections/history/highlights.ts';
export { historyLevels, type HistoryLevel } from './projections/history/resolutions.ts';
export { mergeClusters } from './projections/history/merge-clusters.ts';
export { recentMs, recentStepMs } from './projections/history/recent.ts';
export { shareOf, type Share } from './projections/history/share.ts';
export type { MaybePromise } from './projections/history/maybe-promise.ts';

// Fields of events that may come from a damaged trace
export { list, records, text, texts, time, timeOrNone, word } from './projections/turn/fields.ts';
