/** Converts Bedrock Converse to the neutral request. */
import { blocksOf, resultsIn, usesIn, type ConverseRequest, type Message, type ToolResult } from '../rules/bedrock/shape.ts';
import { fieldsOf, listOf, textOf } from '../rules/reading.ts';
import { message, roleOf, textIn, type NeutralContent, type NeutralMessage, type NeutralResult } from './neutral-request.ts';

interface ToolSpec {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
}

function readResult({ toolUseId, content, status }: ToolResult): NeutralResult {
  const data = listOf(content).map((part) => fieldsOf<{ readonly json?: unknown }>(part).json);
  const written = data.filter((json) => json !== undefined).map((json) => JSON.stringify(json));
  return { callId: textOf(toolUseId), text: textIn(content) + written.join(''), isError: status === 'error' };
}

function readMessage(raw: unknown): NeutralMessage {
  const { role, content } = fieldsOf<Message>(raw);
  const turn = { role, index: 0, blocks: blocksOf(content) };
  return message(roleOf(role), textIn(content), {
    calls: usesIn(turn).map((use) => ({ id: textOf(use.toolUseId), name: textOf(use.name), arguments: use.input })),
    results: resultsIn(turn).map(readResult),
  });
}

export function readConverse(body: unknown): NeutralContent {
  const { messages, system, toolConfig } = fieldsOf<ConverseRequest & { readonly system?: unknown }>(body);
  const systemMessages = system === undefined ? [] : [message('system', textIn(system))];
  const tools = listOf(fieldsOf<{ readonly tools?: unknown }>(toolConfig).tools);
  return {
    messages: [...systemMessages, ...listOf(messages).map(readMessage)],
    tools: tools
      .map((tool) => fieldsOf<{ readonly toolSpec?: unknown }>(tool).toolSpec)
      .filter((spec) => spec !== undefined)
      .map((spec) => {
        const { name, description, inputSchema } = fieldsOf<ToolSpec>(spec);
        return { name: textOf(name), description: textOf(description), schema: fieldsOf<{ readonly json?: unknown }>(inputSchema).json };
      }),
  };
}
