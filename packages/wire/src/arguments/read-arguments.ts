/**
 * Owns reading the arguments of a call as the model sent them: strict JSON first, then without what stands around it, then in the notations that have one meaning.
 * Does not own validation against the schema: the service does that and reports mismatches to the model.
 *
 * Invariants
 * 1. Truncated arguments are never repaired and never run.
 * 2. Valid arguments are returned unchanged; an object is returned as the same object.
 * 3. Several different values in one text, or of one name, are never reduced to one of them, and integers are never rounded.
 * 4. Every repair leaves one reading only. Repairs of the notation are made only for tools that declare `read` or `idempotent`, unless enabled explicitly.
 * 5. Never throws. Takes time linear in the length of the text.
 */
import { checkOptions, checkRule } from '@holdfast/core/internal/plain';
import type { JsonSchema } from '@holdfast/core';
import type { ArgumentReader, ArgumentRequest, ReadArguments } from '@holdfast/core/agent';
import { isList, isRecord } from '../json.ts';
import { coerce, fitsSchema } from '../schema/coerce.ts';
import { compileLenientSchema } from '../schema/compile-schema.ts';
import { shortJson } from '../schema/short-json.ts';
import { dangerousName, hasQuotedNames, unwrapQuotedNames } from './argument-names.ts';
import { reduceToOne } from './concatenated-values.ts';
import { hasOpenBracket } from './is-open.ts';
import { parseJson, type ParsedJson } from './parse-json.ts';
import { parseTolerant } from './parse-tolerant.ts';
import { removeFraming } from './remove-framing.ts';

