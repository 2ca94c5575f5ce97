/** Owns reasoning that a backend requires with its calls. Lost reasoning cannot be restored and is reported. */
import { isText, textOf, valueAt } from '../../json.ts';
import type { ProviderProfile } from '../../profiles/backends.ts';
import type { FormatContext } from '../format-context.ts';

/** Models that think unless the request says otherwise. S. */
const thinkUnasked: ReadonlyMap<ProviderProfile, RegExp> = new Map([
  ['deepseek', /reasoner|deepseek-v[4-9]/i],
  ['kimi', /kimi-k2\.[5-9]|thinking/i],
]);

/** Models that want the reasoning of every call back, not only of those since the last user message. S. */
const remembers = /deepseek-v[4-9]/i;

/** In thinking mode, a message with calls must have its reasoning. */
export function reportLostReasoning({ request, messages, log }: FormatContext, profile: ProviderProfile): void {
  const models = thinkUnasked.get(profile);
  const type = valueAt(request['thinking'], ['type']);
  if (!models || type === 'disabled' || (type !== 'enabled' && !models.test(textOf(request['model']) ?? ''))) return;
  const isWhole = remembers.test(textOf(request['model']) ?? '');
  const start = isWhole ? 0 : messages.findLastIndex(({ role }) => role === 'user') + 1;
  for (const { role, parts, native, path } of messages.slice(start)) {
    if (role !== 'assistant' || isText(native['reasoning_content']) || !parts.some(({ kind }) => kind === 'call')) continue;
    log.problem(
      'reasoning-content',
      path ?? '',
      'The reasoning of this tool turn is missing; switch thinking off for this request, or use a model that does not think.',
    );
  }
}
