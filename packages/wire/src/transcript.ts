/**
 * Owns the neutral model of a transcript: messages of parts that keep hold of the provider's own values.
 * Does not own how a format is read and written (`formats`) or what is done to it (`repair`).
 *
 * Invariants
 * 1. `native` is never written to: a change replaces it by a copy.
 * 2. A message whose `changed` is false is written back as the object it was read from.
 */
import type { JsonObject } from './json.ts';

/** A provider's request format. */
export type Format = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini' | 'bedrock-converse' | 'ai-sdk' | 'ai-sdk-ui';

/** All request formats. */
export const formats: readonly Format[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
  'bedrock-converse',
  'ai-sdk',
  'ai-sdk-ui',
];

export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** `server`: a tool use or result that the provider itself runs; `note`: neither text nor tool, such as an image or an approval. */
export type PartKind = 'text' | 'call' | 'result' | 'reasoning' | 'server' | 'note';

/** One piece of a message. */
export interface Part {
  readonly kind: PartKind;
  native: unknown;
  /** Where it stands in the request as given; `undefined` for a part that was added. */
  readonly path: string | undefined;
  /** Of a call or result: its id as given, when there is a usable one. */
  readonly id: string | undefined;
  /** Of a call or result: the tool's name as given. */
  readonly name: string | undefined;
  /** Of a call: its result. Of a result: its call. */
  partner: Part | undefined;
  /** A result without a call, or a second result of one. */
  dropped: boolean;
}

export interface Message {
  readonly role: Role;
  /** The provider's own message; parts are written into a copy of it. */
  native: JsonObject;
  /** Where it stands in the request as given; `undefined` for a message that was added. */
  readonly path: string | undefined;
  parts: readonly Part[];
  changed: boolean;
}

/** Ids that stand for no id: what programs write when they had none. */
const noIds: ReadonlySet<string> = new Set(['', 'undefined', 'null', 'None', 'NaN', '[object Object]']);

export const usableId = (value: unknown): string | undefined => (typeof value === 'string' && !noIds.has(value.trim()) ? value : undefined);

export const newPart = (kind: PartKind, native: unknown, path?: string, id?: string, name?: string): Part => ({
  kind,
  native,
  path,
  id,
  name,
  partner: undefined,
  dropped: false,
});

export const newMessage = (role: Role, native: JsonObject, parts: readonly Part[], path?: string, changed = false): Message => ({
  role,
  native,
  path,
  parts,
  changed,
});

/** Words that take the place of what is not there. They never change: a cache of the transcript stays good. */
export const sentences = {
  /** The result of a call that has none. */
  noResult: 'Tool call was not completed: no result was recorded. It may or may not have run.',
  /** The result of a call that was not approved. */
  denied: 'Tool call was not run: it was not approved.',
  /** In the place of a result without a call, where its message would be empty. */
  resultGone: '(a tool result without its call stood here)',
  /** In the place of a content that must not be empty. */
  noContent: '(no content)',
  /** A first turn of the user. */
  start: '(the start of the conversation is not shown)',
  /** A last turn of the user. */
  proceed: 'Continue.',
  /** An assistant's turn between tool results and a user, where the provider wants one. */
  bridge: '.',
} as const;
