/**
 * Owns reasoning that a backend requires with its calls. Lost reasoning cannot be restored: an empty string, which such backends accept, says that
 * there is none. Reasoning is never invented.
 */
import { isText, withValueAt } from '../../json.ts';
import { isThinking } from '../../profiles/is-thinking.ts';
import type { FormatContext } from '../format-context.ts';

export function fillLostReasoning({ request, messages, rules, log }: FormatContext): void {
  if (rules.reasoningBack === 'none' || !isThinking(request, rules)) return;
  const start = rules.reasoningBack === 'all' ? 0 : messages.findLastIndex(({ native }) => native['role'] === 'user') + 1;
  for (const message of messages.slice(start)) {
    const { role, parts, native, path } = message;
    if (role !== 'assistant' || isText(native['reasoning_content']) || !parts.some(({ kind }) => kind === 'call')) continue;
    log.edited('reasoning-content', path === undefined ? undefined : `${path}.reasoning_content`, native['reasoning_content'], '');
    message.native = withValueAt(native, ['reasoning_content'], '');
    message.changed = true;
  }
}
