/** Owns selecting the rules: those of the format, overridden by those of the backend and the model. */
import type { Format } from '../transcript.ts';
import { backendRules, profileOfFormat } from './backends.ts';
import { formatRules } from './formats.ts';
import { backendModelRules, modelRules } from './models.ts';
import { providerProfileOf, type ProviderProfile } from './profile-names.ts';
import type { ProviderRules, RuleOverrides } from './provider-rules.ts';

/** The profile with a name; the format's default if it is unknown or absent. */
export function profileFor(format: Format, name: string | undefined): ProviderProfile {
  return (name === undefined ? undefined : providerProfileOf(name)) ?? profileOfFormat[format];
}

/**
 * Returns the rules of a format, overridden by those of the backend and the model. An unknown profile gets the rules of the format's own provider.
 */
export function rulesFor(format: Format, profile: string | undefined, model: string): ProviderRules {
  if (latest?.format === format && latest.profile === profile && latest.model === model) return latest.rules;
  const backend = profileFor(format, profile);
  const own = override(formatRules[format], backendRules[backend][format] ?? {});
  const rules = override(override(own, modelRules(format, model)), backendModelRules(backend, model));
  latest = { format, profile, model, rules };
  return rules;
}

/** Most programs ask for the same rules again and again. */
let latest:
  | { readonly format: Format; readonly profile: string | undefined; readonly model: string; readonly rules: ProviderRules }
  | undefined;

const override = (base: ProviderRules, more: RuleOverrides): ProviderRules => ({
  ...base,
  ...more,
  callId: { ...base.callId, ...more.callId },
  toolName: { ...base.toolName, ...more.toolName },
  messageName: { ...base.messageName, ...more.messageName },
});
