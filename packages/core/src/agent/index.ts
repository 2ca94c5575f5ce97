/** The entry `@holdfast/core/agent`: the loop between a model and its tools. */

// The run
export { AgentRun } from './loop/agent-run.ts';
export type { AnswerOneOptions, AnswerOptions } from './loop/agent-run.ts';
export type { TranscriptRepair } from './loop/transcript-repair.ts';
export type { AgentRunOptions, AnyService, AnySession, OpenCircuits } from './loop/options.ts';
export type { ToolAnswer } from './loop/record-result.ts';
export type { RunStopped, StopReason } from './loop/run-state.ts';
export type { AdvertisedTool, ToolAvailability } from './loop/advertise.ts';
export { callExecutors } from './loop/call-executors.ts';
export type { CallExecutor, CallExecutors } from './loop/call-executors.ts';
export { readStrictJson } from './loop/model-call.ts';
export type { ArgumentReader, ArgumentRequest, ModelCall, ReadArguments } from './loop/model-call.ts';
export { outputText } from './loop/result-text.ts';
export type { ReadOutput, ReadOutputOptions } from './loop/read-output.ts';

// A loop without a framework
export { runInference } from './loop/run-inference.ts';
export type {
  InferenceMessage,
  InferenceModel,
  InferenceOptions,
  InferenceOutcome,
  InferenceResult,
  InferredOutput,
  ModelRequest,
  ModelResponse,
  OfferedTool,
} from './loop/inference.ts';

// Sessions (docs/specification.md#s2)
export { Session } from './session/session.ts';
export type { Appended, ReducerErrorListener, SessionOptions } from './session/session.ts';
export type { SavedSession } from './session/saved.ts';
export type {
  CustomSessionEvent,
  SessionEvent,
  SessionEventBody,
  SessionStamp,
  StructuredOutputParsed,
  ToolInvoked,
} from './session/events.ts';
export { foldSession } from './session/slices.ts';
export type { AnySlice, BuiltInState, SessionState, Slice, Slices, StateOf } from './session/slices.ts';
export type { SessionLog, SessionLogger } from './session/log.ts';

// Validation retries (docs/specification.md#s2)
export { ConstantBackoff, ExponentialBackoff, LinearBackoff } from './session/backoff-strategies.ts';
export type { BackoffOptions, BackoffStrategy, ErrorType, RetryPolicy, RetryPolicyLayer } from '../engine/settings/validation-retries.ts';
export { decideValidationRetry, mergeRetryPolicies, retryPolicyDefaults } from './session/retry-policy.ts';
export type { MergedRetryPolicy, ValidationDecision, ValidationFailure } from './session/retry-policy.ts';
export { parseStructured } from './session/structured-output.ts';
export type { StructuredOutput, StructuredOutputOptions } from './session/structured-output.ts';
export { StructuredOutputError, ToolValidationError } from './session/errors.ts';
export type { ReducerError, RetryExhaustedError } from './session/errors.ts';
export type { RetryFeedback } from './session/feedback.ts';
export { emptyValidationMetrics, foldValidationMetrics } from './session/validation-metrics.ts';
export type { ValidationMetrics } from './session/validation-metrics.ts';
export type { Histogram } from './session/histogram.ts';
