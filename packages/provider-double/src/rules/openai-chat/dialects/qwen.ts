/** Qwen at DashScope: its own messages, arguments that are JSON, no forced tool while thinking. */
import { openai, roleParam, type ChatDialect } from '../dialect.ts';
import { lacksContent } from '../shape.ts';
import { checkJsonArguments } from './json-arguments.ts';

const prefix = '<400> InternalError.Algo.InvalidParameter:';

const mustFollow = 'An assistant message with "tool_calls" must be followed by tool messages responding to each "tool_call_id".';

const checkArguments = checkJsonArguments(() => ({
  message: `${prefix} The "function.arguments" parameter of the code model must be in JSON format.`,
}));

export const qwen: ChatDialect = {
  ...openai,
  limits: false,
  missing: (_ids, next) => ({
    message: `${prefix} ${mustFollow} The following tool_call_ids did not have response messages: ${roleParam(next).replace('messages.', 'message')}`,
  }),
  orphan: (_id, index) => ({
    message: `${prefix} messages with role "tool" must be a response to a preceeding message with "tool_calls".: message[${index}].role`,
  }),
  emptyCalls: () => ({ message: `${prefix} Empty tool_calls is not supported in message` }),
  extra(request, messages, report) {
    checkArguments(messages, report);
    for (const [index, message] of messages.entries()) {
      if (!lacksContent(message)) continue;
      report({ rule: 'empty-content', path: `messages[${index}].content`, message: `${prefix} The content field is a required field.` });
    }
    const forced = request.tool_choice === 'required' || (typeof request.tool_choice === 'object' && request.tool_choice !== null);
    if (!forced || request.enable_thinking !== true) return;
    const message = `${prefix} The tool_choice parameter does not support being set to required or object in thinking mode`;
    report({ rule: 'tool-choice', path: 'tool_choice', message });
  },
};
