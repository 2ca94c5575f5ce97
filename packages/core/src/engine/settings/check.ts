/**
 * Owns checking settings given in code against a table of fields. Every error names the field, its value and the fix. Does not own the tables (`fields.ts`).
 *
 * Invariants
 * 1. A name that is in no table is refused; so is a field of the wrong type (`TypeError`) or out of range (`RangeError`).
 * 2. `undefined` means "not given" everywhere, unless the field is required.
 */
import { isRecord } from '../plain/is-object.ts';

/** A `typeof` result (an array is not an object), a number within limits, one of several words, an object of fields, or a custom check. */
export type Rule =
  | 'function'
  | 'string'
  | 'number'
  | 'boolean'
  | 'object'
  | NumberRule
  | readonly string[]
  | Fields
  | ((value: unknown, field: string, guess: Guess) => void);

/** What a misspelt word probably means (`suggest`), if known. */
export type Guess = (word: string, known: readonly string[]) => string | undefined;

/** The fields that an object may have. */
export interface Fields {
  /** The rule of a field's value, by the name of the field. */
  readonly [name: string]: Rule;
}

/** The fix, the minimum, the maximum, and whether a finite value must be an integer. */
export type NumberRule = readonly [hint: string, minimum: number, maximum: number, whole?: boolean];

/** Refuses a value. `type` is the `typeof` of valid values; with any other word the error is always a `TypeError`. */
export function refuse(field: string, value: unknown, hint: string, type?: string): never {
  const Problem = type === undefined || typeof value === type ? RangeError : TypeError;
  throw new Problem(`${field} must be ${hint}, got ${show(value)}.`);
}

const maxShownLength = 80;

/** The value in a message; long texts are cut. */
export function show(value: unknown): string {
  if (typeof value === 'string') return `'${value.length > maxShownLength ? `${value.slice(0, maxShownLength)}…` : value}'`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof (value as { readonly then?: unknown }).then === 'function') return 'a promise';
  return 'aborted' in value ? 'an AbortSignal' : isPlain(value) ? 'an object' : 'a collection';
}

/**
 * Checks one value.
 * @param field its path, which the error names
 * @param guess for suggestions about misspelt words; by default there are none
 * @throws TypeError | RangeError when the value does not fit the rule.
 */
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
  checkNames(fields, value, where, guess);
  checkValues(fields, value, where, guess, needed);
}

/**
 * Checks that a value has all of these fields; it may have others. For what Holdfast itself has made.
 * @throws TypeError | RangeError naming the field (with `where` in front), the value and the fix.
 */
export function checkShape(fields: Fields, value: unknown, where: string): void {
  checkObject(fields, value, where);
  checkValues(fields, value, where, none, Object.keys(fields));
}

function checkValues(fields: Fields, value: unknown, where: string, guess: Guess, needed: readonly string[]): void {
  for (const name in fields) {
    const item = (value as Readonly<Record<string, unknown>>)[name];
    if (item !== undefined || needed.includes(name)) checkRule(fields[name] as Rule, item, `${where}.${name}`, guess);
  }
}

/**
 * Checks that a value is an object without unknown fields. Does not read their values.
 * @throws TypeError naming the field (with `where` in front) and the nearest known one.
 */
export function checkNames(fields: object, value: unknown, where: string, guess: Guess = none): void {
  checkObject(fields, value, where);
  for (const name in value) {
    if (Object.hasOwn(fields, name) || !Object.hasOwn(value, name)) continue;
    const known = Object.keys(fields);
    const nearest = nearestIn(fields, name, guess);
    throw new TypeError(`${where} has no setting '${name}'. ${nearest ? `Did you mean '${nearest}'?` : `Known: ${known.join(', ')}.`}`);
  }
}

function checkObject(fields: object, value: unknown, where: string): asserts value is Readonly<Record<string, unknown>> {
  // A signal in place of { signal } would never be listened to.
  if (!isPlain(value) || 'aborted' in value)
    throw new TypeError(`${where} must be an object, got ${show(value)}. Known settings: ${Object.keys(fields).join(', ')}.`);
}

/** The path of the field that a name probably means: here, otherwise within a field. */
function nearestIn(fields: object, name: string, guess: Guess): string | undefined {
  const nearest = Object.hasOwn(fields, name) ? name : guess(name, Object.keys(fields));
  if (nearest !== undefined) return nearest;
  for (const [field, rule] of Object.entries(fields)) {
    const inner = (rule as OrFalse | undefined)?.fields ?? rule;
    const within = isRecord(inner) && !Array.isArray(inner) ? nearestIn(inner, name, guess) : undefined;
    if (within !== undefined) return `${field}.${within}`;
  }
  return undefined;
}

type OrFalse = ((value: unknown, field: string, guess: Guess) => void) & { readonly fields: Fields };

/** The rule of an object of fields, or `false`. */
export function orFalse(fields: Fields): Rule {
  const rule = (value: unknown, field: string, guess: Guess): void => void (value !== false && checkFields(fields, value, field, guess));
  return Object.assign(rule, { fields });
}

/** An object with fields: no array, no `Map`, no promise of one. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !(Symbol.iterator in value) && typeof value['then'] !== 'function';
}

/** The rule of an object of which the methods are called. */
export function withMethods(...names: readonly string[]): Rule {
  return (value, field) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(field, value, `an object with ${names.join(', ')}`, '');
    for (const name of names) checkType('function', (value as Readonly<Record<string, unknown>>)[name], `${field}.${name}`);
  };
}

/** The rule of a list: an array whose entries each follow `rule`. */
export function listOf(rule: Rule, hint: string): Rule {
  return (value, field, guess) => {
    if (!Array.isArray(value)) refuse(field, value, hint, '');
    for (const [index, item] of (value as readonly unknown[]).entries())
      if (typeof rule !== 'string' || !isOfType(rule, item)) checkRule(rule, item, `${field}[${index}]`, guess);
  };
}

/** The rule of an array, whatever is in it. */
export const arrayRule: Rule = (value, field) => void (Array.isArray(value) || refuse(field, value, 'an array', ''));

/** The rule of an array or another iterable object. */
export const iterableRule: Rule = (value, field) =>
  void (
    (typeof value === 'object' && value !== null && Symbol.iterator in value) ||
    refuse(field, value, 'an array or another iterable', '')
  );

/** The rule of an object with names of the caller's choice, whose values each follow `rule`. */
export function mapOf(rule: Rule, hint: string): Rule {
  return (value, field, guess) => {
    if (!isPlain(value)) return refuse(field, value, hint, '');
    for (const [name, item] of Object.entries(value)) if (item !== undefined) checkRule(rule, item, `${field}['${name}']`, guess);
  };
}

const isOfType = (type: string, value: unknown): boolean => (type === 'object' ? isPlain(value) : typeof value === type);

function checkType(type: string, value: unknown, field: string): void {
  if (!isOfType(type, value)) refuse(field, value, type === 'boolean' ? 'true or false' : `of type ${type}`, '');
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
