/** Owns the rules for options that `retry` and `circuitBreaker` share, for `checkFields`. */
import type { Fields } from '../settings/check.ts';
import { period } from '../settings/fields.ts';

export const sharedFields: Fields = { timeoutMs: period, classify: 'function', system: 'object' };
