/** Groq: no lists of parts in messages of the model or the system, no `reasoning_content`. */
import { wordOf } from '../../reading.ts';
import { openai, type ChatDialect } from '../dialect.ts';

const plain: ReadonlySet<unknown> = new Set(['system', 'assistant']);

export const groq: ChatDialect = {
  ...openai,
  limits: false,
  extra(_request, messages, report) {
    for (const [index, message] of messages.entries()) {
      const complain = (rule: string, field: string, demand: string): void => {
        const one = `'messages.${index}' : for 'role:${wordOf(message.role)}' the following must be satisfied`;
        report({ rule, path: `messages[${index}].${field}`, message: `${one}[('messages.${index}${demand})]` });
      };
      if (plain.has(message.role) && Array.isArray(message.content)) {
        complain('content-form', 'content', ".content' : value must be a string");
      }
      if (message.role === 'assistant' && message.reasoning_content !== undefined) {
        complain('unknown-field', 'reasoning_content', "' : property 'reasoning_content' is unsupported");
      }
    }
  },
};
