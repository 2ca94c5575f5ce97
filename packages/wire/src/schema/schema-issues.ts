/** Owns converting the validator's output units to issues a model or a person can act on. */
import type { OutputUnit } from '@cfworker/json-schema';
import type { ValidationIssue } from '@holdfast/core';
import { isList, isRecord, type JsonObject } from '../json.ts';
import { pointerSteps, suggest } from '@holdfast/core/internal/plain';
import { issuePath } from './clean-schema.ts';
import { shortJson } from './short-json.ts';

/** A mismatch between a value and a JSON Schema. */
export interface SchemaIssue extends ValidationIssue {
  /** The keyword of the schema that is violated. */
  readonly keyword: string;
  /** The expected value in words, such as `a whole number` or `one of "celsius", "fahrenheit"`. */
  readonly expected: string;
  /** The received value, as short JSON text; absent if there is none. */
  readonly received?: string;
  /** The value that was probably meant. */
  readonly suggestion?: string;
}

type Pointer = readonly string[];

/** Further mismatches add no information, and processing them takes quadratic time. */
const maxUnits = 250;

/** One issue for each mismatch; for a union, only those of the closest branch. */
export function issuesOf(units: readonly OutputUnit[], schema: unknown, value: unknown): readonly SchemaIssue[] {
  const leaves = nearestBranches(units.slice(0, maxUnits)).filter((unit, _, all) => unit.keyword !== 'false' && !wraps(unit, all));
  // The last unit of a truncated list may be a parent whose details were cut off.
  const reported = units.length > maxUnits && leaves.length > 1 ? leaves.slice(0, -1) : leaves;
  return reported.map((unit) => issueOf(unit, schema, value));
}

const unions: ReadonlySet<string> = new Set(['anyOf', 'oneOf']);
const inside = (unit: OutputUnit, location: string): boolean => unit.keywordLocation.startsWith(`${location}/`);
/** What a condition leads to is beside it. */
const branchesAt = ({ keyword, keywordLocation: at }: OutputUnit): readonly string[] =>
  keyword === 'if' ? [`${at.slice(0, -2)}then`, `${at.slice(0, -2)}else`] : [at];
const wraps = (unit: OutputUnit, all: readonly OutputUnit[]): boolean =>
  !unions.has(unit.keyword) && all.some((other) => other.keyword !== 'false' && branchesAt(unit).some((at) => inside(other, at)));

/** A union is one issue, unless only one branch matches the type of the value: then the issues of that branch are used. */
function nearestBranches(units: readonly OutputUnit[]): readonly OutputUnit[] {
  let kept = units;
  for (const union of units.filter((unit) => unions.has(unit.keyword))) {
    if (!kept.includes(union)) continue;
    const within = kept.filter((unit) => inside(unit, union.keywordLocation));
    const branches = byBranch(within, union);
    const near = branches.filter((branch) => !branch.some((unit) => isKindMismatch(unit, union)));
    const best = near.length === 1 ? near[0] : undefined;
    kept = kept.filter((unit) => (unit === union ? best === undefined : !within.includes(unit) || best?.includes(unit)));
  }
  return kept;
}

function byBranch(within: readonly OutputUnit[], union: OutputUnit): readonly (readonly OutputUnit[])[] {
  const branches = new Map<string, OutputUnit[]>();
  for (const unit of within) {
    const [branch = ''] = unit.keywordLocation.slice(union.keywordLocation.length + 1).split('/');
    branches.set(branch, [...(branches.get(branch) ?? []), unit]);
  }
  return [...branches.values()];
}

const isKindMismatch = (unit: OutputUnit, union: OutputUnit): boolean =>
  unit.instanceLocation === union.instanceLocation && (unit.keyword === 'type' || unit.keyword === 'const' || unit.keyword === 'enum');

function issueOf(unit: OutputUnit, schema: unknown, value: unknown): SchemaIssue {
  const at = pointerSteps(unit.instanceLocation);
  if (unit.keyword === 'unchecked')
    return { path: [], keyword: unit.keyword, expected: 'a JSON value', message: `could not be checked: ${unit.error}` };
  if (unit.keyword === 'required') {
    return {
      path: issuePath([...at, quotedIn(unit.error)]),
      keyword: unit.keyword,
      expected: 'a value',
      missing: true,
      message: 'is required',
    };
  }
  if (isUnknownProperty(unit)) return unknownName(unit, issuePath([...at, quotedIn(unit.error)]), schema);
  const operand = valueOf(schema, pointerSteps(unit.keywordLocation));
  const given = valueOf(value, at, false);
  const allowed = allowedValues(unit.keyword, operand);
  const suggestion =
    typeof given === 'string' && allowed ? suggest(given, allowed.filter((one) => typeof one !== 'object').map(String)) : undefined;
  const expected = unions.has(unit.keyword) ? alternatives(operand, schema) : expectation(unit, operand);
  const received = shortJson(given);
  return {
    path: issuePath(at),
    keyword: unit.keyword,
    expected,
    received,
    ...(allowed ? { allowed } : {}),
    ...(suggestion === undefined ? {} : { suggestion }),
    message: `must be ${expected}, got ${received}`,
  };
}

