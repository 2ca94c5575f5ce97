/** Owns the check of a gate's settings. */
import { completeBreakerSettings } from '../breaker/settings.ts';
import { checkFields, type Fields } from '../settings/check.ts';
import { concurrencyFields, rateLimitFields, retryBudgetFields } from '../settings/fields.ts';
import type { GateSettings } from './types.ts';

const limits: readonly (readonly [name: 'concurrency' | 'rateLimit' | 'retryBudget', fields: Fields, needed: readonly string[]])[] = [
  ['concurrency', concurrencyFields, ['limit', 'queue']],
  ['rateLimit', rateLimitFields, ['limit', 'windowMs']],
  ['retryBudget', retryBudgetFields, ['ratio', 'floor', 'windowMs']],
];

/** @throws TypeError or RangeError that names the setting (with `where` in front), its value and the fix. */
export function checkGateSettings(settings: GateSettings, where = ''): void {
  if (settings.breaker !== false) completeBreakerSettings(settings.breaker);
  for (const [name, fields, needed] of limits) {
    const given = settings[name];
    if (given !== undefined && given !== false) checkFields(fields, given, `${where}${name}`, undefined, needed);
  }
}
