/** The table of contents of `@holdfast/core`. */

// Tools and calls
export { defineTool } from './tool/tool.ts';
export type { AnyTool, PlainToolDefinition, ResultOf, Tool, ToolDefinition, ToolDefinitionBase } from './tool/tool.ts';
export { compose } from './tool/runner.ts';
export type { AttemptContext, Policy, Progress, Runner, RunnerKind } from './tool/runner.ts';
export { ToolExecutionService } from './service/tool-execution-service.ts';
export type { ExecuteOptions } from './service/execute-options.ts';
export type { TurnResult } from './service/tool-execution-service.ts';
export type { ToolExecutionServiceOptions } from './service/options.ts';
export type { CircuitSharing } from './ports/circuit-sharing.ts';
export type { CallOf, CallOfTool, OutputOfTool, ResultsOf, RunTimeCall, ToolCall } from './service/tool-call.ts';
export type { ResponseMatch } from './service/response-match.ts';
export type { HubFault, TraceListener } from './service/event-hub.ts';
export type { Capture, Within } from './drivers/in-process/kit.ts';
export type { FailedResult, ResultBase, SuccessfulResult, ToolFailure, ToolResult } from './call/result.ts';
export type { Alteration } from './call/output.ts';

// Turns
export { ref } from './turn/references.ts';
export type { Reference } from './turn/references.ts';
export { checkPlan } from './turn/plan.ts';
export type { CheckedPlan, PlanGraph, PlannedCall, PlanNode, PlanProblem, TurnPlan } from './turn/plan.ts';
export type { TurnOutcome, TurnReport } from './turn/report.ts';

// Settings
export { profiles } from './settings/profiles.ts';
export type { Profile, ProfileName } from './settings/profiles.ts';
export { resolveSettings } from './settings/resolve.ts';
export type {
  AdaptiveLimitSettings,
  BackoffStrategyName,
  CallPolicy,
  CircuitBreakerSettings,
  ConcurrencySettings,
  HedgeSettings,
  JitterKind,
  PartialSettings,
  QueueOrder,
  RateLimitSettings,
  RetryBudgetSettings,
  RetrySettings,
  ToolPolicy,
  ToolSettings,
  TurnSettings,
  WaitForRecoverySettings,
} from './settings/settings.ts';

// Schemas
export type { InputOf, JsonSchema, OutputOf, Schema, StandardIssue, StandardResult, StandardSchema } from './schema/standard-schema.ts';
export type { ValidationIssue } from './schema/issue.ts';
export type { JsonSchemaCompiler } from './schema/validator.ts';

// Classification
export { classify, compileRules, describeError, errorCategories } from './classify/index.ts';
export type { Classification, ClassificationRule, ClassifyOptions, CompiledRule, ErrorCategory, ErrorClass } from './classify/index.ts';

// Retry
export { backoffDelayMs } from './retry/backoff.ts';
export type { BackoffRequest } from './retry/backoff.ts';

// Retry and circuit breaker on their own
export { circuitBreaker, controlCircuit, rateDetector, restoreCircuit, retry, saveCircuit, unwrap } from './standalone/index.ts';
export type {
  CircuitBreaker,
  CircuitBreakerOptions,
  Classifier,
  RateDetector,
  RetryNotice,
  RetryOptions,
  RunOptions,
  Task,
  TaskContext,
  TaskFailure,
  TaskOutcome,
  TaskSuccess,
  ValueOf,
} from './standalone/index.ts';

// Circuit breaker and admission
export type {
  BreakerSettings,
  CircuitCommand,
  CircuitCounters,
  CircuitMode,
  CircuitRefusal,
  CircuitSnapshot,
  CircuitState,
  CircuitTransition,
  RateSettings,
  TransitionReason,
  WindowSnapshot,
} from './breaker/index.ts';
export type { Refusal, RefusalCode, ToolHealth } from './admission/index.ts';

// Recovery
export { decide } from './recover/decide.ts';
export type {
  AlternativeOption,
  Decision,
  DecisionAction,
  DecisionInputs,
  Effect,
  Guard,
  MatchedRule,
  StoppedBy,
  Strategy,
  StrategyEvidence,
} from './recover/decision.ts';
export { ErrorHandler } from './recover/error-handler.ts';
export type { Advisor, DecisionFacts, ErrorHandlerOptions, FailureNotice, HandlerAnswer, HandlerFault } from './recover/error-handler.ts';
export type { PolicyCondition, PolicyRule } from './recover/policies.ts';
export { createEpisodicMemory } from './memory/episodic-memory.ts';
export type { EpisodicMemory, EpisodicMemoryOptions } from './memory/episodic-memory.ts';

// Trace and what is made of it
export type * from './trace/events.ts';
export { turnEndOf } from './trace/turn-end.ts';
export type { TurnEnd } from './trace/turn-end.ts';
export { TurnTrace } from './trace/turn-trace.ts';
export type { Trace, TurnTraceOptions } from './trace/turn-trace.ts';
export { createMetricsFold } from './metrics/tool-metrics.ts';
export type { MetricsFold, MetricsFoldOptions, ToolMetrics } from './metrics/tool-metrics.ts';

// Ports
export type { CancelSignal, Signal } from './ports/signal.ts';
export type { CancelSource, System, TimerHandle } from './ports/system.ts';
export { createSystem } from './system.ts';
export type { AppendedEvents, EventQuery, Store, StoreStatus, TurnQuery, TurnSummary } from './ports/store.ts';
export { memoryStore } from './stores/memory-store.ts';
export type { MemoryStoreOptions } from './stores/memory-store.ts';

// Texts
export { createRedactor } from './redact/redact.ts';
export type { Redactor, RedactorOptions } from './redact/redact.ts';
export { suggest } from './text/suggest.ts';
