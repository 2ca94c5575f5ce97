/**
 * Owns reading the arguments of a call as the model sent them: strict JSON first, then lossless repairs, then guesses where a wrong guess does no harm.
 * Does not own validation against the schema: the service does that and reports mismatches to the model.
 *
 * Invariants
 * 1. Truncated arguments are never repaired and never run.
 * 2. Valid arguments are returned unchanged; an object is returned as the same object.
 * 3. Several different values in one text are never reduced to one of them, and numbers are never rounded.
 * 4. No guesses are made for tools with the effect `unsafe`, unless enabled explicitly.
 * 5. Never throws. Takes time linear in the length of the text.
 */
import { checkOptions } from '@holdfast/core/internal/plain';
import type { JsonSchema } from '@holdfast/core';
import type { ArgumentReader, ArgumentRequest, ReadArguments } from '@holdfast/core/agent';
import { isList, isRecord } from '../json.ts';
import { coerce, fitsSchema } from '../schema/coerce.ts';
import { compileLenientSchema } from '../schema/compile-schema.ts';
import { shortJson } from '../schema/short-json.ts';
import { hasLetterEscapes, losslessRepairs } from './lossless-repairs.ts';
import { readConcatenation } from './concatenated-json.ts';
import { dangerousName, onlyProperty, unwrapQuotedNames } from './argument-names.ts';
import { parseJson, type ParsedJson } from './parse-json.ts';
import { repairSyntax } from './repair-syntax.ts';

/** How far the reader may go with arguments that are not valid JSON or do not fit the schema. */
export interface ArgumentReaderOptions {
  /**
   * For which tools a guess at broken JSON may be run: `careful` for all but those with the effect `unsafe`, `always`, `never`.
   * @default 'careful'
   */
  readonly guesses?: 'careful' | 'always' | 'never';
  /** Fix values of the wrong type at places that do not fit the schema, such as `"5"` for 5. @default true */
  readonly coerce?: boolean;
}

/** The result of reading raw arguments, before names and types are checked. */
type Reading =
  | { readonly kind: 'value'; readonly parsed: ParsedJson; readonly repairs: readonly string[] }
  | { readonly kind: 'cut-off' }
  | { readonly kind: 'refused'; readonly why: string };

/** Reads with the default options: see `argumentReader`. */
export const readArguments: ArgumentReader = (request) => read(request, {});

/** Makes a reader for `readArguments` of an agent run. @throws TypeError | RangeError for an invalid option */
export function argumentReader(options: ArgumentReaderOptions = {}): ArgumentReader {
  checkOptions({ guesses: ['careful', 'always', 'never'], coerce: 'boolean' }, options, 'argumentReader');
  return (request) => read(request, options);
}

function read(request: ArgumentRequest, options: ArgumentReaderOptions): ReadArguments {
  try {
    if (request.truncated) return truncatedArguments;
    const reading = readRaw(request, allowsGuesses(request, options), 0);
    if (reading.kind === 'cut-off') return truncatedArguments;
    return reading.kind === 'refused' ? unusable(reading.why) : finishReading(reading.parsed, reading.repairs, request, options);
  } catch {
    return unusable('an internal error occurred while reading them');
  }
}

const truncatedArguments: ReadArguments = {
  ok: false,
  message: 'The arguments were cut off. The tool was not run.',
  truncated: true,
};

const unusable = (why: string): ReadArguments => ({ ok: false, message: `The arguments cannot be used: ${why}. The tool was not run.` });

const allowsGuesses = ({ effect }: ArgumentRequest, { guesses = 'careful' }: ArgumentReaderOptions): boolean =>
  guesses === 'always' || (guesses === 'careful' && effect !== 'unsafe');

const maxLevels = 2;

