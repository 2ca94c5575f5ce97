/** Owns the interface between the contract and a framework: playing one conversation, bare or with Holdfast, and missing capabilities. */
import type { RunStopped } from '@holdfast/core/agent';
import type { NeutralRequest } from '@holdfast/provider-double';
import type { ReliableOptions } from '../options.ts';

/** A capability a framework may lack. The reason is shown in the table; cases that need it are skipped. */
export type Capability =
  /** Answers can be streamed. */
  | 'streaming'
  /** A conversation can start with earlier messages, including calls and results. */
  | 'history'
  /** The adapter receives calls of unknown tools, not only the framework. */
  | 'unknown_tools'
  /** The adapter receives arguments as the model wrote them. */
  | 'raw_arguments'
  /** The adapter receives arguments that do not match the schema, so that attempts are counted. */
  | 'invalid_arguments'
  /** The adapter can detect that an answer was cut off. */
  | 'truncation'
  /** The caller can cancel a conversation. */
  | 'caller_abort'
  /** Calls of one answer run in parallel. */
  | 'parallel_calls'
  /** The adapter knows which calls belong to one answer, so that they share a deadline. */
  | 'turn_deadline'
  /** A call can wait for another of the same answer (`dependsOn`). */
  | 'dependencies'
  /** The adapter can change how tools are offered while a circuit is open. */
  | 'advertising'
  /** The loop ends when the run is stopped. */
  | 'stopping';

/** A framework-neutral tool. */
export interface ContractTool {
  /** Name of the tool. */
  readonly name: string;
  /** What the tool does, as the model reads it. */
  readonly description: string;
  /** JSON Schema of the arguments object. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** May throw anything, reject, or never settle. `signal` is the one the framework passes to tools, if any. */
  readonly run: (args: never, signal: AbortSignal | undefined) => unknown;
}

/** An earlier message of the conversation. It may be invalid on purpose. */
export type HistoryMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls?: readonly HistoryCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly toolName: string; readonly text: string };

/** A call in a message of the model from before the conversation. */
export interface HistoryCall {
  /** Id of the call. */
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
  /** Arguments of the call. */
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A conversation to play: `history`, then `prompt`, then calls and results until the model makes no more calls. */
export interface Conversation {
  /** `false`: without Holdfast, as the framework's documentation recommends, using the framework's own settings for `options` (such as a timeout) if it has them. */
  readonly wrapped: boolean;
  /** The base URL for the client, in the form `client` requires. Any key and model work; the client must not retry. */
  readonly baseUrl: string;
  /** Tools to offer to the model. */
  readonly tools: readonly ContractTool[];
  /** Passed to `reliableTools` unchanged. */
  readonly options: ReliableOptions;
  /** Answers of the model are to be streamed. */
  readonly streaming: boolean;
  /** Messages before the prompt. May be broken. */
  readonly history: readonly HistoryMessage[];
  /** The user's message that begins the loop. */
  readonly prompt: string;
  /** The signal of the caller. */
  readonly signal: AbortSignal | undefined;
  /** Number of answers after which the conversation ends, by the framework's own limit or by leaving the loop. */
  readonly maxAnswers: number;
}

/** The result for the caller. Errors of the framework are passed on unchanged. */
export interface PlayResult {
  /** Text of the model's last answer. */
  readonly text: string;
  /** `run.stopped`, with Holdfast. */
  readonly stopped?: RunStopped | undefined;
}

/** A framework under test. */
export interface AdapterHarness {
  /** Short, unique id for the tables, such as `openai-chat`. */
  readonly id: string;
  /** Name and version, such as `openai 7.57.0, loop over Chat Completions`. */
  readonly framework: string;
  /** The adapter's package, such as `@holdfast/openai`. */
  readonly adapter: string;
  /** The format of its requests to the model. */
  readonly format: NeutralRequest['format'];
  /** The client whose base URL form is used. @default 'vendor' */
  readonly client?: 'vendor' | 'ai-sdk';
  /** Missing capabilities, with the reason in one sentence each. */
  readonly lacks?: Partial<Readonly<Record<Capability, string>>>;
  /** Plays one conversation with the framework, and resolves to what the caller got. Rejects with what the framework throws. */
  play(conversation: Conversation): Promise<PlayResult>;
}
