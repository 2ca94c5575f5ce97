/** Owns reasoning that a backend requires with its calls. Lost reasoning cannot be restored and is reported. */
import { isText, valueAt } from '../../json.ts';
import type { FormatContext } from '../format-context.ts';

/** DeepSeek in thinking mode: every message with calls since the last user message must have its reasoning. */
export function reportLostReasoning({ request, messages, log }: FormatContext): void {
  if (valueAt(request['thinking'], ['type']) !== 'enabled') return;
  const lastUserTurn = messages.findLastIndex(({ role }) => role === 'user');
  for (const { role, parts, native, path } of messages.slice(lastUserTurn + 1)) {
    if (role !== 'assistant' || isText(native['reasoning_content']) || !parts.some(({ kind }) => kind === 'call')) continue;
    log.problem('reasoning-content', path ?? '', 'The reasoning of this tool turn is missing; switch thinking off for this request.');
  }
}
