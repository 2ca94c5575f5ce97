/** Owns the form in which the rules of one format are written: those of its own provider, and what backends and models add to them. */
import type { Format } from '../transcript.ts';
import type { ProviderProfile } from './profile-names.ts';
import type { ProviderRules, RuleOverrides } from './provider-rules.ts';

export interface FormatRules {
  readonly format: Format;
  /** The profile that applies by default. */
  readonly provider: ProviderProfile;
  readonly rules: ProviderRules;
  readonly backends: Readonly<Partial<Record<ProviderProfile, RuleOverrides>>>;
  /** The rules that depend on the model. */
  readonly ofModel?: (model: string) => RuleOverrides;
}
