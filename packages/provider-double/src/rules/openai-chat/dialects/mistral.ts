/** Mistral: ids of nine letters and digits, as many results as calls, and no user message after a result. */
import type { Report } from '../../problem.ts';
import { fieldsOf, isText, listOf, wordOf } from '../../reading.ts';
import { openai, type ChatDialect, type Words } from '../dialect.ts';
import type { ChatCall, ChatMessage } from '../shape.ts';

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

export const mistral: ChatDialect = {
  ...openai,
  limits: false,
  missing: () => order('Not the same number of function calls and responses'),
  duplicate: () => order('Not the same number of function calls and responses'),
  orphan: (id, _index, before) =>
    before === 'assistant' || before === 'tool'
      ? order(`Unexpected tool call id ${id} in tool results`)
      : order(`Unexpected role 'tool' after role '${before}'`),
  extra(_request, messages, report) {
    for (const [index, message] of messages.entries()) {
      checkIds(message, `messages[${index}]`, report);
      const bridge = messages[index - 1]?.role === 'tool' && message.role !== 'tool' && message.role !== 'assistant';
      if (bridge) {
        report({
          rule: 'role-order',
          path: `messages[${index}].role`,
          ...order(`Unexpected role '${wordOf(message.role)}' after role 'tool'`),
        });
      }
    }
  },
};
