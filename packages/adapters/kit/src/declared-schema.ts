/** Owns the schemas that tools are declared with, JSON Schema or Standard Schema: the types of their arguments, and what the model is shown. */
import type { JsonSchema, OutputOf, StandardSchema } from '@holdfast/core';
import { attempt } from './attempt.ts';
import { fieldOf } from './vendor-values.ts';

/**
 * The arguments that fit a schema: of a Standard Schema its output, of a JSON Schema what its literals say, in the spelling of Gemini too (`OBJECT`). `never`
 * where the compiler does not know the literals, so that a function may name the type of its parameter.
 */
export type ArgumentsOf<Declared> = unknown extends Declared
  ? Readonly<Record<string, unknown>>
  : Declared extends { readonly '~standard': unknown }
    ? OutputOf<Declared>
    : string extends keyof Declared
      ? never
      : unknown extends SchemaValue<Declared>
        ? Readonly<Record<string, unknown>>
        : SchemaValue<Declared>;

/** A value that fits a JSON Schema of literals; `unknown` where the schema leaves it open. */
export type SchemaValue<Declared> = Declared extends { readonly const: infer Value }
  ? Value
  : Declared extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Declared extends { readonly type: infer Type }
      ? string extends Type
        ? never
        : | (Declared extends { readonly nullable: true } ? null : never)
          | {
              string: string;
              number: number;
              integer: number;
              boolean: boolean;
              null: null;
              array: Declared extends { readonly items: infer Items } ? SchemaValue<Items>[] : unknown[];
              object: Declared extends { readonly properties: infer Properties }
                ? {
                    -readonly [
                      Name in keyof Properties as Declared extends { readonly required: readonly (infer Required)[] }
                        ? Extract<Name, Required>
                        : never
                    ]: SchemaValue<Properties[Name]>;
                  } & {
                    -readonly [
                      Name in keyof Properties as Declared extends { readonly required: readonly (infer Required)[] }
                        ? Exclude<Name, Required>
                        : Name
                    ]?: SchemaValue<Properties[Name]>;
                  }
                : Record<string, unknown>;
            }[Lowercase<`${(Type extends readonly (infer One)[] ? One : Type) & string}`> &
              ('string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object')]
      : unknown;

/** What a tool's schema is used for. */
export interface DeclaredSchema {
  /** Validates the arguments. */
  readonly input: StandardSchema | JsonSchema | undefined;
  /** What the model is shown. */
  readonly shown: JsonSchema | undefined;
}

/**
 * Reads the schema of a tool: a JSON Schema, or a Standard Schema that can be written as one, such as zod's.
 * @throws TypeError for a Standard Schema without a JSON Schema
 */
export function readDeclaredSchema(schema: unknown, toolName: string): DeclaredSchema {
  const standard = fieldOf(schema, '~standard');
  if (typeof standard !== 'object' || standard === null) return { input: schema as JsonSchema, shown: schema as JsonSchema };
  const converter = fieldOf(standard, 'jsonSchema') as Converter | undefined;
  const written = attempt(() => converter?.input({ target: 'draft-2020-12' }));
  if (!written)
    throw new TypeError(`The schema of '${toolName}' has no JSON Schema to show to the model. Use one that has, or a JSON Schema.`);
  const { $schema: _dialect, ...shown } = written;
  return { input: schema as StandardSchema, shown };
}

/** Standard JSON Schema v1, which zod, valibot and others implement. */
interface Converter {
  readonly input: (options: { readonly target: string }) => JsonSchema;
}
