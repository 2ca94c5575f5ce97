/** Owns what the rules about tool definitions see. */
import type { ProviderProfile } from '../profiles/backends.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import type { Log } from '../repair/repair-log.ts';
import type { Words } from '../repair/name-mapping.ts';
import type { Format } from '../transcript.ts';

export interface DefinitionScene {
  readonly format: Format;
  readonly rules: ProviderRules;
  readonly log: Log;
  readonly words: Words;
  readonly profile: ProviderProfile;
}
