/** Converts Anthropic Messages to the neutral request. */
import { blocksOf, type Message, type MessagesRequest } from '../rules/anthropic/shape.ts';
import { fieldsOf, listOf, textOf } from '../rules/reading.ts';
import { message, roleOf, textIn, type NeutralContent, type NeutralMessage } from './neutral-request.ts';

interface Tool {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly input_schema?: unknown;
}

function readMessage(raw: unknown): NeutralMessage {
  const { role, content } = fieldsOf<Message>(raw);
  const blocks = blocksOf(content);
  return message(roleOf(role), textIn(blocks.filter((block) => block.type === 'text')), {
    calls: blocks
      .filter((block) => block.type === 'tool_use')
      .map((block) => ({ id: textOf(block.id), name: textOf(block.name), arguments: block.input })),
    results: blocks
      .filter((block) => block.type === 'tool_result')
      .map((block) => ({
        callId: textOf(block.tool_use_id),
        text: textIn(block.content),
        isError: fieldsOf<{ readonly is_error?: unknown }>(block).is_error === true,
      })),
  });
}

export function readMessages(body: unknown): NeutralContent {
  const { messages, tools, system } = fieldsOf<MessagesRequest & { readonly system?: unknown }>(body);
  const systemMessages = system === undefined ? [] : [message('system', textIn(system))];
  return {
    messages: [...systemMessages, ...listOf(messages).map(readMessage)],
    tools: listOf(tools).map((tool) => {
      const { name, description, input_schema: schema } = fieldsOf<Tool>(tool);
      return { name: textOf(name), description: textOf(description), schema };
    }),
  };
}