/** How far the reader may go with arguments that are not valid JSON or do not fit the schema. */
export interface ArgumentReaderOptions {
  /**
   * For which tools text that is not JSON but has one reading may be run: `careful` for those that declare `read` or `idempotent`, `always`, `never`.
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
  checkRule('object', request, 'readArguments: request');
  try {
    if (request.truncated) return truncatedArguments;
    const guesses = allowsGuesses(request, options);
    const reading = readRaw(request, guesses, 0);
    if (reading.kind === 'cut-off') return truncatedArguments;
    return reading.kind === 'refused' ? unusable(reading.why) : finishReading(reading, request, guesses, options);
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

/** The one decision about guesses. A tool without a declared effect counts as `unsafe`. */
const allowsGuesses = ({ effect }: ArgumentRequest, { guesses = 'careful' }: ArgumentReaderOptions): boolean =>
  guesses === 'always' || (guesses === 'careful' && (effect === 'read' || effect === 'idempotent'));

const maxLevels = 2;

/** Reads arguments of any type. `level` counts how many layers of JSON in strings have been unwrapped. */
function readRaw(request: ArgumentRequest, guesses: boolean, level: number): Reading {
  const { raw, toolName } = request;
  if (raw === undefined || raw === null || (typeof raw === 'string' && raw.trim() === '')) return value({}, []);
  if (typeof raw !== 'string') return value(raw, []);
  const reading = readText(raw, toolName, guesses);
  if (reading.kind !== 'value') return reading;
  const inner = reading.parsed.value;
  if (inner === null) return value({}, [...reading.repairs, 'empty-to-object']);
  if (typeof inner !== 'string' || level >= maxLevels || !/[{[]/.test(inner)) return reading;
  const again = readRaw({ ...request, raw: inner }, guesses, level + 1);
  return again.kind === 'value' ? { ...again, repairs: [...reading.repairs, 'double-encoded', ...again.repairs] } : again;
}

const value = (given: unknown, repairs: readonly string[]): Reading => ({
  kind: 'value',
  parsed: { value: given, bigIntegers: false },
  repairs,
});

function readText(text: string, toolName: string, guesses: boolean): Reading {
  const strict = parseJson(text);
  if (strict) return { kind: 'value', parsed: strict, repairs: [] };
  const { text: clean, repairs } = removeFraming(text, toolName);
  const tolerant = parseTolerant(clean);
  if (tolerant.kind === 'cut-off') return tolerant;
  if (tolerant.kind === 'repeated-name') return { kind: 'refused', why: `they contain the name '${tolerant.name}' twice in one object` };
  if (tolerant.kind === 'invalid') return hasOpenBracket(clean) ? { kind: 'cut-off' } : notJson(text);
  const { values, tolerances } = tolerant;
  const one = reduceToOne(values);
  if (!one && values.length > 1) return { kind: 'refused', why: 'they contain several different values; make a separate call for each' };
  if (!one || (!guesses && tolerances.some((id) => guessIds.has(id)))) return notJson(text);
  return { kind: 'value', parsed: one.parsed, repairs: [...repairs, ...tolerances, ...one.repairs] };
}

const notJson = (text: string): Reading => ({
  kind: 'refused',
  why: `they are not a JSON object; they start with ${shortJson(text.slice(0, 70))}`,
});

/** What may be wrong although it is the only reading: never for tools whose wrong call does harm. */
const guessIds: ReadonlySet<string> = new Set(['json-syntax', 'quoted-names']);

/** Checks and repairs names, object form, numbers and types of a parsed value. */
function finishReading(
  { parsed, repairs }: Reading & { readonly kind: 'value' },
  request: ArgumentRequest,
  guesses: boolean,
  options: ArgumentReaderOptions,
): ReadArguments {
  const { schema } = request;
  const called = repairs.includes('special-tokens') ? namedCall(parsed.value, schema) : undefined;
  if (called && called.name !== request.toolName) return unusable(`they are a call of another tool, '${shortJson(called.name)}'`);
  const shaped = asObject(called ? called.arguments : parsed.value, schema, guesses);
  if (!shaped)
    return unusable(
      isRecord(parsed.value) ? 'their names are in quotes twice' : `expected one JSON object, got ${describeKind(parsed.value)}`,
    );
  const done = [...repairs, ...(called ? ['named-call'] : []), ...shaped.repairs];
  const { value: whole, coercions } =
    schema && options.coerce !== false ? coerce(shaped.value, schema) : { value: shaped.value, coercions: [] };
  if (done.some((id) => guessIds.has(id)) && schema && fitsSchema(whole, schema) === false)
    return unusable('they are not valid JSON, and the best guess at their meaning does not match the schema');
  // Checked last: a string that became an object may contain any name.
  const name = dangerousName(whole, schema);
  if (name !== undefined) return unusable(`they contain the property name '${name}', which is not allowed`);
  if (parsed.bigIntegers && !digitsFit(whole, schema))
    return unusable('they contain an integer that is too large to be represented exactly; send it as a string if the schema allows one');
  if (parsed.bigIntegers) done.push('big-integer-to-text');
  return { ok: true, value: whole, repairs: [...done, ...coercions.map(({ kind, path }) => `${kind} ${path.join('.')}`)] };
}

/** The tags of a chat template may enclose a call instead of its arguments: `<tool_call>{"name":"search","arguments":{}}</tool_call>`. */
function namedCall(given: unknown, schema: JsonSchema | undefined): { readonly name: string; readonly arguments: unknown } | undefined {
  if (!isRecord(given) || typeof given['name'] !== 'string') return undefined;
  if (isRecord(schema?.['properties']) && Object.hasOwn(schema['properties'], 'name')) return undefined;
  const fields = Object.keys(given).filter((field) => !callFields.has(field));
  return fields.length === 1 && (fields[0] === 'arguments' || fields[0] === 'parameters')
    ? { name: given['name'], arguments: given[fields[0]] }
    : undefined;
}

const callFields: ReadonlySet<string> = new Set(['name', 'id', 'type']);

interface ObjectForm {
  readonly value: unknown;
  readonly repairs: readonly string[];
}

function asObject(given: unknown, schema: JsonSchema | undefined, guesses: boolean): ObjectForm | undefined {
  if (isRecord(given)) {
    if (!schema || !hasQuotedNames(given, schema)) return { value: given, repairs: [] };
    const named = guesses ? unwrapQuotedNames(given) : undefined;
    return named && { value: named, repairs: ['quoted-names'] };
  }
  // PHP serializes an empty object as an empty list.
  return isList(given) && given.length === 0 ? { value: {}, repairs: ['empty-to-object'] } : undefined;
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
