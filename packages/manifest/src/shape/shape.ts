/**
 * Owns the shapes in which the tables of this package are written. A shape defines the allowed values; the reader validates with it, the converter renames
 * with it, and the JSON Schema and the reference page are printed from it. Owns no table.
 */
import { camelCase } from '@holdfast/core/internal/plain';

/** A string. */
export interface TextShape {
  readonly kind: 'text';
  /** Meaning of the string; a `path` is resolved against the manifest's folder. @default 'plain' */
  readonly role?: 'plain' | 'identifier' | 'path' | 'regex' | 'url' | 'database' | 'method';
  /** May be empty. @default false */
  readonly empty?: boolean;
  /** Pattern of the string, and its description in messages. */
  readonly form?: { readonly pattern: string; readonly description: string };
  /** The value may be a secret by mistake, so no message shows it. */
  readonly secret?: boolean;
}

export interface NumberShape {
  readonly kind: 'number';
  readonly integer?: boolean;
  readonly minimum?: number;
  /** Exclusive. */
  readonly above?: number;
  readonly maximum?: number;
  readonly unit?: 'milliseconds' | 'percent' | 'bytes' | 'characters' | 'days';
  /** `none` is allowed, for JSON, and `.inf`, its form in YAML: no limit. */
  readonly infinite?: boolean;
}

export interface BooleanShape {
  readonly kind: 'boolean';
}

/** One of a few words. */
export interface ChoiceShape {
  readonly kind: 'choice';
  readonly values: readonly string[];
}

/** One fixed value. */
export interface LiteralShape {
  readonly kind: 'literal';
  readonly value: number | boolean | null;
}

export interface ListShape {
  readonly kind: 'list';
  readonly of: Shape;
  /** At least one entry. */
  readonly filled?: boolean;
  /** A single value is accepted instead of a list. */
  readonly single?: boolean;
}

/** Keys of the user's choice. */
export interface MapShape {
  readonly kind: 'map';
  readonly of: Shape;
}

/** Fixed keys; all others are refused. */
export interface RecordShape {
  readonly kind: 'record';
  readonly fields: readonly Field[];
  /** Names the record on the reference page and in the JSON Schema. */
  readonly name?: string;
  /** The value may be a secret by mistake, so no message shows it. */
  readonly secret?: boolean;
  /** One of these keys must be set and not be empty. */
  readonly oneOf?: readonly string[];
  /** Keys of other programs that have no counterpart, and what to do instead. */
  readonly foreign?: Readonly<Record<string, string>>;
}

/** The first shape that matches the kind of value. */
export interface EitherShape {
  readonly kind: 'either';
  readonly options: readonly Shape[];
}

/** Any JSON value. */
export interface AnythingShape {
  readonly kind: 'anything';
}

/** A JSON Schema, written as an object. */
export interface SchemaShape {
  readonly kind: 'schema';
}

export type Shape =
  | TextShape
  | NumberShape
  | BooleanShape
  | ChoiceShape
  | LiteralShape
  | ListShape
  | MapShape
  | RecordShape
  | EitherShape
  | AnythingShape
  | SchemaShape;

/** One key of a record: its name in the file, its name in the code, its shape and its description. */
export interface Field {
  /** Name in the file, in snake_case. */
  readonly key: string;
  /** Name in the code, in camelCase. */
  readonly property: string;
  readonly shape: Shape;
  readonly doc: string;
  readonly required?: boolean;
  /** Description on the reference page. */
  readonly default?: unknown;
  /** The code holds `{ value }` so that an absent value and `null` differ. */
  readonly boxed?: boolean;
  /** A second name in the file, read like `key`. */
  readonly alias?: string;
  /** Common mistakes for its name, for suggestions only. */
  readonly otherNames?: readonly string[];
}

export type FieldOptions = Partial<Omit<Field, 'key' | 'shape' | 'doc'>>;

export function field(key: string, shape: Shape, doc: string, options: FieldOptions = {}): Field {
  return { key, property: camelCase(key), shape, doc, ...options };
}

export const text: TextShape = { kind: 'text' };
export const identifier: TextShape = { kind: 'text', role: 'identifier' };
export const path: TextShape = { kind: 'text', role: 'path' };
export const regex: TextShape = { kind: 'text', role: 'regex' };
export const url: TextShape = { kind: 'text', role: 'url' };
export const textOfForm = (pattern: string, description: string): TextShape => ({ kind: 'text', form: { pattern, description } });
export const boolean: BooleanShape = { kind: 'boolean' };
export const anything: AnythingShape = { kind: 'anything' };
export const schema: SchemaShape = { kind: 'schema' };
export const off: LiteralShape = { kind: 'literal', value: false };
export const none: LiteralShape = { kind: 'literal', value: null };

export const milliseconds: NumberShape = { kind: 'number', above: 0, unit: 'milliseconds' };
export const share: NumberShape = { kind: 'number', above: 0, maximum: 1 };
export const count = (minimum: number): NumberShape => ({ kind: 'number', integer: true, minimum });

export const choice = (...values: readonly string[]): ChoiceShape => ({ kind: 'choice', values });
export const list = (of: Shape): ListShape => ({ kind: 'list', of });
export const oneOrMore = (of: Shape): ListShape => ({ kind: 'list', of, single: true, filled: true });
export const map = (of: Shape): MapShape => ({ kind: 'map', of });
export const record = (name: string, ...fields: readonly Field[]): RecordShape => ({ kind: 'record', name, fields });
export const either = (...options: readonly Shape[]): EitherShape => ({ kind: 'either', options });
