/** Owns which rules apply: those of the format, with the backend's and the model's on top. */
import type { Format } from '../transcript.ts';
import { backendRules, profileAliases, profileOfFormat, providerProfiles, type ProviderProfile } from './backends.ts';
import { formatRules } from './formats.ts';
import { modelRules } from './models.ts';
import type { ProviderRules, RulesOnTop } from './provider-rules.ts';

/** The profile of a name or of an alias such as `grok`; `undefined` for a name that stands for none. */
export function providerProfileOf(name: string): ProviderProfile | undefined {
  const plain = name.toLowerCase();
  return providerProfiles.find((profile) => profile === plain) ?? profileAliases.get(plain);
}

/** The profile of a name, or the format's own; unknown names have the format's rules. */
export function profileFor(format: Format, name: string | undefined): ProviderProfile {
  return (name === undefined ? undefined : providerProfileOf(name)) ?? profileOfFormat[format];
}

/**
 * Returns the rules of a format, with those of the backend and of the model on top. An unknown profile has the rules of the format's own provider.
 */
export function rulesFor(format: Format, profile: string | undefined, model: string): ProviderRules {
  const backend = backendRules[profileFor(format, profile)][format] ?? {};
  return onTop(onTop(formatRules[format], backend), modelRules(format, model));
}

const onTop = (base: ProviderRules, more: RulesOnTop): ProviderRules => ({
  ...base,
  ...more,
  callId: { ...base.callId, ...more.callId },
  toolName: { ...base.toolName, ...more.toolName },
});
