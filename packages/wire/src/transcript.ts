/**
 * Owns the neutral model of a transcript: messages of parts that reference the provider's own values.
 * Does not own reading and writing formats (`formats`) or repairs (`repair`).
 *
 * Invariants
 * 1. `native` is never modified: a change replaces it by a copy.
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

/** `server`: a use or result of a tool executed by the provider; `note`: neither text nor tool, such as an image or an approval. */
export type PartKind = 'text' | 'call' | 'result' | 'reasoning' | 'server' | 'note';

/** One piece of a message. */
export interface Part {
  readonly kind: PartKind;
  native: unknown;
  /** Path in the original request; `undefined` for an added part. */
  readonly path: string | undefined;
  /** Calls and results: the original id, if it is usable. */
  readonly id: string | undefined;
  /** Calls and results: the original tool name. */
  readonly name: string | undefined;
  /** The result of a call, or the call of a result. */
  partner: Part | undefined;
  /** Whether the part is removed, such as a result without a call. */
  dropped: boolean;
}

export interface Message {
  readonly role: Role;
  /** The provider's own message; parts are written into a copy of it. */
  native: JsonObject;
  /** Path in the original request; `undefined` for an added message. */
  readonly path: string | undefined;
  parts: readonly Part[];
  changed: boolean;
}

/** Strings that programs write when an id is missing. */
const noIds: ReadonlySet<string> = new Set(['', 'undefined', 'null', 'None', 'NaN', '[object Object]']);

/** An id as text. Programs also write numbers; `7` and `'7'` are the same id. */
export function usableId(value: unknown): string | undefined {
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
  return typeof text === 'string' && !noIds.has(text.trim()) ? text : undefined;
}

/** Strings that programs write when the name of a tool is missing. */
const noNames: ReadonlySet<string> = new Set([
  '',
  'undefined',
  'null',
  'None',
  'tool',
  'function',
  'tool_result',
  'unknown',
  'unknown_tool',
]);

/** A name that identifies a tool. */
export const usableName = (name: string | undefined): string | undefined =>
  name === undefined || noNames.has(name.trim()) ? undefined : name;

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

/** Placeholder texts. They must not change, so that prompt caches of a transcript stay valid. */
export const sentences = {
  /** Result of a call without one. */
  noResult: 'Tool call was not completed: no result was recorded. It may or may not have run.',
  /** Result of a call that was not approved. */
  denied: 'Tool call was not run: it was not approved.',
  /** Replaces a result without a call, if its message would be empty otherwise. */
  resultRemoved: '(a tool result without its call was removed)',
  /** Content where it must not be empty. */
  noContent: '(no content)',
  /** Added first user message. */
  start: '(the start of the conversation is not shown)',
  /** Added last user message. */
  proceed: 'Continue.',
  /** Added assistant message between tool results and a user message. */
  bridge: '.',
} as const;
