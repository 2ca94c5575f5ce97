/** Owns whether the properties of a schema can be merged with other arguments. */
import { isRecord } from '@holdfast/core/internal/plain';
import type { Plain } from './document.ts';
import { follow } from './reference.ts';

export interface ObjectSchema {
  /** Schemas by name, without those that only the server sets. */
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
  /** Further properties: none, any, or those of this schema. */
  readonly further: unknown;
}

const deepest = 8;
/** Keywords for properties that depend on each other. */
const entangled = ['oneOf', 'anyOf', 'not', 'if', 'patternProperties', 'dependentSchemas', 'dependentRequired', 'propertyNames'];

/** `allOf` of such objects is one too. `undefined`: it is something else and stays one argument. */
export function objectSchema(root: Plain, given: unknown, depth = 0): ObjectSchema | undefined {
  const schema = follow(root, given);
  if (schema === undefined || depth > deepest || schema['nullable'] === true) return undefined;
  if (schema['type'] !== undefined && schema['type'] !== 'object') return undefined;
  if (entangled.some((key) => schema[key] !== undefined)) return undefined;
  const properties = new Map<string, unknown>();
  const required = new Set<string>();
  let further = schema['additionalProperties'];
  const parts = Array.isArray(schema['allOf']) ? (schema['allOf'] as readonly unknown[]) : [];
  for (const part of parts) {
    const inner = objectSchema(root, part, depth + 1);
    if (inner === undefined) return undefined;
    for (const [name, property] of inner.properties) addTo(properties, name, property);
    for (const name of inner.required) required.add(name);
    further ??= inner.further;
  }
  if (isRecord(schema['properties']))
    for (const [name, property] of Object.entries(schema['properties']))
      if (follow(root, property)?.['readOnly'] !== true) addTo(properties, name, property);
  if (Array.isArray(schema['required']))
    for (const name of schema['required'] as readonly unknown[]) if (typeof name === 'string') required.add(name);
  for (const name of required) if (!properties.has(name) && isReadOnly(root, schema, name)) required.delete(name);
  if (depth === 0 && properties.size === 0) return undefined;
  return { properties, required, further };
}

const isReadOnly = (root: Plain, schema: Plain, name: string): boolean => {
  const properties = schema['properties'];
  return isRecord(properties) && Object.hasOwn(properties, name) && follow(root, properties[name])?.['readOnly'] === true;
};

function addTo(properties: Map<string, unknown>, name: string, schema: unknown): void {
  const earlier = properties.get(name);
  properties.set(name, earlier === undefined ? schema : { allOf: [earlier, schema] });
}
