/** Moonshot's own API: an id is used once in a conversation, reasoning of calls is sent back, no message of the model is empty. */
import type { Report } from '../../problem.ts';
import { fieldsOf, isText, listOf, findRepeated, textOf } from '../../reading.ts';
import { openai, type ChatDialect } from '../dialect.ts';
import { definitionOf, isEmptyMessage, type ChatCall, type ChatMessage, type ChatRequest, type ChatTool } from '../shape.ts';
import { callsWithoutReasoning, lastUser } from './reasoning.ts';

function checkIds(messages: readonly ChatMessage[], report: Report): void {
  const calls = messages.flatMap((message, index) =>
    listOf(message.tool_calls).map((call, order) => ({
      id: fieldsOf<ChatCall>(call).id,
      path: `messages[${index}].tool_calls[${order}].id`,
    })),
  );
  for (const id of findRepeated(calls.map((call) => call.id).filter(isText))) {
    const path = calls.filter((call) => call.id === id)[1]?.path ?? '';
    report({ rule: 'duplicate-call', path, message: `Invalid request: tool call id ${id} is duplicated` });
  }
}

/** The models from K2.5 on think unless told otherwise. */
function thinks({ thinking, model }: ChatRequest): boolean {
  const { type } = fieldsOf<{ readonly type?: unknown }>(thinking);
  if (type === 'enabled' || type === 'disabled') return type === 'enabled';
  return /kimi-k2\.[5-9]|kimi-(?:k2-)?thinking/.test(textOf(model));
}

function checkReasoning(request: ChatRequest, messages: readonly ChatMessage[], report: Report): void {
  if (!thinks(request)) return;
  for (const index of callsWithoutReasoning(messages, lastUser(messages))) {
    const message = `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`;
    report({ rule: 'reasoning-missing', path: `messages[${index}].reasoning_content`, message });
  }
}

function checkTools(tools: unknown, report: Report): void {
  for (const [index, tool] of listOf(tools).entries()) {
    const { name } = definitionOf(tool);
    // Tools of the provider itself begin with a dollar sign.
    if (fieldsOf<ChatTool>(tool).type !== 'function' || !isText(name) || /^[a-zA-Z][a-zA-Z0-9_-]*$/.test(name)) continue;
    const message = 'function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes';
    report({ rule: 'tool-name-form', path: `tools[${index}].function.name`, message });
  }
}

export const kimi: ChatDialect = {
  ...openai,
  limits: false,
  // The provider omits the id and leaves both spaces.
  orphan: () => ({ message: 'Invalid request: tool_call_id  is not found' }),
  extra(request, messages, report) {
    checkIds(messages, report);
    checkReasoning(request, messages, report);
    checkTools(request.tools, report);
    for (const [index, message] of messages.entries()) {
      if (!isEmptyMessage(message)) continue;
      const words = `Invalid request: the message at position ${index} with role 'assistant' must not be empty`;
      report({ rule: 'empty-content', path: `messages[${index}].content`, message: words });
    }
  },
};
