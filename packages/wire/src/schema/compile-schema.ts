/**
 * Owns `compileLenientSchema`: compiles a JSON Schema to a check whose issues contain the path, the expected and received value, and a suggestion.
 * No code is generated, so it runs where `eval` is forbidden.
 *
 * Invariants
 * 1. The given schema is neither modified nor retained: it may be frozen.
 * 2. Nothing is compiled before the first check.
 * 3. A check never throws for a value; a value that is no JSON is an issue. It throws for an unusable schema.
 * 4. The work of a check is bounded, whatever schema and value. What cannot be checked within it passes, and is reported to `onUnchecked`.
 */
import { dereference, type Schema as LibrarySchema } from '@cfworker/json-schema';
import type { JsonSchema } from '@holdfast/core';
import { checkOptions, checkRule } from '@holdfast/core/internal/plain';
import { schemaRule } from './schema-rule.ts';
import type { JsonObject } from '../json.ts';
import { cleanFor, type SchemaWarning } from './clean-schema.ts';
import { plainCheckOf, type PlainCheck } from './plain-check.ts';
import { issuesOf, type SchemaIssue } from './schema-issues.ts';
import { isExhausted, maxSteps } from './walk/budget.ts';
import { nativePatterns, type PatternEngine, type SchemaPattern } from './walk/patterns.ts';
import type { SchemaUnit, WalkedSchema } from './walk/walk.ts';
import { Walker } from './walk/walker.ts';

/** A compiled check of values against a JSON Schema. */
export interface JsonSchemaCheck {
  /** Checks a value. Returns its mismatches with the schema; an empty list if there are none. */
  (value: unknown): readonly SchemaIssue[];
  /** Parts of the schema that could not be read and are not checked. Compiles the schema. */
  readonly warnings: readonly SchemaWarning[];
}

/** How a schema is checked. */
export interface LenientSchemaOptions {
  /** Runs the schema's patterns. Default: JavaScript's engine, on strings that are short enough for it to end within a few milliseconds. */
  readonly patterns?: PatternEngine;
  /** Receives why a value, or a part of it, passed without a check: a pattern that could take long, or a schema that takes too many steps. */
  readonly onUnchecked?: (reasons: readonly string[]) => void;
}

/**
 * Compiles a JSON Schema (drafts 04 to 2020-12, or a provider's dialect of it) to a check. Pass it to a service as `jsonSchema`.
 * The schema is cleaned first: keywords of other dialects are translated; unreadable parts are not checked and are listed in `warnings`.
 *
 * The check throws a TypeError if the schema is unusable, such as one with a circular `$ref`. A service reports that as a warning and runs the tool.
 */
export function compileLenientSchema(schema: JsonSchema, options: LenientSchemaOptions = {}): JsonSchemaCheck {
  checkRule(schemaRule, schema, 'compileLenientSchema: schema');
  checkOptions({ patterns: 'function', onUnchecked: 'function' }, options, 'compileLenientSchema');
  let compiled: Compiled | undefined;
  const ready = (): Compiled => (compiled ??= compile(schema, options.patterns));
  const check = (value: unknown): readonly SchemaIssue[] => {
    const { walked, isPlain } = ready();
    if (isPlain?.(value)) return [];
    const { units, skipped } = mismatches(walked, value);
    if (skipped.length > 0) options.onUnchecked?.(skipped);
    return units.length === 0 ? [] : issuesOf(units, walked.root, value);
  };
  return Object.defineProperty(check, 'warnings', { get: () => ready().warnings }) as JsonSchemaCheck;
}

interface Compiled {
  readonly walked: WalkedSchema;
  readonly warnings: readonly SchemaWarning[];
  /** Recognizes values that match. */
  readonly isPlain: PlainCheck | undefined;
}

function compile(given: JsonSchema, patterns: PatternEngine | undefined): Compiled {
  const { schema, warnings } = cleanFor(given, false);
  try {
    const walked = walkable(schema as JsonObject | boolean, given, patterns);
    if ([{}, [], '', 0].every((value) => isCircular(walked, value))) throw new TypeError('a $ref leads back to itself');
    return { walked, warnings, isPlain: plainCheckOf(schema) };
  } catch (error) {
    throw new TypeError(`the schema does not compile: ${firstLine(error)}`);
  }
}

/** Makes a cleaned schema ready for a walker. */
export function walkable(root: JsonObject | boolean, given: JsonSchema, patterns: PatternEngine = nativePatterns): WalkedSchema {
  const known = new Map<string, SchemaPattern | undefined>();
  const compiled = (source: string): SchemaPattern | undefined => {
    if (!known.has(source)) known.set(source, patterns(source));
    return known.get(source);
  };
  const lookup = dereference(root as LibrarySchema) as Readonly<Record<string, unknown>>;
  const tracks = Object.values(lookup).some((part) => typeof part === 'object' && part !== null && hasUnevaluated(part));
  return { root, lookup, isOld: isOldDraft(given), tracks, patterns: compiled };
}

const hasUnevaluated = (part: object): boolean => 'unevaluatedProperties' in part || 'unevaluatedItems' in part;

/** Drafts 04 to 07. */
function isOldDraft(schema: JsonSchema): boolean {
  const dialect = schema['$schema'];
  return typeof dialect === 'string' && /draft-0[467]/.test(dialect);
}

const trialSteps = 2_000;

function isCircular(walked: WalkedSchema, value: unknown): boolean {
  const walker = new Walker(walked, { left: trialSteps });
  try {
    walker.start(value, walked.root);
  } catch (error) {
    if (!isExhausted(error)) throw error;
  }
  return walker.loops;
}

interface Mismatches {
  readonly units: readonly SchemaUnit[];
  readonly skipped: readonly string[];
}

function mismatches(walked: WalkedSchema, value: unknown): Mismatches {
  try {
    return walk(walked, value);
  } catch (error) {
    try {
      // A value that contains `undefined` or the like is checked as the JSON that it would become.
      return walk(walked, JSON.parse(JSON.stringify(value) ?? 'null'));
    } catch {
      return { units: [{ keyword: 'unchecked', keywordLocation: '#', instanceLocation: '#', error: firstLine(error) }], skipped: [] };
    }
  }
}

function walk(walked: WalkedSchema, value: unknown): Mismatches {
  const walker = new Walker(walked, { left: maxSteps });
  try {
    walker.start(value, walked.root);
    return { units: walker.units, skipped: [...walker.skipped] };
  } catch (error) {
    if (!isExhausted(error)) throw error;
    return { units: [], skipped: [...walker.skipped, firstLine(error)] };
  }
}

function firstLine(error: unknown): string {
  const message = typeof error === 'object' && error !== null ? (error as { readonly message?: unknown }).message : error;
  return String(message).split('\n')[0] ?? '';
}
