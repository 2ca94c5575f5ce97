/** Owns what the contract needs to know of a framework: how one conversation is played with it, bare or with Holdfast, and what it cannot have. */
import type { RunStopped } from '@holdfast/core/agent';
import type { NeutralRequest } from '@holdfast/provider-double';
import type { ReliableOptions } from '../options.ts';

/** What a framework may be without. The reason is shown in the table; the cases that need it are not judged. */
export type Capability =
  /** Answers can be streamed. */
  | 'streaming'
  /** A conversation can begin with messages from before, calls and results among them. */
  | 'history'
  /** Calls of tools that nobody offers come to the adapter, not only to the framework. */
  | 'unknown_tools'
  /** Arguments come to the adapter as the model wrote them. */
  | 'raw_arguments'
  /** Arguments that do not fit the schema come to the adapter, so that attempts are counted. */
  | 'invalid_arguments'
  /** The adapter learns that an answer was cut off. */
  | 'truncation'
  /** The caller can cancel a conversation. */
  | 'caller_abort'
  /** Calls of one answer run side by side. */
  | 'parallel_calls'
  /** The calls of one answer are known to belong together: they share a deadline. */
  | 'turn_deadline'
  /** A call can wait for another of the same answer (`dependsOn`). */
  | 'dependencies'
  /** The adapter can change how tools are offered while a circuit is open. */
  | 'advertising'
  /** The loop ends when the run is stopped. */
  | 'stopping';

/** A tool in words that belong to no framework. */
export interface ContractTool {
  /** Name of the tool. */
  readonly name: string;
  /** What the tool does, as the model reads it. */
  readonly description: string;
  /** JSON Schema of its arguments: an object. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** May throw anything, reject, or never end. `signal` is what the framework hands to tools, where it has one. */
  readonly run: (args: never, signal: AbortSignal | undefined) => unknown;
}

/** A message from before the conversation. It may be broken: that is what it is for. */
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

/** One conversation to be played: `history`, then `prompt`, then calls and results until the model calls nothing more. */
export interface Conversation {
  /** `false`: as the framework's own documentation shows it, with its own settings for what `options` asks (a timeout, say), where it has them. */
  readonly wrapped: boolean;
  /** The client's base address, in the form that `client` asks for. Any key, any model; no retries by the client. */
  readonly baseUrl: string;
  /** Tools to offer to the model. */
  readonly tools: readonly ContractTool[];
  /** Handed to `reliableTools` as they are. */
  readonly options: ReliableOptions;
  /** Answers of the model are to be streamed. */
  readonly streaming: boolean;
  /** Messages before the prompt. May be broken. */
  readonly history: readonly HistoryMessage[];
  /** The user's message that begins the loop. */
  readonly prompt: string;
  /** The caller's. */
  readonly signal: AbortSignal | undefined;
  /** After so many answers of the model the conversation ends, by the framework's own limit or by leaving a loop. */
  readonly maxAnswers: number;
}

/** What the caller got. What the framework throws or rejects with goes out as it is. */
export interface PlayResult {
  /** Of the model's last answer. */
  readonly text: string;
  /** `run.stopped`, with Holdfast. */
  readonly stopped?: RunStopped | undefined;
}

/** A framework, as the contract plays it. */
export interface AdapterHarness {
  /** Short and unique, for the table and its rows: `openai-chat`. */
  readonly id: string;
  /** With version: `openai 7.57.0, loop over Chat Completions`. */
  readonly framework: string;
  /** The adapter's package: `@holdfast/openai`. */
  readonly adapter: string;
  /** The protocol in which it talks to the model. */
  readonly format: NeutralRequest['format'];
  /** Whose form the base address has. @default 'vendor' */
  readonly client?: 'vendor' | 'ai-sdk';
  /** What it cannot have, and why, in one sentence each. */
  readonly lacks?: Partial<Readonly<Record<Capability, string>>>;
  /** Plays one conversation with the framework, and resolves to what the caller got. Rejects with what the framework throws. */
  play(conversation: Conversation): Promise<PlayResult>;
}
