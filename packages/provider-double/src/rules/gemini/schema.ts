/** `parameters` is a subset of OpenAPI, not JSON Schema: everything outside of it is refused. */
import type { Report } from '../problem.ts';
import { fieldsOf, isRecord, isText, listOf } from '../reading.ts';

const keywords: ReadonlySet<string> = new Set([
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'default',
  'example',
  'enum',
  'items',
  'minItems',
  'maxItems',
  'properties',
  'propertyOrdering',
  'required',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'anyOf',
]);

interface Schema {
  readonly type?: unknown;
  readonly format?: unknown;
  readonly enum?: unknown;
  readonly required?: unknown;
  readonly properties?: unknown;
  readonly items?: unknown;
  readonly anyOf?: unknown;
}

function checkEnum(schema: Schema, type: string, path: string, report: Report): void {
  if (schema.enum === undefined) return;
  const complain = (message: string): void => report({ rule: 'tool-schema', path: `${path}.enum`, message });
  const values = listOf(schema.enum);
  for (const [index, value] of values.entries()) {
    if (!isText(value)) complain(`Invalid value at '${path}.enum[${index}]' (TYPE_STRING), ${JSON.stringify(value) ?? 'undefined'}`);
  }
  if (type !== 'STRING' && values.length > 0) complain(`* GenerateContentRequest.${path}.enum: only allowed for STRING type`);
  if (type === 'STRING' && schema.format === 'enum' && values.length === 0) {
    complain(`* GenerateContentRequest.${path}.enum: should be non-empty for STRING type with enum format`);
  }
}

const types: ReadonlySet<string> = new Set(['TYPE_UNSPECIFIED', 'STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL']);

/** The words for a value where the API expects a message or an enum of this name. */
export const invalidValue = (path: string, message: string, value: unknown): string =>
  `Invalid value at '${path}' (type.googleapis.com/google.ai.generativelanguage.v1beta.${message}), ${JSON.stringify(value)}`;

/** Fields with another form in JSON Schema: several types, one schema for each element. */
function checkForms(schema: Schema, path: string, report: Report): void {
  for (const field of ['type', 'items'] as const) {
    if (!Array.isArray(schema[field])) continue;
    const message = `Invalid JSON payload received. Unknown name "${field}" at '${path}': Proto field is not repeating, cannot start list.`;
    report({ rule: 'tool-schema', path: `${path}.${field}`, message });
  }
  if (!isText(schema.type) || types.has(schema.type.toUpperCase())) return;
  report({ rule: 'tool-schema', path: `${path}.type`, message: invalidValue(`${path}.type`, 'Type', schema.type) });
}

export function checkSchema(value: unknown, path: string, root: boolean, report: Report): void {
  if (value === undefined || value === null || Array.isArray(value)) return;
  if (!isRecord(value)) return report({ rule: 'tool-schema', path, message: invalidValue(path, 'Schema', value) });
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined || keywords.has(key)) continue;
    const message = `Invalid JSON payload received. Unknown name "${key}" at '${path}': Cannot find field.`;
    report({ rule: 'tool-schema', path: `${path}.${key}`, message });
  }
  const schema = fieldsOf<Schema>(value);
  const type = isText(schema.type) ? schema.type.toUpperCase() : '';
  const complain = (words: string): void => report({ rule: 'tool-schema', path, message: `* GenerateContentRequest.${path}.${words}` });
  if (type === 'ARRAY' && schema.items === undefined) complain('items: missing field.');
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  const none = schema.properties === undefined ? root : properties.length === 0;
  if (type === 'OBJECT' && none) complain('properties: should be non-empty for OBJECT type');
  if (type !== 'OBJECT' && type !== '' && properties.length > 0) complain('properties: only allowed for OBJECT type');
  const defined = new Set(properties.map(([name]) => name));
  for (const [index, name] of listOf(schema.required).entries()) {
    if (!isText(name) || !defined.has(name)) complain(`required[${index}]: property is not defined`);
  }
  checkForms(schema, path, report);
  if (!Array.isArray(schema.type)) checkEnum(schema, type, path, report);
  for (const [name, child] of properties) checkSchema(child, `${path}.properties[${name}]`, false, report);
  checkSchema(schema.items, `${path}.items`, false, report);
  for (const [index, child] of listOf(schema.anyOf).entries()) checkSchema(child, `${path}.any_of[${index}]`, false, report);
}
