/**
 * Owns the checks of factory options. Misuse throws at construction: the message has the field, its value and the fix.
 */
import { checkOptions } from '@holdfast/core/internal/plain';

function preview(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

/** The error for a misused option. */
export function misuse(field: string, value: unknown, hint: string): TypeError {
  return new TypeError(`${field} is ${preview(value)}: ${hint}`);
}

/** Refuses values that are not objects, and unknown fields. Messages do not show the value of an unknown field, which may be a secret. */
export function onlyFields(owner: string, options: unknown, known: readonly string[]): void {
  checkOptions(Object.fromEntries(known.map((name) => [name, () => undefined])), options, owner);
}

export function text(field: string, value: unknown, hint = 'give a non-empty string'): string {
  if (typeof value !== 'string' || value === '') throw misuse(field, value, hint);
  if (value.includes('\0')) throw misuse(field, value, 'remove the NUL character');
  return value;
}

export function texts(field: string, value: unknown, fallback: readonly string[]): readonly string[] {
  if (value === undefined) return fallback;
  if (!Array.isArray(value)) throw misuse(field, value, 'give an array of strings');
  value.forEach((entry: unknown, index) => {
    if (typeof entry !== 'string' || entry.includes('\0')) throw misuse(`${field}[${index}]`, entry, 'give a string without NUL');
  });
  return [...(value as readonly string[])];
}

/** A whole number of at least `min`. */
export function count(field: string, value: unknown, fallback: number, min = 0): number {
  if (value === undefined) return fallback;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min)
    throw misuse(field, value, `give a whole number of at least ${min}`);
  return value;
}

/** Milliseconds for a timer: up to 2^31 - 1. */
export function milliseconds(field: string, value: unknown, fallback: number): number {
  const checked = count(field, value, fallback);
  if (checked > 2_147_483_647) throw misuse(field, value, 'give at most 2147483647, the longest delay of a timer');
  return checked;
}

export function choice<Choice extends string>(field: string, value: unknown, choices: readonly Choice[], fallback: Choice): Choice {
  if (value === undefined) return fallback;
  const found = choices.find((each) => each === value);
  if (found === undefined) throw misuse(field, value, `choose one of ${choices.join(', ')}`);
  return found;
}

export function flag(field: string, value: unknown, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  if (typeof value !== 'boolean') throw misuse(field, value, 'give true or false');
  return value;
}

export function optionalFunction<Given>(field: string, value: Given): Given {
  if (value !== undefined && typeof value !== 'function') throw misuse(field, value, 'give a function');
  return value;
}
