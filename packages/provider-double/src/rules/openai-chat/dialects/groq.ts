/** Groq: no lists of parts in messages of the model or the system. */
import { wordOf } from '../../reading.ts';
import { openai, type ChatDialect } from '../dialect.ts';

const plain: ReadonlySet<unknown> = new Set(['system', 'assistant']);

export const groq: ChatDialect = {
  ...openai,
  limits: false,
  extra(_request, messages, report) {
    for (const [index, message] of messages.entries()) {
      if (!plain.has(message.role) || !Array.isArray(message.content)) continue;
      const one = `'messages.${index}' : for 'role:${wordOf(message.role)}' the following must be satisfied`;
      const words = `${one}[('messages.${index}.content' : value must be a string)]`;
      report({ rule: 'content-form', path: `messages[${index}].content`, message: words });
    }
  },
};
