/** Owns the rule of a provider profile in options. */
import { refuse, suggest, type Rule } from '@holdfast/core/internal/plain';
import { providerProfileOf, providerProfiles } from './profile-names.ts';

export const profileRule: Rule = (value, field) => {
  if (typeof value === 'string' && providerProfileOf(value) !== undefined) return;
  const nearest = typeof value === 'string' ? suggest(value, providerProfiles) : undefined;
  refuse(field, value, `one of ${providerProfiles.join(', ')}${nearest === undefined ? '' : ` (did you mean '${nearest}'?)`}`, 'string');
};
