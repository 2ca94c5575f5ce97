/** Messages of AI SDK: what the SDK itself rejects, and what it passes on to a provider that refuses it. */
import type { Report } from '../problem.ts';
import { fieldsOf, listOf } from '../reading.ts';
import { badPlace } from './message-form.ts';
import { checkPairing } from './pairing.ts';
import type { Message } from './shape.ts';

/** `body` is the list itself or an object with `messages`. */
export function checkModelMessages(body: unknown, report: Report): void {
  const list = Array.isArray(body) ? body : fieldsOf<{ readonly messages?: unknown }>(body).messages;
  const messages = listOf(list).map((message) => fieldsOf<Message>(message));
  const invalid = (path: string, message: string): void => {
    report({ rule: 'message-form', path, message: `Invalid prompt: ${message}`, type: 'AI_InvalidPromptError' });
  };
  if (messages.length === 0) return invalid('messages', 'messages must not be empty');
  const bad = badPlace(messages);
  if (bad !== undefined) return invalid(bad, 'The messages must be a ModelMessage[].');
  checkPairing(messages, report);
}
