/** Converts Chat Completions to the neutral request. */
import type { ChatCall, ChatMessage, ChatRequest, ChatTool, NamedArguments } from '../rules/openai-chat/shape.ts';
import { fieldsOf, listOf, textOf } from '../rules/reading.ts';
import { message, parseJson, roleOf, textIn, type NeutralContent, type NeutralMessage } from './neutral-request.ts';

interface Described extends NamedArguments {
  readonly description?: unknown;
  readonly parameters?: unknown;
}

function readMessage(raw: unknown): NeutralMessage {
  const { role, content, tool_calls: calls, tool_call_id: id } = fieldsOf<ChatMessage>(raw);
  const text = textIn(content);
  if (role === 'tool') return message('tool', text, { results: [{ callId: textOf(id), text, isError: false }] });
  return message(roleOf(role), text, {
    calls: listOf(calls).map((one) => {
      const call = fieldsOf<ChatCall>(one);
      const { name, arguments: written, input } = fieldsOf<NamedArguments>(call.function ?? call.custom);
      return { id: textOf(call.id), name: textOf(name), arguments: parseJson(written ?? input) };
    }),
  });
}

export function readChat(body: unknown): NeutralContent {
  const request = fieldsOf<ChatRequest>(body);
  return {
    messages: listOf(request.messages).map(readMessage),
    tools: listOf(request.tools).map((tool) => {
      const { function: plain, custom } = fieldsOf<ChatTool>(tool);
      const { name, description, parameters } = fieldsOf<Described>(plain ?? custom);
      return { name: textOf(name), description: textOf(description), schema: parameters };
    }),
  };
}
