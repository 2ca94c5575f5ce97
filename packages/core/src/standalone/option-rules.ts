/** Owns the rules for options that `retry` and `circuitBreaker` share, for `checkFields`. */
import { refuse, type Fields } from '../settings/check.ts';
import { period } from '../settings/fields.ts';

export function aFunction(value: unknown, field: string): void {
  if (typeof value !== 'function') refuse(field, value, 'a function');
}

export function aText(value: unknown, field: string): void {
  if (typeof value !== 'string') refuse(field, value, 'a text');
}

export function aSignal(value: unknown, field: string): void {
  if (value !== undefined && !has(value, 'addEventListener')) refuse(field, value, 'an AbortSignal');
}

export const sharedFields: Fields = {
  timeoutMs: period,
  classify: aFunction,
  system: (value, field) => {
    if (!has(value, 'setTimer')) refuse(field, value, 'a System');
  },
};

function has(value: unknown, method: string): boolean {
  return typeof (value as Readonly<Record<string, unknown>> | null)?.[method] === 'function';
}
