/** Prints shapes as JSON Schema, so that editors complete and check the files. */
import type { JsonSchema } from '@holdfast/core';
import { manifestShape, singleToolShape } from '../tables/manifest.ts';
import { noLimit } from './convert.ts';
import { runKinds, runShape } from '../tables/run.ts';
import { policyFileShape } from '../tables/policy-file.ts';
import { turnFileShape } from '../tables/turn.ts';
import { worldFileShape } from '../tables/world.ts';
import type { Field, NumberShape, RecordShape, Shape, TextShape } from './shape.ts';

const dialect = 'http://json-schema.org/draft-07/schema#';

/** The JSON Schema of `holdfast.yaml`. */
export function manifestJsonSchema(): JsonSchema {
  const definitions = new Map<string, JsonSchema>();
  const schema = { anyOf: [recordSchema(manifestShape, definitions), recordSchema(singleToolShape, definitions)] };
  return { $schema: dialect, title: 'Holdfast manifest', ...schema, definitions: Object.fromEntries(definitions) };
}

/** The JSON Schema of a turn file. */
export const turnJsonSchema = (): JsonSchema => fileSchema('Holdfast turn', turnFileShape);

/** The JSON Schema of a world file. */
export const worldJsonSchema = (): JsonSchema => fileSchema('Holdfast world', worldFileShape);

/** The JSON Schema of a policy file. */
export const policyJsonSchema = (): JsonSchema => fileSchema('Holdfast policy', policyFileShape);

function fileSchema(title: string, shape: RecordShape): JsonSchema {
  const definitions = new Map<string, JsonSchema>();
  const schema = recordSchema(shape, definitions);
  return { $schema: dialect, title, ...schema, definitions: Object.fromEntries(definitions) };
}

type Definitions = Map<string, JsonSchema>;

function schemaOf(shape: Shape, definitions: Definitions): JsonSchema {
  switch (shape.kind) {
    case 'text':
      return textSchema(shape);
    case 'number':
      return numberSchema(shape);
    case 'boolean':
      return { type: 'boolean' };
    case 'choice':
      return { enum: shape.values };
    case 'literal':
      return { const: shape.value };
    case 'list': {
      const items = schemaOf(shape.of, definitions);
      const list = { type: 'array', items, ...(shape.filled ? { minItems: 1 } : {}) };
      return shape.single ? { anyOf: [items, list] } : list;
    }
    case 'map':
      return { type: 'object', additionalProperties: schemaOf(shape.of, definitions) };
    case 'record':
      return referTo(shape, definitions);
    case 'either':
      return { anyOf: shape.options.map((option) => schemaOf(option, definitions)) };
    case 'anything':
      return {};
    case 'schema':
      return { type: 'object', $ref: dialect };
  }
}

const databasePattern = '^([Pp][Oo][Ss][Tt][Gg][Rr][Ee][Ss]([Qq][Ll])?://|\\$\\{env:)';

function textSchema(shape: TextShape): JsonSchema {
  const format = shape.role === 'regex' ? { format: 'regex' } : {};
  const pattern = shape.role === 'database' ? databasePattern : shape.form?.pattern;
  const form = pattern === undefined ? {} : { pattern };
  return { type: 'string', ...(shape.empty ? {} : { minLength: 1 }), ...format, ...form };
}

function numberSchema(shape: NumberShape): JsonSchema {
  const number = {
    type: shape.integer && !shape.infinite ? 'integer' : 'number',
    ...(shape.above === undefined ? {} : { exclusiveMinimum: shape.above }),
    ...(shape.minimum === undefined ? {} : { minimum: shape.minimum }),
    ...(shape.maximum === undefined ? {} : { maximum: shape.maximum }),
  };
  return shape.infinite ? { anyOf: [number, { const: noLimit }] } : number;
}

function referTo(shape: RecordShape, definitions: Definitions): JsonSchema {
  const name = shape.name ?? 'record';
  if (!definitions.has(name)) {
    definitions.set(name, {});
    definitions.set(name, recordSchema(shape, definitions));
  }
  return { $ref: `#/definitions/${name}` };
}

function recordSchema(shape: RecordShape, definitions: Definitions): JsonSchema {
  const required = shape.fields.filter((field) => field.required).map((field) => field.key);
  return {
    type: 'object',
    properties: Object.fromEntries(shape.fields.flatMap((field) => namesOf(field).map((name) => [name, fieldSchema(field, definitions)]))),
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
    ...(shape === runShape ? { oneOf: runKinds.map((kind) => ({ required: [kind] })) } : {}),
    ...(shape.oneOf ? { anyOf: shape.oneOf.map(filledKey) } : {}),
  };
}

const namesOf = ({ key, alias }: Field): readonly string[] => (alias === undefined ? [key] : [key, alias]);

/** Each bound applies to one type of value only, so both can be set. */
const filledKey = (key: string): JsonSchema => ({ required: [key], properties: { [key]: { minItems: 1, minProperties: 1 } } });

/** In draft 07 a `$ref` hides its siblings, so the description needs a wrapper. */
function fieldSchema(field: Field, definitions: Definitions): JsonSchema {
  const schema = schemaOf(field.shape, definitions);
  const standard = isJson(field.default) ? { default: field.default } : {};
  return '$ref' in schema ? { description: field.doc, ...standard, allOf: [schema] } : { description: field.doc, ...standard, ...schema };
}

/** A default such as `the host of url` is text for readers; editors need a value. */
const isJson = (value: unknown): boolean =>
  value !== undefined && value !== Infinity && !(typeof value === 'string' && value.includes(' '));
