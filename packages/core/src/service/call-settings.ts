/** Owns which settings a call runs under: its tool's, with the call's own policy over them; its alternatives run under theirs. */
import { resolveSettings } from '../settings/resolve.ts';
import type { CallPolicy, ToolSettings } from '../settings/settings.ts';
import type { ServiceKit } from './service-kit.ts';

export function settingsLookup(
  kit: ServiceKit,
  call: { readonly toolName: string; readonly policy?: CallPolicy | undefined },
): (toolName: string) => ToolSettings | undefined {
  const own = call.policy && kit.runtimeOf(call.toolName)?.settings;
  if (!own) return (toolName) => kit.runtimeOf(toolName)?.settings;
  const settings = resolveSettings(own, call.policy);
  return (toolName) => (toolName === call.toolName ? settings : kit.runtimeOf(toolName)?.settings);
}
