/** Owns the rules for options that `retry` and `circuitBreaker` share, for `checkFields`. */
import { systemRule } from '../engine/ports/system.ts';
import type { Fields } from '../engine/settings/check.ts';
import { period } from '../engine/settings/fields.ts';

export const sharedFields: Fields = { timeoutMs: period, classify: 'function', system: systemRule };
