import { profiles } from '../../src/engine/settings/profiles.ts';
import { resolveSettings } from '../../src/engine/settings/resolve.ts';
import type { ToolPolicy, ToolSettings } from '../../src/engine/settings/settings.ts';

/** The settings of `spec`, with overrides. */
export function settingsWith(policy: ToolPolicy = {}): ToolSettings {
  return resolveSettings(profiles.spec.tool, policy);
}
