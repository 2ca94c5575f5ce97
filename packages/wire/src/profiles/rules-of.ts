/** Owns selecting the rules of one format: its own, overridden by those of the backend and the model. */
import type { FormatRules } from './format-rules.ts';
import { backendModelRules } from './models.ts';
import { providerProfileOf, type ProviderProfile } from './profile-names.ts';
import type { ProviderRules, RuleOverrides } from './provider-rules.ts';

/** The profile with a name; the format's default if it is unknown or absent. */
export function profileFor({ provider }: FormatRules, name: string | undefined): ProviderProfile {
  return (name === undefined ? undefined : providerProfileOf(name)) ?? provider;
}

/** An unknown profile gets the rules of the format's own provider. */
export function rulesOf(format: FormatRules, profile: string | undefined, model: string): ProviderRules {
  if (latest?.format === format && latest.profile === profile && latest.model === model) return latest.rules;
  const backend = profileFor(format, profile);
  const own = override(format.rules, format.backends[backend] ?? {});
  const rules = override(override(own, format.ofModel?.(model) ?? {}), backendModelRules(backend, model));
  latest = { format, profile, model, rules };
  return rules;
}

/** Most programs ask for the same rules again and again. */
let latest:
  | { readonly format: FormatRules; readonly profile: string | undefined; readonly model: string; readonly rules: ProviderRules }
  | undefined;

const override = (base: ProviderRules, more: RuleOverrides): ProviderRules => ({
  ...base,
  ...more,
  callId: { ...base.callId, ...more.callId },
  toolName: { ...base.toolName, ...more.toolName },
  messageName: { ...base.messageName, ...more.messageName },
});
