/** Owns the keywords that look at a value itself: its type, its allowed values, numbers and strings. */
import { format as formats } from '@cfworker/json-schema';
import type { JsonObject } from '../../json.ts';
import { type Budget, spend, stepsFor } from './budget.ts';
import { canonicalKey } from './canonical.ts';
import type { Frame, Walk } from './walk.ts';

export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const hasType = (value: unknown, kind: string, type: unknown): boolean =>
  kind === type || (type === 'integer' && kind === 'number' && Number(value) % 1 === 0);

export function checkType(walker: Walk, value: unknown, kind: string, schema: JsonObject, frame: Frame): boolean {
  const { type } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (type === undefined || types.some((each) => hasType(value, kind, each))) return true;
  return walker.fail('type', frame, `Instance type "${kind}" is invalid. Expected "${types.join('", "')}".`);
}

const isCompound = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The objects and lists of an enumeration, by their canonical form. */
const compoundKeys = new WeakMap<readonly unknown[], ReadonlySet<string>>();

function isOneOf(value: unknown, allowed: readonly unknown[], budget: Budget): boolean {
  spend(budget, 1 + (allowed.length >>> 4));
  if (!isCompound(value)) return allowed.includes(value);
  let keys = compoundKeys.get(allowed);
  if (!keys) compoundKeys.set(allowed, (keys = new Set(allowed.filter(isCompound).map((each) => canonicalKey(each, budget)))));
  return keys.size > 0 && keys.has(canonicalKey(value, budget));
}

export function checkAllowed(walker: Walk, value: unknown, schema: JsonObject, frame: Frame): boolean {
  const { const: only, enum: several } = schema;
  let isValid = true;
  if (only !== undefined && !isOneOf(value, [only], walker.budget))
    isValid = walker.fail('const', frame, 'Instance does not match the value.');
  if (Array.isArray(several) && !isOneOf(value, several, walker.budget))
    isValid = walker.fail('enum', frame, 'Instance does not match any of the values.');
  return isValid;
}

export function checkNumber(walker: Walk, value: number, schema: JsonObject, frame: Frame): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Readonly<Record<string, number | undefined>>;
  let isValid = true;
  if (minimum !== undefined && value < minimum) isValid = walker.fail('minimum', frame, `${value} is less than ${minimum}.`);
  if (maximum !== undefined && value > maximum) isValid = walker.fail('maximum', frame, `${value} is greater than ${maximum}.`);
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    isValid = walker.fail('exclusiveMinimum', frame, `${value} is less than ${exclusiveMinimum}.`);
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    isValid = walker.fail('exclusiveMaximum', frame, `${value} is greater than or equal to ${exclusiveMaximum}.`);
  if (multipleOf !== undefined) {
    spend(walker.budget, 10);
    if (!isMultiple(value, multipleOf)) isValid = walker.fail('multipleOf', frame, `${value} is not a multiple of ${multipleOf}.`);
  }
  return isValid;
}

/** Exact for decimal numbers: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, divisor: number): boolean {
  if (!Number.isFinite(value) || !(divisor > 0)) return false;
  const [dividend, exponent] = decimal(value);
  const [unit, unitExponent] = decimal(divisor);
  const shift = exponent - unitExponent;
  return shift >= 0 ? (dividend * 10n ** BigInt(shift)) % unit === 0n : dividend % (unit * 10n ** BigInt(-shift)) === 0n;
}

function decimal(value: number): readonly [bigint, number] {
  const [digits = '0', exponent = '0'] = String(Math.abs(value)).split('e');
  const [whole = '0', fraction = ''] = digits.split('.');
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}

export function checkString(walker: Walk, value: string, schema: JsonObject, frame: Frame): boolean {
  const { minLength, maxLength, pattern, format } = schema as Readonly<Record<string, unknown>>;
  let isValid = true;
  if (typeof minLength === 'number' && !isAtLeast(walker, value, minLength))
    isValid = walker.fail('minLength', frame, `String is shorter than ${minLength}.`);
  if (typeof maxLength === 'number' && isAtLeast(walker, value, maxLength + 1))
    isValid = walker.fail('maxLength', frame, `String is longer than ${maxLength}.`);
  if (typeof pattern === 'string' && walker.matches(pattern, value) === false)
    isValid = walker.fail('pattern', frame, 'String does not match pattern.');
  if (typeof format === 'string' && hasFormat(walker, value, format) === false)
    isValid = walker.fail('format', frame, `String does not match format "${format}".`);
  return isValid;
}

/** Whether a string has so many characters. Only strings near the limit are counted: a character is one or two units of UTF-16. */
function isAtLeast(walker: Walk, value: string, limit: number): boolean {
  if (value.length < limit || value.length >= 2 * limit) return value.length >= limit;
  spend(walker.budget, stepsFor(value));
  let length = 0;
  for (const _ of value) length += 1;
  return length >= limit;
}

/** Longer strings are not checked by a format: the time of some expressions grows faster than the length. */
const maxFormatLength = 2_000;

function hasFormat(walker: Walk, value: string, name: string): boolean | undefined {
  const test = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (!test) return undefined;
  if (value.length > maxFormatLength) return walker.skip(`a string of ${value.length} characters is too long for format '${name}'`);
  spend(walker.budget, 10 + value.length);
  // The library's own expression for this one takes exponential time.
  return name === 'url' ? /^(?:https?|ftp):\/\/[^\s/?#]+\S*$/i.test(value) : test(value);
}
