import { profiles } from '../../src/settings/profiles.ts';
import { resolveSettings } from '../../src/settings/resolve.ts';
import type { ToolPolicy, ToolSettings } from '../../src/settings/settings.ts';

/** The sources' settings with some of them replaced. */
export function settingsWith(policy: ToolPolicy = {}): ToolSettings {
  return resolveSettings(profiles.spec.tool, policy);
}
