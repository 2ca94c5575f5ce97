/** Checks a Chat Completions request as its backend would. */
import { emptyArray, missingParameter, wrongType } from '../openai-words.ts';
import type { BackendProfile, Report } from '../problem.ts';
import { fieldsOf, listOf } from '../reading.ts';
import { checkDefinitions } from './definitions.ts';
import { dialectOf } from './dialects/dialect-of.ts';
import { checkMessage } from './message-form.ts';
import { checkPairing } from './pairing.ts';
import type { ChatMessage, ChatRequest } from './shape.ts';

export function checkChat(body: unknown, profile: BackendProfile, report: Report): void {
  const request = fieldsOf<ChatRequest>(body);
  const dialect = dialectOf(profile);
  if (request.messages === undefined) return report(missingParameter('empty-messages', 'messages'));
  if (!Array.isArray(request.messages)) return report(wrongType('empty-messages', 'messages', 'an array of objects', request.messages));
  if (request.messages.length === 0) return report(emptyArray('empty-messages', 'messages'));
  const messages = listOf(request.messages).map((message) => fieldsOf<ChatMessage>(message));
  // A backend's own messages come before the general ones.
  dialect.extra?.(request, messages, report);
  for (const [index, message] of messages.entries()) checkMessage(message, index, dialect, report);
  checkPairing(messages, dialect, report);
  checkDefinitions(request, dialect, report);
}
