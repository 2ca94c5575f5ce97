/** Owns the rules that depend on the model rather than the provider. Evidence as in `formats.ts`. */
import type { Format } from '../transcript.ts';
import type { ProviderProfile } from './profile-names.ts';
import type { RuleOverrides } from './provider-rules.ts';

export function modelRules(format: Format, model: string): RuleOverrides {
  switch (format) {
    case 'anthropic-messages':
      // E: 'This model does not support assistant message prefill'. Older models think only once per turn: S
      return claudeSince(model, 4.06) ? { endsWithUser: true, thinkingEachStep: true } : {};
    case 'bedrock-converse':
      return {
        // L: not for Anthropic and Qwen models
        startsWithUser: !/anthropic|claude|qwen/i.test(model),
        // E: 'Conversation blocks and tool result blocks cannot be provided in the same turn'
        besideResults: /meta\.|llama|mistral|mixtral|writer|palmyra/i.test(model)
          ? 'nothing'
          : /anthropic|claude/i.test(model)
            ? 'texts-and-images'
            : 'anything',
        // E, Writer: "This model doesn't support the status field"
        statusField: !/writer|palmyra/i.test(model),
        // E: prefill is refused by newer Claude models
        endsWithUser: claudeSince(model, 4.06),
      };
    case 'gemini':
      // E: 'Function call is missing a thought_signature'; 2.5 is lenient
      return { signatures: /gemini-(?:[3-9]|\d{2})/i.test(model) };
    case 'openai-responses':
      return { reasoningItems: /(?:^|[/.])(?:o\d|gpt-5|gpt-6|codex)/i.test(model) };
    default:
      return {};
  }
}

/** Rules of models that only the backend itself applies: others serve the same models without them. */
export function backendModelRules(backend: ProviderProfile, model: string): RuleOverrides {
  // S, E: both think by default. From V4 on the reasoning of every call is wanted back, from earlier turns too
  if (backend === 'deepseek' && /deepseek-(?:v[4-9]|flash|pro)/i.test(model)) return { thinksUnasked: true, reasoningBack: 'all' };
  if (backend === 'deepseek') return { thinksUnasked: /reasoner/i.test(model) };
  // S, E: 'thinking is enabled but reasoning_content is missing'
  if (backend === 'kimi') return { thinksUnasked: /kimi-k2\.[5-9]|kimi-(?:k2-)?thinking/i.test(model) };
  return {};
}

/** Version of a Claude model as major.minor with two digits, so that 4.10 is later than 4.6. */
function claudeSince(model: string, version: number): boolean {
  const found = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2})(?!\d))?/i.exec(model);
  if (!found) return false;
  return Number(found[1]) + Number(found[2] ?? 0) / 100 >= version - 1e-9;
}
