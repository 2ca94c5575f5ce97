/** The fields of a Responses request, all of them untrusted. */
import { wordOf } from '../reading.ts';

export interface ResponsesRequest {
  readonly model?: unknown;
  readonly input?: unknown;
  readonly tools?: unknown;
  readonly tool_choice?: unknown;
  readonly store?: unknown;
  readonly reasoning?: unknown;
  readonly previous_response_id?: unknown;
  readonly conversation?: unknown;
}

export interface Item {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly role?: unknown;
  readonly content?: unknown;
  readonly call_id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly summary?: unknown;
  readonly encrypted_content?: unknown;
}

export interface FlatTool {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly parameters?: unknown;
  readonly strict?: unknown;
}

/** `message` may be left out when an item has only role and content. */
export const typeOf = (item: Item): string => (item.type === undefined && item.role !== undefined ? 'message' : wordOf(item.type));

export const isCall = (item: Item): boolean => item.type === 'function_call' || item.type === 'custom_tool_call';

export const isOutput = (item: Item): boolean => item.type === 'function_call_output' || item.type === 'custom_tool_call_output';
