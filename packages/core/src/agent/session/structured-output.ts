/**
 * Owns reading a structured output: from what a model answered to a value that fits its schema (docs/specification.md#s2-flow). Does not own what happens when it does not fit.
 *
 * Invariant: never throws and never rejects, whatever the text, the reader and the schema are.
 */
import { describeError } from '../../engine/classify/describe-error.ts';
import type { System } from '../../engine/ports/system.ts';
import type { OutputOf, Schema } from '../../engine/schema/standard-schema.ts';
import type { JsonSchemaCompiler, Validation } from '../../engine/schema/validator.ts';
import { createValidator, describeIssues, describeUnchecked } from '../../engine/schema/validator.ts';
import { callSafely } from '../../runtime/service/call-safely.ts';
import { createSystem } from '../../runtime/system/create-system.ts';
import { StructuredOutputError } from './errors.ts';

/** Options of `parseStructured`. */
export interface StructuredOutputOptions {
  /** Checks JSON Schemas in full. @default types, required and unknown names, enums */
  readonly jsonSchema?: JsonSchemaCompiler | undefined;
  /** Reads the text. May throw. @default JSON, with or without a code fence around it */
  readonly read?: ((text: string) => unknown) | undefined;
  /** A schema that has not answered by then has not checked anything. @default 60000 */
  readonly timeoutMs?: number | undefined;
  /** The machine. @default the real one */
  readonly system?: Pick<System, 'setTimer' | 'clearTimer'> | undefined;
}

/**
 * A structured output that was read, or the error for the model. `unchecked` is the reason why the schema could not check the value; absent when it did.
 */
export type StructuredOutput<Value = unknown> =
  | { readonly ok: true; readonly value: Value; readonly unchecked?: string }
  | { readonly ok: false; readonly error: StructuredOutputError };

/**
 * Reads and checks a structured output. `given` is the model's text, or a value that was parsed already. A schema that is broken blocks nothing: the value
 * comes through with `unchecked` saying why.
 */
export async function parseStructured<S extends Schema>(
  given: unknown,
  schema: S,
  options: StructuredOutputOptions = {},
): Promise<StructuredOutput<OutputOf<S>>> {
  let value: unknown;
  try {
    value = typeof given === 'string' ? (options.read ?? readJson)(given) : given;
  } catch (error) {
    return failure(`The output is no valid JSON: ${describeError(error).message}`);
  }
  callSafely(() => value, ignore);
  const checked = await check(value, schema, options);
  if (checked.ok === 'unchecked') return { ok: true, value: value as OutputOf<S>, unchecked: describeUnchecked(checked.error) };
  if (checked.ok) return { ok: true, value: checked.value as OutputOf<S> };
  return failure(describeIssues(checked.issues, value, 'field').join('; '));
}

/** What goes wrong here is the schema's fault, not the model's. */
async function check(value: unknown, schema: Schema, options: StructuredOutputOptions): Promise<Validation> {
  try {
    return await inTime(createValidator(schema, options.jsonSchema)(value), options);
  } catch (error) {
    return { ok: 'unchecked', error };
  }
}

/** A value that comes later is none; its failure is nobody's. */
function ignore(): void {
  // The schema will say that it is no value.
}

function failure(message: string): { readonly ok: false; readonly error: StructuredOutputError } {
  return { ok: false, error: new StructuredOutputError(message) };
}

/** @throws SyntaxError when it is no JSON. */
function readJson(text: string): unknown {
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/.exec(text);
  return JSON.parse(fenced?.[1] ?? text);
}

function inTime(
  checked: Validation | Promise<Validation>,
  { system: own, timeoutMs = 60_000 }: StructuredOutputOptions,
): Validation | Promise<Validation> {
  if (!('then' in checked)) return checked;
  const system = own ?? createSystem();
  return new Promise((resolve) => {
    const timer = system.setTimer(timeoutMs, () => resolve({ ok: 'unchecked', error: new Error('the schema did not answer') }));
    const conclude = (validation: Validation): void => {
      system.clearTimer(timer);
      resolve(validation);
    };
    checked.then(conclude, (error: unknown) => conclude({ ok: 'unchecked', error }));
  });
}
