/** Owns the input of the rules about tool definitions. */
import type { ProviderProfile } from '../profiles/profile-names.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import type { RepairLog } from '../repair/repair-log.ts';
import type { NameMap } from '../repair/name-mapping.ts';
import type { Format } from '../transcript.ts';

export interface DefinitionContext {
  readonly format: Format;
  readonly rules: ProviderRules;
  readonly log: RepairLog;
  readonly nameMap: NameMap;
  readonly profile: ProviderProfile;
}
