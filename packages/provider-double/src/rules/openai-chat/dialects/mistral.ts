/**
 * Mistral: ids of nine letters and digits, names by pattern, as many results as calls, no user message after a result, no empty message of
 * the model, and a user or a result at the end.
 */
import type { Report } from '../../problem.ts';
import { fieldsOf, isText, listOf, wordOf } from '../../reading.ts';
import { openai, type ChatDialect, type Words } from '../dialect.ts';
import { definitionOf, isEmptyMessage, type ChatCall, type ChatMessage, type NamedArguments } from '../shape.ts';

const order = (message: string): Words => ({ message, type: 'invalid_request_message_order', code: '3230' });

function checkId(id: unknown, path: string, report: Report): void {
  if (!isText(id) || /^[a-zA-Z0-9]{9}$/.test(id)) return;
  const message = `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`;
  report({ rule: 'call-id-form', path, message, type: 'invalid_function_call', code: '3280' });
}

function checkIds(message: ChatMessage, path: string, report: Report): void {
  for (const [index, call] of listOf(message.tool_calls).entries()) {
    checkId(fieldsOf<ChatCall>(call).id, `${path}.tool_calls[${index}].id`, report);
  }
  if (message.role === 'tool') checkId(message.tool_call_id, `${path}.tool_call_id`, report);
}

function checkName(rule: string, name: unknown, path: string, report: Report): void {
  if (!isText(name) || /^[a-zA-Z0-9_-]{1,64}$/.test(name)) return;
  const demand = 'must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.';
  report({ rule, path, message: `Function name was ${name} but ${demand}`, type: 'invalid_request_error' });
}

function checkNames(message: ChatMessage, path: string, report: Report): void {
  for (const [index, call] of listOf(message.tool_calls).entries()) {
    const { name } = fieldsOf<NamedArguments>(fieldsOf<ChatCall>(call).function);
    if (name !== '') checkName('name-form', name, `${path}.tool_calls[${index}].function.name`, report);
  }
  if (message.role === 'tool') checkName('name-form', message.name, `${path}.name`, report);
}

function checkEnds(messages: readonly ChatMessage[], report: Report): void {
  for (const [index, message] of messages.entries()) {
    if (!isEmptyMessage(message)) continue;
    const words = 'Assistant message must have either content or tool_calls, but not none.';
    report({ rule: 'empty-content', path: `messages[${index}].content`, message: words, type: 'invalid_request_error' });
  }
  const last = messages.at(-1);
  // An open call at the end is a missing result.
  if (last?.role !== 'assistant' || last.prefix === true || listOf(last.tool_calls).length > 0) return;
  const words = 'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant';
  report({ rule: 'conversation-end', path: `messages[${messages.length - 1}].role`, ...order(words) });
}

export const mistral: ChatDialect = {
  ...openai,
  limits: false,
  missing: () => order('Not the same number of function calls and responses'),
  duplicate: () => order('Not the same number of function calls and responses'),
  orphan: (id, _index, before) =>
    before === 'assistant' || before === 'tool'
      ? order(`Unexpected tool call id ${id} in tool results`)
      : order(`Unexpected role 'tool' after role '${before}'`),
  extra(request, messages, report) {
    for (const [index, tool] of listOf(request.tools).entries()) {
      checkName('tool-name-form', definitionOf(tool).name, `tools[${index}].function.name`, report);
    }
    for (const [index, message] of messages.entries()) {
      checkIds(message, `messages[${index}]`, report);
      checkNames(message, `messages[${index}]`, report);
      const bridge = messages[index - 1]?.role === 'tool' && message.role !== 'tool' && message.role !== 'assistant';
      if (bridge) {
        report({
          rule: 'role-order',
          path: `messages[${index}].role`,
          ...order(`Unexpected role '${wordOf(message.role)}' after role 'tool'`),
        });
      }
    }
    checkEnds(messages, report);
  },
};
