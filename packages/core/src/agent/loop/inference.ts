/** Owns the types of `runInference`: its options, its result, and the requests to a model. */
import type { CancelSignal } from '../../engine/ports/signal.ts';
import type { OutputOf, Schema } from '../../engine/schema/standard-schema.ts';
import type { RetryExhaustedError } from '../session/errors.ts';
import type { RetryFeedback } from '../session/feedback.ts';
import type { AnyTool } from '../../engine/tool/tool.ts';
import type { TraceEvent } from '../../engine/trace/events.ts';
import type { ModelCall } from './model-call.ts';
import type { AgentRunOptions, AnyService } from './options.ts';
import type { ReadOutputOptions } from './read-output.ts';
import type { RunStopped } from './run-state.ts';

/** One entry of the conversation. */
export type InferenceMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  /** `calls` have the arguments as executed. */
  | { readonly role: 'assistant'; readonly content: string; readonly calls: readonly ModelCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly toolName: string; readonly content: string; readonly isError: boolean };

/** A tool as it is offered to the model. */
export interface OfferedTool {
  /** Name by which the model calls the tool. */
  readonly name: string;
  /** Text that the model reads about the tool, with a note while it is unavailable. */
  readonly description?: string | undefined;
  /** Schema of the arguments; `undefined` for a tool without one. */
  readonly input: Schema | undefined;
}

/** The request to a model for one turn of the loop. */
export interface ModelRequest {
  /** The conversation so far, oldest first. */
  readonly messages: readonly InferenceMessage[];
  /** The tools to offer in this turn; those with an open circuit are annotated, left out or unchanged, according to `openCircuits`. */
  readonly tools: readonly OfferedTool[];
  /** Validation failures since the last answer (docs/specification.md#s2-feedback); the messages contain them too. */
  readonly feedback: readonly RetryFeedback[];
  /** Aborted at the time limit and when the caller cancels. */
  readonly signal: CancelSignal;
}

/** The answer of a model in one turn of the loop: text, calls, or both. */
export interface ModelResponse {
  /** Text of the answer. @default empty */
  readonly text?: string | undefined;
  /** Calls to answer before the next request; the loop ends when there are none. @default none */
  readonly calls?: readonly ModelCall[] | undefined;
  /** The answer was cut off: its calls are not executed. */
  readonly truncated?: boolean | undefined;
}

/** A model: one request, one answer. May throw, reject or hang. */
export type InferenceModel = (request: ModelRequest) => ModelResponse | PromiseLike<ModelResponse>;

/** Options of `runInference`: the model, the conversation, the tools or a service, and the options of the agent run. */
export interface InferenceOptions<Output extends Schema = Schema> extends Omit<AgentRunOptions, 'service'> {
  /** Calls the model once for each turn of the loop. */
  readonly model: InferenceModel;
  /** The conversation to begin with, oldest first; it is copied. */
  readonly messages: readonly InferenceMessage[];
  /** Runs the calls; not together with `tools`. @default a service with the `tools` */
  readonly service?: AnyService | undefined;
  /** Tools for a service with default settings. @default none */
  readonly tools?: readonly AnyTool[] | undefined;
  /** Schema of the last answer. @default any text */
  readonly output?: Output | undefined;
  /** Options for reading the output. */
  readonly readOutput?: ReadOutputOptions | undefined;
  /** Maximum number of answers of the model. @default 16 */
  readonly maxTurns?: number | undefined;
  /** Time limit for the whole inference. @default no limit besides those of the turns */
  readonly timeoutMs?: number | undefined;
  /** Cancels the whole inference; the result is returned at once. */
  readonly signal?: CancelSignal | undefined;
}

/**
 * How an inference ended: `answered`; `truncated` (the last answer was cut off); `exhausted` (validation attempts used up); `stopped` (repeated or refused calls
 * without progress); `max_turns`; `deadline`; `cancelled`; `model_failed`.
 */
export type InferenceOutcome = 'answered' | 'truncated' | 'exhausted' | 'stopped' | 'max_turns' | 'deadline' | 'cancelled' | 'model_failed';

/** Result of `runInference`: how it ended, the answer, and the whole conversation. */
export interface InferenceResult<Output = unknown> {
  /** How the inference ended; only `answered` is a success. */
  readonly outcome: InferenceOutcome;
  /** The model's last text; empty when there was none. */
  readonly text: string;
  /** The structured output; `undefined` when none was requested or valid. */
  readonly output: Output | undefined;
  /** The whole conversation: the initial messages and those that followed. */
  readonly messages: readonly InferenceMessage[];
  /** Number of answers of the model. */
  readonly turns: number;
  /** Number of answered calls. */
  readonly calls: number;
  /** Why the agent run stopped the loop; `undefined` unless it did. */
  readonly stopped: RunStopped | undefined;
  /** The history of attempts, for `exhausted` (docs/specification.md#s2-feedback). */
  readonly exhausted: RetryExhaustedError | undefined;
  /** Why the model failed: redacted text, and the live error. */
  readonly error: { readonly message: string; readonly cause: unknown } | undefined;
  /** All events of the run, of all its turns. */
  readonly trace: readonly TraceEvent[];
}

/** The output type of a schema; `unknown` without one. */
export type InferredOutput<Output extends Schema> = OutputOf<Output>;
