/** Owns the short form of a tool's settings in the record of a single call: the settings that differ from those of the profile. */
import { nameAt } from '../backoff/random.ts';
import { isRecord } from '../plain/is-object.ts';
import { profiles, type ProfileName } from './profiles.ts';
import { resolveSettings } from './resolve.ts';
import type { ToolPolicy, ToolSettings } from './settings.ts';

/** Identifies the numbers of a profile: a later version may have others, and the short form means something else with them. */
export const profileId = (profile: ProfileName): string => nameAt(profile, JSON.stringify(profiles[profile].tool)).slice(0, 8);

/** Returns the settings that are not those of the profile. */
export const differenceFrom = (profile: ProfileName, settings: ToolSettings): ToolPolicy => difference(profiles[profile].tool, settings);

function difference(usual: object, own: object): object {
  const found: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(own)) {
    const before = (usual as Readonly<Record<string, unknown>>)[name];
    if (value === before || JSON.stringify(value) === JSON.stringify(before)) continue;
    // A fallback is replaced as a whole.
    found[name] = name !== 'fallback' && isRecord(before) && isRecord(value) ? difference(before, value) : value;
  }
  return found;
}

/** Restores settings from their short form. */
export const completeSettings = (profile: ProfileName, difference: unknown): ToolSettings =>
  resolveSettings(profiles[profile].tool, isRecord(difference) ? difference : undefined);

export const isProfile = (name: string): name is ProfileName => Object.hasOwn(profiles, name);