const isUnknownProperty = (unit: OutputUnit): boolean =>
  /^(additional|unevaluated)Properties$/.test(unit.keyword) || unit.keyword === 'properties';
const quotedIn = (error: string): string =>
  /"([\s\S]*)" does not match|property "([\s\S]*)"/
    .exec(error)
    ?.slice(1)
    .find((name) => name !== undefined) ?? '';

function unknownName(unit: OutputUnit, path: readonly (string | number)[], schema: unknown): SchemaIssue {
  const owner = valueOf(schema, pointerSteps(unit.keywordLocation).slice(0, -1));
  const known = isRecord(owner) && isRecord(owner['properties']) ? Object.keys(owner['properties']) : [];
  const suggestion = suggest(String(path.at(-1)), known);
  const hint = suggestion === undefined ? ` (known: ${known.join(', ') || 'none'})` : ` (did you mean '${suggestion}'?)`;
  return {
    path,
    keyword: unit.keyword,
    expected: known.length === 0 ? 'nothing here' : `one of the names ${known.join(', ')}`,
    ...(suggestion === undefined ? {} : { suggestion }),
    message: `is not known here${hint}`,
  };
}

function allowedValues(keyword: string, operand: unknown): readonly unknown[] | undefined {
  if (keyword === 'enum' && Array.isArray(operand)) return operand;
  return keyword === 'const' ? [operand] : undefined;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

const typeName = (type: unknown): string => typeNames[String(type)] ?? String(type);

function expectation({ keyword, error }: OutputUnit, operand: unknown): string {
  switch (keyword) {
    case 'type':
      return Array.isArray(operand) ? operand.map(typeName).join(' or ') : typeName(operand);
    case 'enum':
      return oneOf(operand);
    case 'const':
      return shortJson(operand);
    case 'minimum':
      return `${shortJson(operand)} or more`;
    case 'maximum':
      return `${shortJson(operand)} or less`;
    case 'exclusiveMinimum':
      return `above ${shortJson(operand)}`;
    case 'exclusiveMaximum':
      return `below ${shortJson(operand)}`;
    case 'multipleOf':
      return `a multiple of ${shortJson(operand)}`;
    case 'minLength':
      return `at least ${shortJson(operand)} characters long`;
    case 'maxLength':
      return `at most ${shortJson(operand)} characters long`;
    case 'minItems':
      return `a list of at least ${shortJson(operand)}`;
    case 'maxItems':
      return `a list of at most ${shortJson(operand)}`;
    case 'uniqueItems':
      return 'a list without repetitions';
    case 'pattern':
      return `a string that matches /${String(operand)}/`;
    case 'format':
      return `a string of the format ${String(operand)}`;
    default:
      return `valid by the schema (${keyword}: ${error.replace(/\.$/, '')})`;
  }
}

const oneOf = (values: unknown): string => `one of ${shortJson(values).slice(1, -1)}`;

const maxAlternatives = 6;

/** The branches of a union, in words. */
function alternatives(operand: unknown, schema: unknown): string {
  const words = Array.isArray(operand) ? operand.map((_branch, index) => alternative(valueAt(operand, index, schema))) : [undefined];
  if (words.includes(undefined)) return 'a value one of the alternatives allows';
  const different = [...new Set(words)];
  const more = different.length > maxAlternatives ? ` or one of ${different.length - maxAlternatives} others` : '';
  return different.slice(0, maxAlternatives).join(' or ') + more;
}

/** A branch, or what it refers to in the schema. */
function valueAt(branches: readonly unknown[], index: number, schema: unknown): unknown {
  const branch = branches[index];
  const target = isRecord(branch) ? branch['$ref'] : undefined;
  return typeof target === 'string' && target.startsWith('#') ? valueOf(schema, pointerSteps(target), false) : branch;
}

function alternative(branch: unknown): string | undefined {
  if (!isRecord(branch)) return undefined;
  if (branch['const'] !== undefined) return shortJson(branch['const']);
  if (isList(branch['enum'])) return oneOf(branch['enum']);
  if (branch['type'] === 'object' || isRecord(branch['properties'])) return objectInWords(branch);
  return typeof branch['type'] === 'string' ? typeName(branch['type']) : undefined;
}

/** An object by the names that tell it from others: `an object with kind "card", number`. */
function objectInWords({ properties, required }: JsonObject): string {
  const known = isRecord(properties) ? properties : {};
  const names = isList(required) && required.length > 0 ? required.map(String) : Object.keys(known);
  const words = names.slice(0, maxAlternatives).map((name) => {
    const property = Object.hasOwn(known, name) ? known[name] : undefined;
    return isRecord(property) && property['const'] !== undefined ? `${name} ${shortJson(property['const'])}` : name;
  });
  return words.length === 0 ? typeName('object') : `an object with ${words.join(', ')}`;
}

/** The value at a pointer, following a `$ref` within the schema. */
function valueOf(root: unknown, steps: Pointer, references = true): unknown {
  let value = root;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return undefined;
    const next = Object.hasOwn(value, step) ? (value as Readonly<Record<string, unknown>>)[step] : undefined;
    const target = references && step === '$ref' && typeof next === 'string' && next.startsWith('#') ? next : undefined;
    value = target === undefined ? next : valueOf(root, pointerSteps(target), false);
  }
  return value;
}
