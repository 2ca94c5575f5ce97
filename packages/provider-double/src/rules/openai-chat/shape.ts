/** The fields of a Chat Completions request, all of them untrusted. */
import { fieldsOf, listOf } from '../reading.ts';

export interface ChatRequest {
  readonly model?: unknown;
  readonly messages?: unknown;
  readonly tools?: unknown;
  readonly tool_choice?: unknown;
  readonly parallel_tool_calls?: unknown;
  readonly thinking?: unknown;
  readonly enable_thinking?: unknown;
}

export interface ChatMessage {
  readonly role?: unknown;
  readonly name?: unknown;
  readonly content?: unknown;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: unknown;
  readonly function_call?: unknown;
  readonly refusal?: unknown;
  readonly audio?: unknown;
  readonly reasoning_content?: unknown;
  readonly prefix?: unknown;
}

export interface ChatCall {
  readonly id?: unknown;
  readonly type?: unknown;
  readonly function?: unknown;
  readonly custom?: unknown;
}

export interface NamedArguments {
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly input?: unknown;
}

export interface ChatTool {
  readonly type?: unknown;
  readonly function?: unknown;
  readonly custom?: unknown;
}

export interface FunctionDefinition {
  readonly name?: unknown;
  readonly parameters?: unknown;
  readonly strict?: unknown;
}

export const definitionOf = (tool: unknown): FunctionDefinition => {
  const { function: plain, custom } = fieldsOf<ChatTool>(tool);
  return fieldsOf<FunctionDefinition>(plain ?? custom);
};

/** A message of the model that has neither content nor calls, not even empty ones. */
export const lacksContent = ({ role, content, tool_calls: calls }: ChatMessage): boolean =>
  role === 'assistant' && (content ?? calls ?? undefined) === undefined;

/** A message of the model without text and calls. */
export const isEmptyMessage = ({ role, content, tool_calls: calls }: ChatMessage): boolean => {
  if (role !== 'assistant' || listOf(calls).length > 0) return false;
  const parts = listOf(content).map((part) => fieldsOf<{ readonly text?: unknown }>(part).text);
  return content === undefined || content === null || content === '' || (Array.isArray(content) && parts.every((text) => text === ''));
};
