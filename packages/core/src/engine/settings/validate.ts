/**
 * Owns which settings a tool, a call and a turn accept in code. Manifests are checked with positions by `@holdfast/manifest` first.
 */
import { checkOptions } from './check-options.ts';
import { toolFields, turnFields } from './fields.ts';
import type { CallPolicy, ToolPolicy, TurnSettings } from './settings.ts';

/** @throws TypeError | RangeError naming the field (with `where` in front), the value and the fix. */
export function checkToolPolicy(policy: ToolPolicy, where: string): void {
  checkOptions(toolFields, policy, where);
}

/** Settings of one call. @throws TypeError | RangeError naming the field (with `where` in front), the value and the fix. */
export function checkCallPolicy(policy: CallPolicy, where: string): void {
  checkOptions(toolFields, policy, where);
  for (const name of ['breaker', 'concurrency', 'rateLimit', 'retryBudget']) {
    if (Object.hasOwn(policy, name))
      throw new TypeError(`${where} cannot set '${name}': all calls of a tool share it. Set it on the tool.`);
  }
}

/** @throws TypeError | RangeError naming the field (with `where` in front), the value and the fix. */
export function checkTurnSettings(settings: Partial<TurnSettings>, where: string): void {
  checkOptions(turnFields, settings, where);
}
