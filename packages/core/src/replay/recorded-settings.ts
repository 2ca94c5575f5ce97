/**
 * Owns the settings of a replay: read from a record, or given for a what-if. Does not own the valid values (`../engine/settings`).
 *
 * 1. Recorded settings are complete: a missing setting is an error and never guessed.
 * 2. Unknown fields of a record are ignored: later versions may add some. A what-if may get whole tools; their other fields are ignored, unknown ones refused.
 */
import { circuitBreakerDefaults, hedgeDefaults, retryBudgetDefaults, retryDefaults } from '../engine/settings/defaults.ts';
import { toolFields } from '../engine/settings/fields.ts';
import { ownFields } from '../engine/tool/tool.ts';
import { profiles } from '../engine/settings/profiles.ts';
import type { CallPolicy, ToolPolicy, ToolSettings, TurnSettings } from '../engine/settings/settings.ts';
import { checkCallPolicy, checkToolPolicy, checkTurnSettings } from '../engine/settings/validate.ts';
import { asRecorded, refuseValue, withReplayErrors } from './misuse.ts';

type Plain = Readonly<Record<string, unknown>>;

/** The required fields of settings that are objects. */
const requiredFields: Readonly<Record<string, readonly string[]>> = {
  retry: Object.keys(retryDefaults),
  breaker: Object.keys(circuitBreakerDefaults),
  concurrency: ['limit', 'queue'],
  rateLimit: ['limit', 'windowMs'],
  retryBudget: Object.keys(retryBudgetDefaults),
  hedge: Object.keys(hedgeDefaults),
};

/** Reads the recorded settings of one tool. */
export function readSettings(recorded: unknown, place: string): ToolSettings {
  const settings = restoreInfinity(recorded as Plain);
  for (const [name, defaultValue] of Object.entries(profiles.spec.tool)) {
    // Optional settings may be absent.
    if (defaultValue === undefined) continue;
    requirePresent(settings, name, place);
    const part = settings[name];
    if (typeof part === 'object' && part !== null)
      for (const inner of requiredFields[name] ?? []) requirePresent(part as Plain, inner, `${place}.${name}`);
  }
  checkRecorded(place, () => checkToolPolicy(settings, place));
  return settings as unknown as ToolSettings;
}

/** Reads the recorded settings of one call. */
export function readCallPolicy(recorded: unknown, place: string): CallPolicy {
  const policy = restoreInfinity(recorded as Plain);
  checkRecorded(place, () => checkCallPolicy(policy, place));
  return policy;
}

/** Checks the settings of a what-if. */
export function checkChange(policy: ToolPolicy, place: string): void {
  if (typeof policy === 'object' && policy !== null) checkRecorded(place, () => checkToolPolicy(settingsOf(policy), place));
  else refuseValue(place, 'an object of settings', policy, 'Leave it out to keep what was recorded.');
}

export function checkTurnChange(turn: Partial<TurnSettings>, place: string): void {
  if (typeof turn === 'object' && turn !== null) checkRecorded(place, () => checkTurnSettings(turn, place));
  else refuseValue(place, 'an object of settings', turn, 'Leave it out to keep what was recorded.');
}

/** Restores `Infinity`, which JSON has turned into `null`. A fallback value may really be null, or be missing because it was `undefined`. */
function restoreInfinity(settings: Plain): ToolPolicy & Plain {
  const { fallback, ...others } = knownFields(settings, toolFields);
  const restore = (part: unknown): unknown => {
    if (part === null) return Number.POSITIVE_INFINITY;
    if (typeof part !== 'object' || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, restore(value)]));
  };
  const numbers = restore(others) as ToolPolicy & Plain;
  return fallback === undefined ? numbers : { ...numbers, fallback: fallbackOf(fallback) };
}

function fallbackOf(recorded: unknown): { readonly value: unknown } {
  return typeof recorded === 'object' && recorded !== null ? { value: undefined, ...recorded } : (recorded as { readonly value: unknown });
}

/** The settings of a what-if without the fields that only a whole tool has. */
function settingsOf(policy: object): Plain {
  return Object.fromEntries(Object.entries(policy).filter(([name]) => !Object.hasOwn(ownFields, name)));
}

function knownFields(settings: object, fields: Plain): Plain {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => Object.hasOwn(fields, name)));
}

function requirePresent(settings: Plain, name: string, place: string): void {
  if (settings[name] === undefined) refuseValue(`${place}.${name}`, 'present', undefined);
}

function checkRecorded(place: string, check: () => void): void {
  withReplayErrors(check, (problem) => (problem.startsWith(place) ? `${problem}. ${asRecorded}` : `${place}: ${problem}. ${asRecorded}`));
}
