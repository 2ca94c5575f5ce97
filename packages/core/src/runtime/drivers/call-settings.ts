/** Owns which settings a call runs under: its tool's, overridden by the call's own policy; its alternatives run under theirs. */
import { resolveSettings } from '../../engine/settings/resolve.ts';
import type { CallPolicy, ToolSettings } from '../../engine/settings/settings.ts';

type SettingsOf = (toolName: string) => ToolSettings | undefined;

export function settingsLookup(
  settingsOf: SettingsOf,
  { toolName, policy }: { readonly toolName: string; readonly policy?: CallPolicy | undefined },
): SettingsOf {
  const own = policy && settingsOf(toolName);
  if (!own) return settingsOf;
  const settings = resolveSettings(own, policy);
  return (name) => (name === toolName ? settings : settingsOf(name));
}
