/** A request independent of any format: what a scripted model reads. */
import type { WireFormat } from '../rules/problem.ts';

/** A call in the history. */
export interface NeutralCall {
  readonly id: string;
  readonly name: string;
  /** Parsed if the format sends a string and the string is valid JSON, else the string. */
  readonly arguments: unknown;
}

/** A result in the history. */
export interface NeutralResult {
  /** Empty where the format pairs by position and no id was sent. */
  readonly callId: string;
  readonly text: string;
  /** `false` in formats without a flag. */
  readonly isError: boolean;
}

export interface NeutralMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly calls: readonly NeutralCall[];
  readonly results: readonly NeutralResult[];
}

/** An advertised tool. */
export interface NeutralTool {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
}

export interface NeutralRequest {
  readonly format: Exclude<WireFormat, 'ai-sdk'>;
  readonly model: string;
  readonly stream: boolean;
  readonly messages: readonly NeutralMessage[];
  readonly tools: readonly NeutralTool[];
}

/** What is read from a body; format, model and stream are also known from its URL. */
export type NeutralContent = Pick<NeutralRequest, 'messages' | 'tools'>;

/** The text of a content that is a string, or a list of parts some of which are text. */
export const textIn = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as readonly { readonly text?: unknown }[]).map((part) => (typeof part?.text === 'string' ? part.text : '')).join('');
};

export const parseJson = (text: unknown): unknown => {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

export const message = (role: NeutralMessage['role'], text: string, rest: Partial<NeutralMessage> = {}): NeutralMessage => ({
  role,
  text,
  calls: [],
  results: [],
  ...rest,
});

export const roleOf = (role: unknown): NeutralMessage['role'] => {
  if (role === 'assistant' || role === 'model') return 'assistant';
  if (role === 'system' || role === 'developer') return 'system';
  return role === 'tool' || role === 'function' ? 'tool' : 'user';
};
