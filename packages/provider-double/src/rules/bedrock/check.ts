/** Checks a Converse request as the provider would; which rules apply depends on the model. */
import { takesPrefill } from '../anthropic/ends.ts';
import type { Report } from '../problem.ts';
import { fieldsOf, listOf, textOf } from '../reading.ts';
import { checkMessage } from './block-form.ts';
import { checkDefinitions } from './definitions.ts';
import { checkPairing } from './pairing.ts';
import { resultsIn, turnsOf, usesIn, type ConverseRequest, type Message } from './shape.ts';

export function checkConverse(body: unknown, report: Report): void {
  const request = fieldsOf<ConverseRequest>(body);
  const model = textOf(request.modelId);
  checkDefinitions(request.toolConfig, report);
  const messages = listOf(request.messages).map((message) => fieldsOf<Message>(message));
  if (messages.length === 0) {
    const message = 'A conversation must start with a user message. Try again with a conversation that starts with a user message.';
    return report({ rule: 'empty-messages', path: 'messages', message });
  }
  for (const [index, message] of messages.entries()) checkMessage(message, index, model.includes('writer.'), report);
  const turns = turnsOf(messages);
  if (turns[0]?.role === 'assistant' && !/anthropic\.|qwen\./.test(model)) {
    const message = 'A conversation must start with a user message. Try again with a conversation that starts with a user message.';
    report({ rule: 'conversation-start', path: 'messages[0]', message });
  }
  const tools = turns.some((turn) => usesIn(turn).length > 0 || resultsIn(turn).length > 0);
  if (tools && (request.toolConfig === undefined || request.toolConfig === null)) {
    const message = 'The toolConfig field must be defined when using toolUse and toolResult content blocks.';
    report({ rule: 'tools-missing', path: 'toolConfig', message });
  }
  checkPairing(turns, model, report);
  const last = turns.at(-1);
  // An open call at the end is a missing result.
  if (last?.role === 'assistant' && usesIn(last).length === 0 && !takesPrefill(model)) {
    const message = 'This model does not support assistant message prefill. The conversation must end with a user message.';
    const path = `messages[${last.index}]`;
    report({ rule: 'conversation-end', path, message: `The model returned the following errors: ${message}` });
  }
}
