/** The table of contents of `@holdfast/core/agent`: the loop between a model and its tools. */

// The run
export { AgentRun } from './agent-run.ts';
export type { AnswerOneOptions, AnswerOptions } from './agent-run.ts';
export type { TranscriptRepair } from './transcript-repair.ts';
export type { AgentRunOptions, AnyService, AnySession, OpenCircuits } from './options.ts';
export type { ToolAnswer } from './conclude.ts';
export type { RunStopped, StopReason } from './run-state.ts';
export type { AdvertisedTool, ToolAvailability } from './advertise.ts';
export { callExecutors } from './call-executors.ts';
export type { CallExecutor, CallExecutors } from './call-executors.ts';
export { readStrictJson } from './model-call.ts';
export type { ArgumentReader, ArgumentRequest, ModelCall, ReadArguments } from './model-call.ts';
export { outputText } from './text.ts';
export type { ReadOutput, ReadOutputOptions } from './read-output.ts';

// A loop without a framework
export { runInference } from './run-inference.ts';
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
} from './inference.ts';

// Sessions (S2)
export { Session } from '../session/session.ts';
export type { Appended, ReducerErrorListener, SessionOptions } from '../session/session.ts';
export type { SavedSession } from '../session/saved.ts';
export type {
  CustomSessionEvent,
  SessionEvent,
  SessionEventBody,
  SessionStamp,
  StructuredOutputParsed,
  ToolInvoked,
} from '../session/events.ts';
export { foldSession } from '../session/slices.ts';
export type { AnySlice, BuiltInState, SessionState, Slice, Slices, StateOf } from '../session/slices.ts';
export type { SessionLog, SessionLogger } from '../session/log.ts';

// Validation retries (S2)
export { ConstantBackoff, ExponentialBackoff, LinearBackoff } from '../session/backoff.ts';
export type { BackoffOptions, BackoffStrategy } from '../session/backoff.ts';
export { decideValidationRetry, mergeRetryPolicies, retryPolicyDefaults } from '../session/retry-policy.ts';
export type { ErrorType, RetryPolicy, RetryPolicyLayer, ValidationDecision, ValidationFailure } from '../session/retry-policy.ts';
export { parseStructured } from '../session/structured-output.ts';
export type { StructuredOutput, StructuredOutputOptions } from '../session/structured-output.ts';
export { StructuredOutputError, ToolValidationError } from '../session/errors.ts';
export type { ReducerError, RetryExhaustedError } from '../session/errors.ts';
export type { RetryFeedback } from '../session/feedback.ts';
export { emptyValidationMetrics, foldValidationMetrics } from '../session/validation-metrics.ts';
export type { ValidationMetrics } from '../session/validation-metrics.ts';
export type { Histogram } from '../session/histogram.ts';
