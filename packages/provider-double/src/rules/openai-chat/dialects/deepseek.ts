/** DeepSeek: its own messages, reasoning that must be sent back, no forced tool while thinking, no role `developer`. */
import { isSinceV4, thinksAtDeepSeek } from '../../deepseek-thinking.ts';
import { emptyArray } from '../../openai-words.ts';
import type { Report } from '../../problem.ts';
import { textOf } from '../../reading.ts';
import { openai, roleParam, type ChatDialect } from '../dialect.ts';
import { lacksContent, type ChatMessage, type ChatRequest } from '../shape.ts';
import { callsWithoutReasoning, lastUser } from './reasoning.ts';

const moreInformation = 'For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls';

const mustFollow = "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";

/** V4 wants the reasoning of every call back, earlier models that of the current turn. */
function checkReasoning(request: ChatRequest, messages: readonly ChatMessage[], report: Report): void {
  if (!thinksAtDeepSeek(request)) return;
  const from = isSinceV4(request.model) ? 0 : lastUser(messages);
  for (const index of callsWithoutReasoning(messages, from)) {
    const message = textOf(request.model).includes('reasoner')
      ? `Missing \`reasoning_content\` field in the assistant message at message index ${index}. ${moreInformation}`
      : 'The `reasoning_content` in the thinking mode must be passed back to the API.';
    report({ rule: 'reasoning-missing', path: `messages[${index}].reasoning_content`, message, code: 'invalid_request_error' });
  }
}

const roles = ['system', 'user', 'assistant', 'tool', 'latest_reminder'] as const;

function checkMessage(one: ChatMessage, path: string, report: Report): void {
  if (one.role === 'developer') {
    const expected = roles.map((known) => `\`${known}\``).join(', ');
    const message = `Failed to deserialize the JSON body into the target type: ${path}.role: unknown variant \`developer\`, expected one of ${expected}`;
    report({ rule: 'role-form', path: `${path}.role`, message, code: 'invalid_request_error' });
  }
  if (!lacksContent(one)) return;
  const message = 'Invalid assistant message: content or tool_calls must be set';
  report({ rule: 'empty-content', path: `${path}.content`, message, code: 'invalid_request_error' });
}

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
    const forced = request.tool_choice === 'required' || typeof request.tool_choice === 'object';
    if (forced && request.tool_choice !== null && thinksAtDeepSeek(request)) {
      report({ rule: 'tool-choice', path: 'tool_choice', message: `${textOf(request.model)} does not support this tool_choice` });
    }
    checkReasoning(request, messages, report);
    for (const [index, message] of messages.entries()) checkMessage(message, `messages[${index}]`, report);
  },
};
