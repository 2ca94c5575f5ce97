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
      : unknown extends ValueOf<Declared>
        ? Readonly<Record<string, unknown>>
        : ValueOf<Declared>;

type ValueOf<Declared> = Declared extends { readonly const: infer Value }
  ? Value
  : Declared extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Declared extends { readonly type: readonly (infer Type)[] }
      ? TypedValue<Declared, Type>
      : Declared extends { readonly type: infer Type; readonly nullable: true }
        ? TypedValue<Declared, Type> | null
        : Declared extends { readonly type: infer Type }
          ? TypedValue<Declared, Type>
          : unknown;

type TypedValue<Declared, Type> = string extends Type ? never : NamedValue<Declared, Lowercase<`${Type & string}`>>;

type NamedValue<Declared, Type> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? ItemsOf<Declared>
          : Type extends 'object'
            ? PropertiesOf<Declared>
            : unknown;

type ItemsOf<Declared> = Declared extends { readonly items: infer Items } ? ValueOf<Items>[] : unknown[];

type PropertiesOf<Declared> = Declared extends { readonly properties: infer Properties }
  ? Flat<
      { [Name in keyof Properties as Name extends RequiredIn<Declared> ? Name : never]: ValueOf<Properties[Name]> } & {
        [Name in keyof Properties as Name extends RequiredIn<Declared> ? never : Name]?: ValueOf<Properties[Name]>;
      }
    >
  : Record<string, unknown>;

type RequiredIn<Declared> = Declared extends { readonly required: readonly (infer Name)[] } ? Name : never;

type Flat<Fields> = { -readonly [Name in keyof Fields]: Fields[Name] };

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
