/** The entry `@holdfast/core`: tools, the service that runs them, settings, and the types of what goes in and comes out. */

// Tools and calls
export { defineTool } from './engine/tool/tool.ts';
export type { AnyTool, PlainToolDefinition, ResultOf, Tool, ToolDefinition, ToolDefinitionBase } from './engine/tool/tool.ts';
export { compose } from './engine/tool/runner.ts';
export type { AttemptContext, Middleware, Progress, Runner, RunnerKind } from './engine/tool/runner.ts';
export { ToolExecutionService } from './runtime/service/tool-execution-service.ts';
export type { ExecuteOptions } from './runtime/service/execute-options.ts';
export type { TurnResult } from './runtime/service/tool-execution-service.ts';
export type { ToolExecutionServiceOptions } from './runtime/service/options.ts';
export type { CallOf, CallOfTool, OutputOfTool, ResultsOf, RunTimeCall, ToolCall } from './runtime/service/tool-call.ts';
export type { ResponseMatch } from './runtime/service/response-match.ts';
export type { ExchangeFailure } from './runtime/service/exchange-failure.ts';
export type { HubFault, TraceListener } from './runtime/service/event-hub.ts';
export type { Capture, RunInContext as Within } from './runtime/drivers/in-process/host-context.ts';
export type { FailedResult, ResultBase, SuccessfulResult, ToolFailure, ToolResult } from './engine/call/result.ts';
export type { Alteration } from './engine/call/output.ts';

// Turns
export { ref } from './engine/turn/references.ts';
export type { Reference } from './engine/turn/references.ts';
export { checkPlan } from './engine/turn/plan.ts';
export type { CheckedPlan, PlanGraph, PlannedCall, PlanNode, PlanProblem, TurnPlan } from './engine/turn/plan.ts';
export type { TurnOutcome, TurnReport } from './engine/turn/report.ts';

// Settings
export { profiles } from './engine/settings/profiles.ts';
export type { Profile, ProfileName } from './engine/settings/profiles.ts';
export type {
  BackoffStrategyName,
  CallPolicy,
  CircuitBreakerSettings,
  ConcurrencySettings,
  HedgeSettings,
  JitterKind,
  PartialSettings,
  RateLimitSettings,
  RetryBudgetSettings,
  RetrySettings,
  ToolPolicy,
  ToolSettings,
  TurnSettings,
  UnknownFailures,
  WaitForRecoverySettings,
} from './engine/settings/settings.ts';

// Schemas
export type {
  InputOf,
  JsonSchema,
  OutputOf,
  Schema,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from './engine/schema/standard-schema.ts';
export type { ValidationIssue } from './engine/schema/issue.ts';
export type { JsonSchemaCompiler } from './engine/schema/validator.ts';

// Classification
export { classify } from './engine/classify/classify.ts';
export { compileRules } from './engine/classify/rules.ts';
export { errorCategories } from './engine/classify/classification.ts';
export type { Classification, ClassificationRule, ErrorCategory, ErrorClass } from './engine/classify/classification.ts';
export type { ClassifyOptions } from './engine/classify/classify.ts';
export type { CompiledRule } from './engine/classify/rules.ts';

// Circuit breaker and admission
export type { BreakerSettings, CircuitCommand, CircuitSnapshot, CircuitState, RateSettings } from './engine/breaker/types.ts';
export type { Refusal, RefusalCode, ToolHealth } from './engine/admission/types.ts';

// Recovery
export { decide } from './engine/recover/decide.ts';
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
} from './engine/recover/decision.ts';
export { ErrorHandler } from './engine/recover/error-handler.ts';
export type {
  Advisor,
  DecisionFacts,
  ErrorHandlerOptions,
  FailureNotice,
  HandlerAnswer,
  HandlerFault,
} from './engine/recover/error-handler.ts';
export type { EvidenceSource } from './engine/recover/past-outcomes.ts';
export type { ReadRecoveryRule, RecoveryCondition, RecoveryRule } from './engine/recover/recovery-rules.ts';
export { createEpisodicMemory } from './projections/episodic-memory.ts';
export type { EpisodicMemory, EpisodicMemoryOptions } from './projections/episodic-memory.ts';
export type { MemoryEntry } from './engine/recover/memory-entry.ts';

// Trace and what is made of it
export type { TraceEvent } from './engine/trace/events.ts';
export type { AttemptMetrics, ToolMetrics } from './projections/tool-metrics.ts';

// Ports
export type { CancelSignal, Signal } from './engine/ports/signal.ts';
export type { CancelSource, System, TimerHandle } from './engine/ports/system.ts';
export { createSystem } from './runtime/system/create-system.ts';
export { memoryStore } from './runtime/stores/memory-store.ts';
export type { MemoryStoreOptions } from './runtime/stores/memory-store.ts';

// Redaction
export { createRedactor } from './engine/plain/redact.ts';
export type { Redactor, RedactorOptions } from './engine/plain/redact.ts';
