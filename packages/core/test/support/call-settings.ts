import { profiles } from '../../src/engine/settings/profiles.ts';
import { resolveSettings } from '../../src/engine/settings/resolve.ts';
import type { ToolPolicy, ToolSettings } from '../../src/engine/settings/settings.ts';

/** The sources' settings with some of them replaced. */
export function settingsWith(policy: ToolPolicy = {}): ToolSettings {
  return resolveSettings(profiles.spec.tool, policy);
}
