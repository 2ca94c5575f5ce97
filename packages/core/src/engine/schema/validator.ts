/**
 * Owns checking a value against a schema of any kind, and describing issues so that a model can act on them.
 *
 * Invariant: a validator never throws; a schema that throws is reported as a fault of the schema and blocks nothing.
 */
import { describeError } from '../classify/describe-error.ts';
import { suggest } from '../plain/suggest.ts';
import { checkBasics } from './basic-json-schema.ts';
import type { ValidationIssue } from './issue.ts';
import type { JsonSchema, Schema, StandardIssue } from './standard-schema.ts';
import { isStandardSchema } from './standard-schema.ts';

/** The outcome of a validation: the value after defaults and transforms, or issues. */
export type Validation =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly ValidationIssue[] }
  /** The schema itself threw; the value was not checked. */
  | { readonly ok: 'unchecked'; readonly error: unknown };

/** Checks a value. It never throws. */
export type Validator = (value: unknown) => Validation | Promise<Validation>;

/** Compiles a JSON Schema to a validator, such as `compileJsonSchema` of `@holdfast/manifest`. May throw for a schema that does not compile. */
export type JsonSchemaCompiler = (schema: JsonSchema) => (value: unknown) => readonly ValidationIssue[];

/** Returns the check for a schema of any kind. @param compile compiles a JSON Schema; without it, only the basics are checked */
export function createValidator(schema: Schema, compile: JsonSchemaCompiler | undefined): Validator {
  if (isStandardSchema(schema)) {
    return (value) => {
      try {
        const result = schema['~standard'].validate(value);
        return 'then' in result
          ? result.then((settled) => fromStandard(settled, value)).then(undefined, skipCheck)
          : fromStandard(result, value);
      } catch (error) {
        return skipCheck(error);
      }
    };
  }
  let check: ((value: unknown) => readonly ValidationIssue[]) | undefined;
  return (value) => {
    try {
      check ??= compile ? compile(schema) : (candidate) => checkBasics(schema, candidate);
      const issues = check(value);
      if (isThenable(issues)) return consume(issues);
      return issues.length === 0 ? { ok: true, value } : { ok: false, issues };
    } catch (error) {
      return skipCheck(error);
    }
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value;
}

/** A JSON Schema is checked synchronously; a late rejection is ignored. */
function consume(answer: PromiseLike<unknown>): Validation {
  Promise.resolve(answer).catch(() => undefined);
  return skipCheck(new TypeError('the JSON Schema compiler returned an asynchronous check; make it synchronous'));
}

/** Further issues are ignored: they would not help a model. */
const MAX_ISSUES = 50;
/** Maximum number of issues in a message. */
const MAX_DESCRIBED = 5;

function skipCheck(error: unknown): Validation {
  return { ok: 'unchecked', error };
}

function fromStandard(
  result: { readonly value?: unknown; readonly issues?: readonly StandardIssue[] | undefined },
  value: unknown,
): Validation {
  if (!result.issues) return { ok: true, value: result.value };
  return {
    ok: false,
    issues: issuesOfStandard(result.issues, value),
  };
}

/** The issues of a Standard Schema, with what is missing in the value. */
export function issuesOfStandard(issues: readonly StandardIssue[], value: unknown): readonly ValidationIssue[] {
  return firstOf(issues).map((issue) => toIssue(issue, value));
}

function firstOf(issues: readonly StandardIssue[]): readonly StandardIssue[] {
  const first: StandardIssue[] = [];
  for (const issue of issues) if (first.push(issue) === MAX_ISSUES) break;
  return first;
}

function toIssue(issue: StandardIssue, value: unknown): ValidationIssue {
  const path = (issue.path ?? []).map((part) => {
    const key = typeof part === 'object' ? part.key : part;
    return typeof key === 'number' ? key : String(key);
  });
  const missing = path.length > 0 && isMissing(value, path);
  const { values, options } = issue as { readonly values?: unknown; readonly options?: unknown };
  const allowed = Array.isArray(values) ? values : Array.isArray(options) ? options : undefined;
  return { path, message: String(issue.message), ...(missing ? { missing } : {}), ...(allowed ? { allowed } : {}) };
}

function isMissing(value: unknown, path: readonly (string | number)[]): boolean {
  const parent = valueAt(value, path.slice(0, -1));
  return typeof parent === 'object' && parent !== null && valueAt(value, path) === undefined;
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (part, key) => (typeof part === 'object' && part !== null ? (part as Record<string | number, unknown>)[key] : undefined),
    value,
  );
}

/** Issues as sentences: `Required parameter 'symbol' missing` (docs/specification.md#s3), with a did-you-mean where the value has a similar name. */
export function describeIssues(issues: readonly ValidationIssue[], value: unknown, what: 'parameter' | 'field'): readonly string[] {
  const known = new Set(issues.filter(({ missing }) => missing).map(({ path }) => path.join('.')));
  const sentences = issues.slice(0, MAX_DESCRIBED).map((issue) => {
    const place = issue.path.join('.');
    if (issue.missing) return `Required ${what} '${place}' missing${insteadOf(issue, value, known)}`;
    if (place === '') return issue.message;
    const nearest = nearestAllowed(issue, value);
    return `${what === 'parameter' ? 'Parameter' : 'Field'} '${place}': ${issue.message}${nearest === undefined ? '' : ` (did you mean '${nearest}'?)`}`;
  });
  return issues.length > MAX_DESCRIBED ? [...sentences, `and ${issues.length - MAX_DESCRIBED} more`] : sentences;
}

/** The name that was sent in place of a missing one. */
function insteadOf({ path }: ValidationIssue, value: unknown, missing: ReadonlySet<string>): string {
  const parent = valueAt(value, path.slice(0, -1));
  if (typeof parent !== 'object' || parent === null) return '';
  const sent = Object.keys(parent).filter((key) => !missing.has([...path.slice(0, -1), key].join('.')));
  const nearest = suggest(String(path.at(-1)), sent);
  return nearest === undefined ? '' : ` (you sent '${nearest}')`;
}

function nearestAllowed({ path, allowed }: ValidationIssue, value: unknown): string | undefined {
  const given = valueAt(value, path);
  return typeof given === 'string' && allowed ? suggest(given, allowed.map(String)) : undefined;
}

/** Describes why a schema could not be used. */
export function describeUnchecked(error: unknown): string {
  return describeError(error).message;
}
