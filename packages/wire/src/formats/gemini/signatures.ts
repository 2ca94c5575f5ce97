/** Owns thought signatures, which some models require on the first call of each step of the current turn. */
import { isFilled, valueAt, withValueAt } from '../../json.ts';
import type { FormatContext } from '../format-context.ts';

/** The documented placeholder for a lost signature. */
const placeholderSignature = 'skip_thought_signature_validator';

export function repairSignatures({ messages, rules, log }: FormatContext): void {
  if (!rules.signatures) return;
  const start = messages.findLastIndex(({ role, parts }) => role === 'user' && !parts.some(({ kind }) => kind === 'result'));
  for (const message of messages.slice(start + 1)) {
    const call = message.parts.find(({ kind }) => kind === 'call');
    if (!call || isFilled(valueAt(call.native, ['thoughtSignature'])) || isFilled(valueAt(call.native, ['thought_signature']))) continue;
    if (call.path !== undefined)
      log.edited('signature-missing', `${call.path}.thoughtSignature`, valueAt(call.native, ['thoughtSignature']), placeholderSignature);
    call.native = withValueAt(call.native, ['thoughtSignature'], placeholderSignature);
    message.changed = true;
  }
}
