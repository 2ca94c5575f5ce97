/** What the scripted model answers, independent of any format. */
import type { NeutralRequest } from '../neutral/neutral-request.ts';

/** One call of the model. */
export interface ScriptedCall {
  /** Name of the tool to call. */
  readonly name: string;
  /** An object, or a string that is sent unchanged where the format sends a string. @default {} */
  readonly arguments?: unknown;
  /** @default an id in the provider's own form, counted from 1 */
  readonly id?: string;
}

/** Why the model stops. Any other string is sent as the format's own reason. */
export type ScriptedFinish =
  | 'stop'
  | 'calls'
  | 'length'
  | 'content_filter'
  | 'context_window'
  /** Gemini's `MALFORMED_FUNCTION_CALL`, Bedrock's `malformed_tool_use`: no content of the turn is sent. */
  | 'malformed_call'
  | (string & {});

/** An error in place of an answer to a valid request. */
export interface ScriptedError {
  /** HTTP status of the answer. */
  readonly status: number;
  /** Sent as `retry-after` and, where the provider has it, `retry-after-ms`. */
  readonly retryAfterMs?: number;
  /** Message in the provider's own body. @default 'Rate limit reached.' for 429, a general one for any other status */
  readonly message?: string;
  /** The whole body in place of the provider's own; a string is sent unchanged. */
  readonly body?: unknown;
}

/** How servers break the deltas of calls in a Chat Completions stream. */
export type DeltaFault =
  | 'index_missing'
  | 'index_zero'
  | 'id_repeated'
  | 'id_blank'
  | 'name_repeated'
  | 'arguments_repeated'
  | 'arguments_object'
  | 'empty_object_first'
  | 'interleaved';

/** How a stream is split. */
export interface Chunking {
  /** Characters of text or arguments in one delta. @default 12 */
  readonly characters?: number;
  /** Bytes per write: splits events, and characters, in the middle. @default one event per write */
  readonly bytes?: number;
  /** Chat Completions only. */
  readonly faults?: readonly DeltaFault[];
  /** Chat Completions only: deltas sent unchanged in place of those of the calls. */
  readonly deltas?: readonly unknown[];
  /** The connection is closed after this many events, without an end. */
  readonly closeAfter?: number;
}

/** One answer. */
export interface ScriptedTurn {
  /** Text of the answer. @default '' */
  readonly text?: string;
  /** Reasoning that comes before the text, where the format can carry it. @default '' */
  readonly reasoning?: string;
  /** Tool calls of the answer, in order. @default [] */
  readonly calls?: readonly ScriptedCall[];
  /** @default 'calls' if there are any, else 'stop' */
  readonly finish?: ScriptedFinish;
  /** Refuses the request with this error; nothing else of the turn is sent. */
  readonly error?: ScriptedError;
  /** Delay before the answer begins. @default 0 */
  readonly delayMs?: number;
  /** How the answer is cut when the client asked for a stream. @default {} */
  readonly chunking?: Chunking;
}

/** A turn, or a function that creates one from the request; `turn` counts from 0. */
export type ScriptStep = ScriptedTurn | ((request: NeutralRequest, turn: number) => ScriptedTurn);

/** Turns in order, or one function for all of them. */
export type ConversationScript = readonly ScriptStep[] | ((request: NeutralRequest, turn: number) => ScriptedTurn);
