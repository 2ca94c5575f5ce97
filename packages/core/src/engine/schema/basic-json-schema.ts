/**
 * Owns the basic check for plain JSON Schemas when no compiler is configured: types, required and unknown names, enums, at every depth.
 * Does not own JSON Schema as a whole: give the service a `jsonSchema` compiler for that.
 */
import { suggest } from '../plain/suggest.ts';
import type { JsonSchema } from './standard-schema.ts';
import type { ValidationIssue } from './issue.ts';
import { isRecord } from '../plain/is-object.ts';

type Path = readonly (string | number)[];

/** Values nested deeper are not checked. */
const MAX_DEPTH = 32;

export function checkBasics(schema: JsonSchema, value: unknown): readonly ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  check(schema, value, [], issues);
  return issues;
}

function check(schema: unknown, value: unknown, path: Path, issues: ValidationIssue[]): void {
  if (!isRecord(schema) || path.length > MAX_DEPTH) return;
  const { type, enum: allowed, properties, required, additionalProperties, items } = schema;
  if (type !== undefined && !hasType(value, type)) {
    issues.push({ path, message: `expected ${Array.isArray(type) ? type.join(' or ') : String(type as string)}, got ${typeName(value)}` });
    return;
  }
  if (Array.isArray(allowed) && !allowed.includes(value))
    issues.push({ path, message: `must be one of ${allowed.map((item) => JSON.stringify(item)).join(', ')}`, allowed });
  if (Array.isArray(value)) value.forEach((item, index) => check(items, item, [...path, index], issues));
  else if (isRecord(value)) checkProperties({ properties, required, additionalProperties }, value, path, issues);
}

interface ObjectRules {
  readonly properties: unknown;
  readonly required: unknown;
  readonly additionalProperties: unknown;
}

function checkProperties(
  { properties, required, additionalProperties }: ObjectRules,
  value: Readonly<Record<string, unknown>>,
  path: Path,
  issues: ValidationIssue[],
): void {
  const known = isRecord(properties) ? properties : {};
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name === 'string' && (!Object.hasOwn(value, name) || value[name] === undefined))
      issues.push({ path: [...path, name], message: 'required', missing: true });
  }
  for (const [name, part] of Object.entries(value)) {
    if (Object.hasOwn(known, name)) check(known[name], part, [...path, name], issues);
    else if (additionalProperties === false) {
      const nearest = suggest(name, Object.keys(known));
      issues.push({ path: [...path, name], message: `unknown name${nearest ? `, did you mean '${nearest}'?` : ''}` });
    }
  }
}

function hasType(value: unknown, type: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => hasType(value, one));
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'object':
      return isRecord(value);
    case 'string':
    case 'number':
    case 'boolean':
    case 'array':
    case 'null':
      return typeName(value) === type;
    default:
      return true;
  }
}

function typeName(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
