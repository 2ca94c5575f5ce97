/**
 * Owns reading a structured output: from the text of a model to a value that matches its schema (docs/specification.md#s2-flow). Does not own the retries of an invalid one.
 *
 * Invariant: never throws and never rejects, for any text, reader and schema. Only an invalid option rejects.
 */
import { checkOptions } from '../../engine/settings/check-options.ts';
import { describeError } from '../../engine/classify/describe-error.ts';
import { waitAtMost } from '../../engine/plain/wait-at-most.ts';
import type { System } from '../../engine/ports/system.ts';
import type { OutputOf, Schema } from '../../engine/schema/standard-schema.ts';
import type { JsonSchemaCompiler, Validation } from '../../engine/schema/validator.ts';
import { createValidator, describeIssues, describeUnchecked } from '../../engine/schema/validator.ts';
import { callSafely } from '../../engine/plain/call-safely.ts';
import { withMethods, type Fields } from '../../engine/settings/check.ts';
import { schemaRule } from '../../engine/tool/tool.ts';
import { period } from '../../engine/settings/fields.ts';
import { createSystem } from '../../runtime/system/create-system.ts';
import { StructuredOutputError } from './errors.ts';

/** Options of `parseStructured`. */
export interface StructuredOutputOptions {
  /** Compiles JSON Schemas with full support. @default checks types, required and unknown names, enums */
  readonly jsonSchema?: JsonSchemaCompiler | undefined;
  /** Parses the text. May throw. @default JSON, optionally in a code fence */
  readonly read?: ((text: string) => unknown) | undefined;
  /** Time limit for the schema; after that the value counts as unchecked. @default 60000 */
  readonly timeoutMs?: number | undefined;
  /** Timers. @default those of the machine */
  readonly system?: Pick<System, 'setTimer' | 'clearTimer'> | undefined;
}

const structuredOutputFields: Fields = {
  jsonSchema: 'function',
  read: 'function',
  timeoutMs: period,
  system: withMethods('setTimer', 'clearTimer'),
};

/**
 * A structured output, or the error for the model. `unchecked` is the reason why the schema could not check the value; absent when it did.
 */
export type StructuredOutput<Value = unknown> =
  | { readonly ok: true; readonly value: Value; readonly unchecked?: string }
  | { readonly ok: false; readonly error: StructuredOutputError };

/**
 * Reads and checks a structured output. `input` is the model's text, or a value that is already parsed. A broken schema does not reject the value: it is
 * returned with the reason in `unchecked`.
 * @throws TypeError | RangeError for an invalid option or a missing schema, naming it, its value and the fix.
 */
export async function parseStructured<S extends Schema>(
  input: unknown,
  schema: S,
  options: StructuredOutputOptions = {},
): Promise<StructuredOutput<OutputOf<S>>> {
  checkOptions(structuredOutputFields, options, 'parseStructured');
  schemaRule(schema, 'schema');
  let value: unknown;
  try {
    value = typeof input === 'string' ? (options.read ?? readJson)(input) : input;
  } catch (error) {
    return failure(`The output is not valid JSON: ${describeError(error).message}`);
  }
  callSafely(() => value, ignore);
  const checked = await check(value, schema, options);
  if (checked.ok === 'unchecked') return { ok: true, value: value as OutputOf<S>, unchecked: describeUnchecked(checked.error) };
  if (checked.ok) return { ok: true, value: checked.value as OutputOf<S> };
  return failure(describeIssues(checked.issues, value, 'field').join('; '));
}

/** An error in here is a fault of the schema, not of the model. */
async function check(value: unknown, schema: Schema, options: StructuredOutputOptions): Promise<Validation> {
  const { jsonSchema, system, timeoutMs = 60_000 } = options;
  try {
    const checked = createValidator(schema, jsonSchema)(value);
    if (!('then' in checked)) return checked;
    const inTime = await waitAtMost(system ?? createSystem(), checked, timeoutMs);
    return inTime ?? { ok: 'unchecked', error: new Error('the schema did not return a result') };
  } catch (error) {
    return { ok: 'unchecked', error };
  }
}

function ignore(): void {
  // The rejection of a promise is ignored: the schema rejects the promise itself as a value.
}

function failure(message: string): { readonly ok: false; readonly error: StructuredOutputError } {
  return { ok: false, error: new StructuredOutputError(message) };
}

/** @throws SyntaxError when the text is not JSON */
function readJson(text: string): unknown {
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/.exec(text);
  return JSON.parse(fenced?.[1] ?? text);
}
