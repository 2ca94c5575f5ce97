/**
 * Owns settings as a replay gets them: read back from a record, and those of a what-if. Does not own what a setting may be (`../engine/settings`).
 *
 * 1. Recorded settings are complete: what is missing is damage and never guessed.
 * 2. A field that is no setting is not looked at: records may gain fields, and a what-if may be handed whole tools.
 */
import { circuitBreakerDefaults, hedgeDefaults, retryBudgetDefaults, retryDefaults } from '../engine/settings/defaults.ts';
import { toolFields, turnFields } from '../engine/settings/fields.ts';
import { profiles } from '../engine/settings/profiles.ts';
import type { CallPolicy, ToolPolicy, ToolSettings, TurnSettings } from '../engine/settings/settings.ts';
import { checkCallPolicy, checkToolPolicy, checkTurnSettings } from '../engine/settings/validate.ts';
import { asRecorded, refuseValue, refusing } from './misuse.ts';

type Plain = Readonly<Record<string, unknown>>;

/** By setting that has parts: those which it always has. */
const parts: Readonly<Record<string, readonly string[]>> = {
  retry: Object.keys(retryDefaults),
  breaker: Object.keys(circuitBreakerDefaults),
  concurrency: ['limit', 'queue'],
  rateLimit: ['limit', 'windowMs'],
  retryBudget: Object.keys(retryBudgetDefaults),
  hedge: Object.keys(hedgeDefaults),
};

/** The settings of one tool. */
export function readSettings(recorded: unknown, place: string): ToolSettings {
  const settings = revived(recorded as Plain);
  for (const [name, usual] of Object.entries(profiles.spec.tool)) {
    // Left out where there is none.
    if (usual === undefined) continue;
    needed(settings, name, place);
    const part = settings[name];
    if (typeof part === 'object' && part !== null) for (const inner of parts[name] ?? []) needed(part as Plain, inner, `${place}.${name}`);
  }
  checked(place, () => checkToolPolicy(settings, place));
  return settings as unknown as ToolSettings;
}

/** The settings that a call had of its own. */
export function readCallPolicy(recorded: unknown, place: string): CallPolicy {
  const policy = revived(recorded as Plain);
  checked(place, () => checkCallPolicy(policy, place));
  return policy;
}

/** Settings that are to be tried instead. */
export function checkChange(policy: ToolPolicy, place: string): void {
  if (typeof policy === 'object' && policy !== null) checked(place, () => checkToolPolicy(known(policy, toolFields), place));
  else refuseValue(place, 'an object of settings', policy, 'Leave it out to keep what was recorded.');
}

export function checkTurnChange(turn: Partial<TurnSettings>, place: string): void {
  if (typeof turn === 'object' && turn !== null) checked(place, () => checkTurnSettings(known(turn, turnFields), place));
  else refuseValue(place, 'an object of settings', turn, 'Leave it out to keep what was recorded.');
}

/** JSON has no `Infinity`; in recorded settings `null` is what became of it. A fallback value may be null by itself, or lost when it was `undefined`. */
function revived(settings: Plain): ToolPolicy & Plain {
  const { fallback, ...others } = known(settings, toolFields);
  const revive = (part: unknown): unknown => {
    if (part === null) return Number.POSITIVE_INFINITY;
    if (typeof part !== 'object' || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, revive(value)]));
  };
  const numbers = revive(others) as ToolPolicy & Plain;
  return fallback === undefined ? numbers : { ...numbers, fallback: fallbackOf(fallback) };
}

function fallbackOf(recorded: unknown): { readonly value: unknown } {
  return typeof recorded === 'object' && recorded !== null ? { value: undefined, ...recorded } : (recorded as { readonly value: unknown });
}

function known(settings: object, fields: Plain): Plain {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => Object.hasOwn(fields, name)));
}

function needed(settings: Plain, name: string, place: string): void {
  if (settings[name] === undefined) refuseValue(`${place}.${name}`, 'there', undefined);
}

function checked(place: string, check: () => void): void {
  refusing(check, (problem) => (problem.startsWith(place) ? `${problem}. ${asRecorded}` : `${place}: ${problem}. ${asRecorded}`));
}
