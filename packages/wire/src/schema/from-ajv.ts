/**
 * Owns adapting an Ajv instance to the checks of this package.
 * Ajv is not imported: any version with `compile` and its error objects works.
 */
import type { JsonSchema } from '@holdfast/core';
import { isList, isRecord, type JsonObject } from '../json.ts';
import { checkRule, pointerSteps, suggest, withMethods } from '@holdfast/core/internal/plain';
import { cleanJsonSchema, issuePath } from './clean-schema.ts';
import type { JsonSchemaCheck } from './compile-schema.ts';
import { shortJson } from './short-json.ts';
import type { SchemaIssue } from './schema-issues.ts';

/** An error object of Ajv. */
export interface AjvError {
  /** JSON Pointer to the value that does not match. */
  readonly instancePath: string;
  /** Keyword of the schema that rejected the value. */
  readonly keyword: string;
  /** Details, as the keyword defines them. */
  readonly params?: unknown;
  /** Ajv's message for the mismatch. */
  readonly message?: string | undefined;
}

/** The part of an Ajv instance that is used here. */
export interface AjvLike {
  /** Compiles a schema to a function that returns whether a value matches, and sets `errors` if it does not. */
  readonly compile: (schema: JsonSchema) => {
    (value: unknown): unknown;
    errors?: readonly AjvError[] | null | undefined;
  };
}

/**
 * Creates a schema compiler from an Ajv instance, for `jsonSchema` of a service. Schemas are cleaned first, so other dialects compile. Create the Ajv with `strict: false`
 * (third-party schemas have unknown keywords) and `allErrors: true`, and without `coerceTypes` and `useDefaults`: both modify the checked value.
 *
 * The check throws whatever Ajv throws for a schema it cannot compile.
 */
export function fromAjv(ajv: AjvLike): (schema: JsonSchema) => JsonSchemaCheck {
  checkRule(withMethods('compile'), ajv, 'fromAjv: ajv');
  return (given) => {
    let compiled: { readonly validate: ReturnType<AjvLike['compile']>; readonly warnings: JsonSchemaCheck['warnings'] } | undefined;
    const ready = (): NonNullable<typeof compiled> => {
      if (compiled) return compiled;
      const { schema, warnings } = cleanJsonSchema(given);
      const { $schema: _, ...plain } = typeof schema === 'boolean' ? { allOf: [schema] } : schema;
      return (compiled = { validate: ajv.compile(plain), warnings });
    };
    const check = (value: unknown): readonly SchemaIssue[] => {
      const { validate } = ready();
      return validate(value) ? [] : (validate.errors ?? []).map((error) => issueOf(error, value));
    };
    return Object.defineProperty(check, 'warnings', { get: () => ready().warnings }) as JsonSchemaCheck;
  };
}

function issueOf(error: AjvError, value: unknown): SchemaIssue {
  const at = pointerSteps(error.instancePath);
  const { keyword, message = keyword } = error;
  const params = isRecord(error.params) ? error.params : {};
  const { missingProperty, allowedValues, allowedValue } = params;
  if (typeof missingProperty === 'string')
    return { path: issuePath([...at, missingProperty]), keyword, expected: 'a value', missing: true, message: 'is required' };
  const extra = params['additionalProperty'] ?? params['unevaluatedProperty'];
  if (typeof extra === 'string')
    return { path: issuePath([...at, extra]), keyword, expected: 'nothing here', message: 'is not known here' };
  const allowed = isList(allowedValues) ? allowedValues : 'allowedValue' in params ? [allowedValue] : undefined;
  const given = valueOf(value, at);
  const received = shortJson(given);
  const expected = allowed ? `one of ${shortJson(allowed).slice(1, -1)}` : message.replace(/^must be /, '');
  const suggestion = typeof given === 'string' && allowed ? suggest(given, allowed.map(String)) : undefined;
  const text = allowed ? `must be ${expected}` : message;
  return {
    path: issuePath(at),
    keyword,
    expected,
    received,
    ...(allowed ? { allowed } : {}),
    ...(suggestion === undefined ? {} : { suggestion }),
    message: `${text}, got ${received}`,
  };
}

const valueOf = (value: unknown, at: readonly string[]): unknown =>
  at.reduce<unknown>(
    (part, step) => (typeof part === 'object' && part !== null && Object.hasOwn(part, step) ? (part as JsonObject)[step] : undefined),
    value,
  );
