/** Converts Responses to the neutral request: consecutive items of the model become one message. */
import { isCall, isOutput, typeOf, type FlatTool, type Item } from '../rules/openai-responses/shape.ts';
import { fieldsOf, isText, listOf, textOf } from '../rules/reading.ts';
import { message, parseJson, roleOf, textIn, type NeutralContent, type NeutralMessage } from './neutral-request.ts';

interface Body {
  readonly input?: unknown;
  readonly instructions?: unknown;
  readonly tools?: unknown;
}

function readItem(item: Item): NeutralMessage | undefined {
  if (isOutput(item)) {
    const text = textIn(item.output);
    return message('tool', text, { results: [{ callId: textOf(item.call_id), text, isError: false }] });
  }
  if (isCall(item)) {
    const call = { id: textOf(item.call_id), name: textOf(item.name), arguments: parseJson(item.arguments ?? item.input) };
    return message('assistant', '', { calls: [call] });
  }
  return typeOf(item) === 'message' ? message(roleOf(item.role), textIn(item.content)) : undefined;
}

function join(messages: readonly NeutralMessage[]): readonly NeutralMessage[] {
  const joined: NeutralMessage[] = [];
  for (const one of messages) {
    const before = joined.at(-1);
    if (before && before.role === 'assistant' && one.role === 'assistant') {
      joined[joined.length - 1] = { ...before, text: before.text + one.text, calls: [...before.calls, ...one.calls] };
    } else joined.push(one);
  }
  return joined;
}

/** `items` is the input, preceded by what the server holds. */
export function readResponses(body: unknown, items: readonly Item[]): NeutralContent {
  const { input, instructions, tools } = fieldsOf<Body>(body);
  const systemMessages = isText(instructions) ? [message('system', instructions)] : [];
  const inputMessages = isText(input) ? [message('user', input)] : [];
  return {
    messages: [...systemMessages, ...join(items.flatMap((item) => readItem(item) ?? [])), ...inputMessages],
    tools: listOf(tools).map((tool) => {
      const { name, parameters, description } = fieldsOf<FlatTool & { readonly description?: unknown }>(tool);
      return { name: textOf(name), description: textOf(description), schema: parameters };
    }),
  };
}
