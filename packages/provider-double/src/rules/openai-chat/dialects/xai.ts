/** xAI: every message has content, even one with only calls; an empty string is enough. */
import { openai, type ChatDialect } from '../dialect.ts';

export const xai: ChatDialect = {
  ...openai,
  limits: false,
  extra(_request, messages, report) {
    for (const [index, message] of messages.entries()) {
      const { content } = message;
      if (content !== undefined && content !== null && !(Array.isArray(content) && content.length === 0)) continue;
      const words = 'Invalid request content: Each message must have at least one content element.';
      report({ rule: 'empty-content', path: `messages[${index}].content`, message: words });
    }
  },
};
