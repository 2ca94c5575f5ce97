/** Owns the rules of models that only a backend itself applies, whatever the format. Evidence as in the rules of the formats. */
import type { ProviderProfile } from './profile-names.ts';
import type { RuleOverrides } from './provider-rules.ts';

/** Rules of models that only the backend itself applies: others serve the same models without them. */
export function backendModelRules(backend: ProviderProfile, model: string): RuleOverrides {
  // S, E: both think by default. From V4 on the reasoning of every call is wanted back, from earlier turns too
  if (backend === 'deepseek' && /deepseek-(?:v[4-9]|flash|pro)/i.test(model)) return { thinksUnasked: true, reasoningBack: 'all' };
  if (backend === 'deepseek') return { thinksUnasked: /reasoner/i.test(model) };
  // S, E: 'thinking is enabled but reasoning_content is missing'
  if (backend === 'kimi') return { thinksUnasked: /kimi-k2\.[5-9]|kimi-(?:k2-)?thinking/i.test(model) };
  return {};
}
