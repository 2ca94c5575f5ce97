/**
 * Owns the part of the Standard Schema v1 interface that Holdfast uses (https://standardschema.dev), so that zod, valibot, arktype and others work without
 * a dependency.
 */

/** One validation issue, as a Standard Schema reports it. */
export interface StandardIssue {
  /** What is wrong, in the words of the schema. */
  readonly message: string;
  /** Keys from the root to the place; absent for the value as a whole. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The result of a Standard Schema: the value after defaults and transforms, or issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** A schema of zod, valibot, arktype or another library that implements Standard Schema v1 (https://standardschema.dev). */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** What Standard Schema v1 defines; `types` is only for the compiler. */
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** A JSON Schema (draft 2020-12 or 07) as plain data. */
export interface JsonSchema {
  /** Keywords such as `type`, `properties` and `required`. */
  readonly [keyword: string]: unknown;
}

/** The kinds of schema that can describe a tool's input or output. */
export type Schema<Input = unknown, Output = Input> = StandardSchema<Input, Output> | JsonSchema;

/** The type that a caller passes in, before the schema's defaults and transforms. */
export type InputOf<S> = S extends { readonly '~standard': { readonly types?: { readonly input: infer I } | undefined } } ? I : unknown;

/** The type that validation returns and `run` receives. */
export type OutputOf<S> = S extends { readonly '~standard': { readonly types?: { readonly output: infer O } | undefined } } ? O : unknown;

export function isStandardSchema(schema: Schema): schema is StandardSchema {
  return typeof schema === 'object' || typeof schema === 'function' ? '~standard' in schema : false;
}
