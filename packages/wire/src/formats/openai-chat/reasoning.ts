/** Owns reasoning that a backend wants back with its calls. It cannot be made up: what is lost is reported. */
import { isText, valueAt } from '../../json.ts';
import type { FormatContext } from '../format-context.ts';

/** DeepSeek in thinking mode: every message with calls since the user spoke has its reasoning. */
export function reportLostReasoning({ request, messages, log }: FormatContext): void {
  if (valueAt(request['thinking'], ['type']) !== 'enabled') return;
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  for (const { role, parts, native, path } of messages.slice(asked + 1)) {
    if (role !== 'assistant' || isText(native['reasoning_content']) || !parts.some(({ kind }) => kind === 'call')) continue;
    log.problem('reasoning-content', path ?? '', 'The reasoning of this tool turn is lost; switch thinking off for this request.');
  }
}