/** Reads arguments of any type. `level` counts how many layers of JSON in strings have been unwrapped. */
function readRaw(request: ArgumentRequest, guesses: boolean, level: number): Reading {
  const { raw } = request;
  if (raw === undefined || raw === null || (typeof raw === 'string' && raw.trim() === ''))
    return value({ value: {}, bigIntegers: false }, []);
  if (typeof raw !== 'string') return value({ value: raw, bigIntegers: false }, []);
  const reading = readText(raw, request.toolName, guesses);
  if (reading.kind !== 'value') return reading;
  const inner = reading.parsed.value;
  if (inner === null) return value({ value: {}, bigIntegers: false }, [...reading.repairs, 'empty-to-object']);
  if (typeof inner !== 'string' || level >= maxLevels || !/[{[]/.test(inner)) return reading;
  const again = readRaw({ ...request, raw: inner }, guesses, level + 1);
  if (again.kind === 'cut-off') return again;
  const fits = again.kind === 'value' && isRecord(again.parsed.value);
  return fits ? value(again.parsed, [...reading.repairs, 'double-encoded', ...again.repairs]) : reading;
}

const value = (parsed: ParsedJson, repairs: readonly string[]): Reading => ({ kind: 'value', parsed, repairs });

const blanksAround = /^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/g;

function readText(text: string, toolName: string, guesses: boolean): Reading {
  const strict = parseJson(text);
  if (strict) return value(strict, []);
  let clean = text;
  const done: string[] = [];
  for (const { id, apply } of losslessRepairs) {
    const repaired = apply(clean, toolName);
    if (repaired === clean) continue;
    const parsed = parseJson(repaired);
    // Doubling backslashes would be wrong in single-quoted texts, so it is kept only if it is the last repair needed.
    if (!parsed && id === 'invalid-escapes') break;
    // Surrounding whitespace is valid JSON and not reported as a repair.
    if (repaired !== clean.replace(blanksAround, '')) done.push(id === 'invalid-escapes' && hasLetterEscapes(clean) ? 'mixed-escapes' : id);
    clean = repaired;
    if (parsed && (guesses || !done.includes('mixed-escapes'))) return value(parsed, done);
  }
  const concatenation = readConcatenation(clean);
  if (concatenation?.kind === 'several')
    return { kind: 'refused', why: 'they contain several different objects; make a separate call for each' };
  if (concatenation) return value(concatenation.parsed, [...done, concatenation.id]);
  return readGuess(clean, done, guesses);
}

function readGuess(text: string, done: readonly string[], guesses: boolean): Reading {
  const repair = repairSyntax(text);
  if (repair.kind === 'cut-off') return repair;
  if (repair.kind === 'repaired' && guesses) return value(repair.parsed, [...done, repair.id]);
  return { kind: 'refused', why: `they are not a JSON object; they start with ${shortJson(text.slice(0, 70))}` };
}

/** Checks and repairs names, object form, numbers and types of a parsed value. */
function finishReading(
  parsed: ParsedJson,
  repairs: readonly string[],
  request: ArgumentRequest,
  options: ArgumentReaderOptions,
): ReadArguments {
  const shaped = asObject(parsed.value, request, options);
  if (!shaped) return unusable(`expected one JSON object, got ${describeKind(parsed.value)}`);
  const named = unwrapQuotedNames(shaped.value as Readonly<Record<string, unknown>>);
  const usesNamed = named !== undefined && fitsNames(named, shaped.value, request.schema);
  const whole = usesNamed ? named : shaped.value;
  const done = [...repairs, ...shaped.repairs, ...(usesNamed ? ['quoted-names'] : [])];
  if (done.some((id) => guessIds.has(id)) && request.schema && fitsAfterCoercion(whole, request.schema, options) === false)
    return unusable('they are not valid JSON, and the best guess at their meaning does not match the schema');
  const name = dangerousName(whole, request.schema);
  if (name !== undefined) return unusable(`they contain the property name '${name}', which is not allowed`);
  if (parsed.bigIntegers && !digitsFit(whole, request.schema))
    return unusable('they contain an integer that is too large to be represented exactly; send it as a string if the schema allows one');
  const exact = parsed.bigIntegers ? [...done, 'big-integer-to-text'] : done;
  const { value: repaired, coercions } =
    request.schema && options.coerce !== false ? coerce(whole, request.schema) : { value: whole, coercions: [] };
  return { ok: true, value: repaired, repairs: [...exact, ...coercions.map(({ kind, path }) => `${kind} ${path.join('.')}`)] };
}

const guessIds: ReadonlySet<string> = new Set(['json-syntax', 'surrounding-text', 'only-parameter', 'mixed-escapes']);

const fitsAfterCoercion = (whole: unknown, schema: JsonSchema, options: ArgumentReaderOptions): boolean | undefined =>
  fitsSchema(options.coerce === false ? whole : coerce(whole, schema).value, schema);

interface ObjectForm {
  readonly value: unknown;
  readonly repairs: readonly string[];
}

function asObject(given: unknown, request: ArgumentRequest, options: ArgumentReaderOptions): ObjectForm | undefined {
  if (isRecord(given)) return { value: given, repairs: [] };
  // PHP serializes an empty object as an empty list.
  if (isList(given) && given.length === 0) return { value: {}, repairs: ['empty-to-object'] };
  const only = onlyProperty(request.schema);
  if (only === undefined || !request.schema || !allowsGuesses(request, options)) return undefined;
  const wrapped = { [only]: given };
  return fitsSchema(wrapped, request.schema) === true ? { value: wrapped, repairs: ['only-parameter'] } : undefined;
}

function fitsNames(named: object, given: unknown, schema: JsonSchema | undefined): boolean {
  const properties = schema?.['properties'];
  if (!isRecord(properties)) return schema === undefined;
  const own = Object.keys(isRecord(given) ? given : {});
  return Object.keys(named).every((name) => Object.hasOwn(properties, name)) && !own.some((name) => Object.hasOwn(properties, name));
}

/** Whether the schema allows strings in place of the quoted integers. */
function digitsFit(whole: unknown, schema: JsonSchema | undefined): boolean {
  if (!schema) return false;
  try {
    return compileLenientSchema(schema)(whole).every((issue) => !/^"-?\d/.test(issue.received ?? ''));
  } catch {
    return false;
  }
}

const describeKind = (given: unknown): string =>
  given === null ? 'null' : isList(given) ? 'a list' : typeof given === 'string' ? 'a string' : `a ${typeof given}`;
