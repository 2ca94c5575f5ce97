/**
 * Owns checking settings given in code against a table of fields. Every error names the field, its value and the fix. Does not own the tables (`fields.ts`).
 *
 * Invariants
 * 1. A name that is in no table is refused; so is a field of the wrong type (`TypeError`) or out of range (`RangeError`).
 * 2. `undefined` means "not given" everywhere, unless the field is required.
 */
import { isRecord } from '../plain/is-object.ts';
/** A `typeof` result, a number within limits, one of several words, an object of fields, or a custom check. */
export type Rule =
  | 'function'
  | 'string'
  | 'object'
  | NumberRule
  | readonly string[]
  | Fields
  | ((value: unknown, field: string, guess: Guess) => void);

/** What a misspelt word probably means (`suggest`), if known. */
export type Guess = (word: string, known: readonly string[]) => string | undefined;

export interface Fields {
  readonly [name: string]: Rule;
}

/** The fix, the minimum, the maximum, and whether a finite value must be an integer. */
export type NumberRule = readonly [hint: string, minimum: number, maximum: number, whole?: boolean];

/** Refuses a value. `type` is the `typeof` of valid values; with any other word the error is always a `TypeError`. */
export function refuse(field: string, value: unknown, hint: string, type?: string): never {
  const Problem = type === undefined || typeof value === type ? RangeError : TypeError;
  throw new Problem(`${field} must be ${hint}, got ${show(value)}.`);
}

function show(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return String(value);
}

/** @throws TypeError | RangeError when the value does not fit the rule. */
export function checkRule(rule: Rule, value: unknown, field: string, guess: Guess = none): void {
  if (typeof rule === 'function') rule(value, field, guess);
  else if (typeof rule === 'string') checkType(rule, value, field);
  else if (!Array.isArray(rule)) checkFields(rule as Fields, value, field, guess);
  else if (typeof rule[1] === 'number') checkNumber(rule as unknown as NumberRule, value, field);
  else checkWord(rule as readonly string[], value, field, guess);
}

/**
 * Checks the fields of an object.
 * @param guess for suggestions about misspelt words
 * @param needed fields that may not be left out
 * @throws TypeError | RangeError naming the field (with `where` in front), the value and the fix.
 */
export function checkFields(fields: Fields, value: unknown, where: string, guess: Guess = none, needed: readonly string[] = []): void {
  if (!isRecord(value)) refuse(where, value, 'an object', '');
  const given = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(fields, name)) {
      const nearest = guess(name, Object.keys(fields));
      throw new TypeError(
        `${where} has no setting '${name}'.${nearest ? ` Did you mean '${nearest}'?` : ` Known: ${Object.keys(fields).join(', ')}.`}`,
      );
    }
  }
  for (const [name, rule] of Object.entries(fields)) {
    if (given[name] !== undefined || needed.includes(name)) checkRule(rule, given[name], `${where}.${name}`, guess);
  }
}

function checkType(type: string, value: unknown, field: string): void {
  if (typeof value !== type || value === null) refuse(field, value, `of type ${type}`, '');
}

function checkNumber([hint, minimum, maximum, whole]: NumberRule, value: unknown, field: string): void {
  const fits = typeof value === 'number' && value >= minimum && value <= maximum;
  if (!fits || (whole && value < Infinity && !Number.isInteger(value))) refuse(field, value, hint, 'number');
}

function checkWord(words: readonly string[], value: unknown, field: string, guess: Guess): void {
  if ((words as readonly unknown[]).includes(value)) return;
  const nearest = typeof value === 'string' ? guess(value, words) : undefined;
  refuse(field, value, `one of ${words.join(', ')}${nearest ? ` (did you mean '${nearest}'?)` : ''}`, 'string');
}

function none(): undefined {
  return undefined;
}
