/** DeepSeek: its own messages, thinking that must be sent back, no forced tool while thinking. */
import { emptyArray } from '../../openai-words.ts';
import { fieldsOf, isText, listOf, textOf } from '../../reading.ts';
import { openai, roleParam, type ChatDialect } from '../dialect.ts';

const mustFollow = "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";

export const deepseek: ChatDialect = {
  ...openai,
  limits: false,
  missing: (_ids, next) => ({
    message: `${mustFollow} (insufficient tool messages following tool_calls message)`,
    code: 'invalid_request_error',
    param: roleParam(next),
  }),
  orphan: () => ({
    message: "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    code: 'invalid_request_error',
  }),
  extra(request, messages, report) {
    if (Array.isArray(request.tools) && request.tools.length === 0) report(emptyArray('tool-count', 'tools'));
    const thinking = fieldsOf<{ readonly type?: unknown }>(request.thinking).type === 'enabled';
    const forced = request.tool_choice === 'required' || typeof request.tool_choice === 'object';
    if (forced && request.tool_choice !== null && (thinking || textOf(request.model).includes('reasoner'))) {
      report({ rule: 'tool-choice', path: 'tool_choice', message: `${textOf(request.model)} does not support this tool_choice` });
    }
    if (!thinking) return;
    const turn = messages.findLastIndex((message) => message.role === 'user');
    for (const [index, message] of messages.entries()) {
      if (index < turn || message.role !== 'assistant' || listOf(message.tool_calls).length === 0) continue;
      if (isText(message.reasoning_content)) continue;
      const words = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
      report({ rule: 'reasoning-missing', path: `messages[${index}].reasoning_content`, message: words, code: 'invalid_request_error' });
    }
  },
};
