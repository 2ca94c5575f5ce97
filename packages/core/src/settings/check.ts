/**
 * Owns checking settings given in code against a table of fields. Every refusal names the field, its value and the mend. Does not own the tables (`fields.ts`).
 *
 * Invariants
 * 1. A name that is in no table is refused, with the nearest one that is; so is a field of the wrong type (`TypeError`) or out of range (`RangeError`).
 * 2. `undefined` stands for "not given" everywhere, unless the field is said to be needed.
 */
import { suggest } from '../text/suggest.ts';

/** A number by what it measures, one of several words, an object of fields, or a check of its own. */
export type Rule = NumberKind | readonly string[] | Fields | ((value: unknown, field: string) => void);

export interface Fields {
  readonly [name: string]: Rule;
}

/** Smallest, largest, whether it must be whole where it is finite, and the mend. */
type NumberRule = readonly [minimum: number, maximum: number, whole: boolean, mend: string];

export type NumberKind =
  | 'delay'
  | 'longDelay'
  | 'period'
  | 'count'
  | 'countOrNoLimit'
  | 'wholeFromZero'
  | 'wholeFromZeroOrNoLimit'
  | 'factor'
  | 'percentage'
  | 'share'
  | 'shareOfCalls'
  | 'retries'
  | 'characters'
  | 'rateLimit';

const { MAX_VALUE, MIN_VALUE, POSITIVE_INFINITY } = Number;
const delay = 'a number of milliseconds, 0 or more';
const fromOne = 'a whole number, 1 or more';
const fromZero = 'a whole number, 0 or more';

const numbers: Readonly<Record<NumberKind, NumberRule>> = {
  delay: [0, MAX_VALUE, false, delay],
  longDelay: [0, POSITIVE_INFINITY, false, delay],
  period: [MIN_VALUE, POSITIVE_INFINITY, false, 'a number of milliseconds above 0'],
  count: [1, MAX_VALUE, true, fromOne],
  countOrNoLimit: [1, POSITIVE_INFINITY, true, fromOne],
  wholeFromZero: [0, MAX_VALUE, true, fromZero],
  wholeFromZeroOrNoLimit: [0, POSITIVE_INFINITY, true, fromZero],
  factor: [1, MAX_VALUE, false, 'a number, 1 or more'],
  percentage: [0, 100, false, 'a percentage from 0 to 100'],
  share: [MIN_VALUE, 1, false, 'a share above 0 and at most 1'],
  shareOfCalls: [0, MAX_VALUE, false, 'a share of the calls, 0 or more'],
  retries: [0, MAX_VALUE, false, 'a number of retries, 0 or more'],
  characters: [1, POSITIVE_INFINITY, false, 'a number of characters, 1 or more'],
  rateLimit: [1, 100_000, true, 'a whole number from 1 to 100000'],
};

/** Refuses a value. `type` is what `typeof` says of values that could fit. */
export function refuse(field: string, value: unknown, mend: string, type?: string): never {
  const Problem = type === undefined || typeof value === type ? RangeError : TypeError;
  throw new Problem(`${field} must be ${mend}, got ${show(value)}.`);
}

function show(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return String(value);
}

/** @throws TypeError | RangeError when the value does not fit the rule. */
export function checkRule(rule: Rule, value: unknown, field: string): void {
  if (typeof rule === 'string') checkNumber(numbers[rule], value, field);
  else if (typeof rule === 'function') rule(value, field);
  else if (isWords(rule)) checkWord(rule, value, field);
  else checkFields(rule, value, field);
}

/**
 * Checks the fields of an object.
 * @param needed fields that may not be left out
 * @throws TypeError | RangeError naming the field (with `where` in front), the value and the mend.
 */
export function checkFields(fields: Fields, value: unknown, where: string, needed: readonly string[] = []): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(where, value, 'an object', '');
  const given = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(fields, name)) {
      const nearest = suggest(name, Object.keys(fields));
      throw new TypeError(
        `${where} has no setting '${name}'.${nearest ? ` Did you mean '${nearest}'?` : ` Known: ${Object.keys(fields).join(', ')}.`}`,
      );
    }
  }
  for (const [name, rule] of Object.entries(fields)) {
    if (given[name] !== undefined || needed.includes(name)) checkRule(rule, given[name], `${where}.${name}`);
  }
}

/** A copy without the fields that are `undefined`. */
export function withoutUndefined<T extends object>(part: T): T {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as T;
}

function checkNumber([minimum, maximum, whole, mend]: NumberRule, value: unknown, field: string): void {
  const fits = typeof value === 'number' && value >= minimum && value <= maximum;
  if (!fits || (whole && value < POSITIVE_INFINITY && !Number.isInteger(value))) refuse(field, value, mend, 'number');
}

function checkWord(words: readonly string[], value: unknown, field: string): void {
  if ((words as readonly unknown[]).includes(value)) return;
  const nearest = typeof value === 'string' ? suggest(value, words) : undefined;
  refuse(field, value, `one of ${words.join(', ')}${nearest ? ` (did you mean '${nearest}'?)` : ''}`, 'string');
}

function isWords(rule: readonly string[] | Fields): rule is readonly string[] {
  return Array.isArray(rule);
}
