/** A request independent of any format: what a scripted model reads. */
import type { WireFormat } from '../rules/problem.ts';

/** A call in the history. */
export interface NeutralCall {
  /** Id of the call as sent. Empty where the format pairs by place and no id was sent. */
  readonly id: string;
  /** Name of the tool that was called. */
  readonly name: string;
  /** Parsed if the format sends a string and the string is valid JSON, else the string. */
  readonly arguments: unknown;
}

/** A result in the history. */
export interface NeutralResult {
  /** Empty where the format pairs by position and no id was sent. */
  readonly callId: string;
  /** Text of the result: that of all its text parts, joined. */
  readonly text: string;
  /** `false` in formats without a flag. */
  readonly isError: boolean;
}

/** One message of the conversation. */
export interface NeutralMessage {
  /** Who wrote the message; a format's other names, such as `developer` or `model`, are mapped to these. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** Text of the message: that of all its text parts, joined. Empty if it has none. */
  readonly text: string;
  /** Calls of an `assistant` message; empty for any other. */
  readonly calls: readonly NeutralCall[];
  /** Results of calls that the message carries; empty if it carries none. */
  readonly results: readonly NeutralResult[];
}

/** An advertised tool. */
export interface NeutralTool {
  /** Name of the tool. */
  readonly name: string;
  /** Description of the tool; empty if none was sent. */
  readonly description: string;
  /** JSON Schema of the arguments, as sent. */
  readonly schema: unknown;
}

/** A request in terms that belong to no format. */
export interface NeutralRequest {
  /** Format of the request, known from its path. */
  readonly format: Exclude<WireFormat, 'ai-sdk'>;
  /** Name of the model, from the body or the path. */
  readonly model: string;
  /** Whether the client asked for a stream. */
  readonly stream: boolean;
  /** The conversation, oldest first. */
  readonly messages: readonly NeutralMessage[];
  /** Tools that the request advertises. */
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
