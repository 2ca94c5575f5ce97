/** Checks a Messages request as the provider would. */
import type { BackendProfile, Report } from '../problem.ts';
import { fieldsOf, listOf } from '../reading.ts';
import { checkMessage } from './block-form.ts';
import { checkDefinitions } from './definitions.ts';
import { checkEnd, checkUnicode } from './ends.ts';
import { checkPairing } from './pairing.ts';
import { turnsOf, type Message, type MessagesRequest } from './shape.ts';
import { checkThinking } from './thinking.ts';

export function checkMessages(body: unknown, profile: BackendProfile, report: Report): void {
  const request = fieldsOf<MessagesRequest>(body);
  checkUnicode(body, report);
  checkDefinitions(request, report);
  if (!Array.isArray(request.messages)) return report({ rule: 'empty-messages', path: 'messages', message: 'messages: Field required' });
  // The server holds the earlier messages: their calls are not visible here.
  const continues = fieldsOf<{ readonly type?: unknown }>(request.thread).type === 'continue';
  if (request.messages.length === 0 && continues) return;
  if (request.messages.length === 0) {
    return report({ rule: 'empty-messages', path: 'messages', message: 'messages: at least one message is required' });
  }
  const messages = listOf(request.messages).map((message) => fieldsOf<Message>(message));
  for (const [index, message] of messages.entries()) checkMessage(message, index, messages, report);
  const turns = turnsOf(messages);
  checkPairing(turns, continues, report);
  checkThinking(request, turns, profile, report);
  checkEnd(request.model, turns, report);
}
