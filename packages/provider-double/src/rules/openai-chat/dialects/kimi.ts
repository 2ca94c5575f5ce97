/** Moonshot's own API: an id is used only once in a conversation. */
import { fieldsOf, isText, listOf, findRepeated } from '../../reading.ts';
import { openai, type ChatDialect } from '../dialect.ts';
import type { ChatCall } from '../shape.ts';

export const kimi: ChatDialect = {
  ...openai,
  limits: false,
  // The provider omits the id and leaves both spaces.
  orphan: () => ({ message: 'Invalid request: tool_call_id  is not found' }),
  extra(_request, messages, report) {
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
  },
};
