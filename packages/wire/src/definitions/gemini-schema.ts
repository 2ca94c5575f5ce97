/**
 * Owns the two fields in which Gemini accepts a schema: `parameters`, a subset of OpenAPI that rejects all other keywords, and
 * `parametersJsonSchema`. A schema that does not fit the first is moved to the second, with the same meaning.
 */
import { isFilled, isList, isRecord, isText, type JsonObject } from '../json.ts';
import type { DefinitionContext } from './definition-context.ts';
import { repairDefinitions } from './repair-definitions.ts';
import { setItemAt, type ToolDefinitionPath } from './tool-paths.ts';

const maxDepth = 64;
const keywords: ReadonlySet<string> = new Set(
  (
    'type format title description nullable default example enum items minItems maxItems properties propertyOrdering required ' +
    'minProperties maxProperties minimum maximum minLength maxLength pattern anyOf'
  ).split(' '),
);

/** Repairs the tools of a request of Gemini. */
export const repairGeminiDefinitions = (request: JsonObject, context: DefinitionContext): JsonObject =>
  repairDefinitions(request, context, repairGeminiSchema);

function repairGeminiSchema(request: unknown, { native, path }: ToolDefinitionPath, { log }: DefinitionContext): unknown {
  const given = native['parameters'];
  if (given === undefined || given === null) return request;
  const other = native['parametersJsonSchema'];
  if (other === undefined && fits(given, 0)) return request;
  const place = path.join('.');
  log.edited('tool-schema', `${place}.parameters`, given, undefined);
  const without = setItemAt(request, [...path, 'parameters'], undefined);
  if (other !== undefined) return without;
  const schema = jsonSchema(isRecord(given) ? given : { type: 'object' }, 0);
  log.edited('tool-schema', `${place}.parametersJsonSchema`, undefined, schema);
  return setItemAt(without, [...path, 'parametersJsonSchema'], schema);
}

function fits(schema: unknown, depth: number): boolean {
  if (!isRecord(schema)) return schema === undefined;
  if (depth > maxDepth) return true;
  if (Object.keys(schema).some((key) => schema[key] !== undefined && !keywords.has(key))) return false;
  const type = geminiType(schema['type']);
  if (type === undefined || isList(schema['items']) || (type === 'ARRAY' && !isRecord(schema['items']))) return false;
  if (!fitsProperties(schema, type) || !fitsEnum(schema, type)) return false;
  // A field that is null counts as absent.
  const inner = [
    ...Object.values(isRecord(schema['properties']) ? schema['properties'] : {}),
    schema['items'] ?? undefined,
    ...(isList(schema['anyOf']) ? schema['anyOf'] : []),
  ];
  return inner.every((each) => fits(each, depth + 1));
}

const types: ReadonlySet<string> = new Set(['TYPE_UNSPECIFIED', 'STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL']);

/** The one type of a schema, empty if it has none; `undefined` if Gemini does not know it. */
function geminiType(given: unknown): string | undefined {
  if (given === undefined || given === null) return '';
  const type = isText(given) ? given.toUpperCase() : '';
  return types.has(type) ? type : undefined;
}

function fitsProperties({ properties: given, required }: JsonObject, type: string): boolean {
  const properties = isRecord(given) ? given : {};
  const count = Object.keys(properties).length;
  if (type !== '' && (type === 'OBJECT') !== count > 0) return false;
  return !isList(required) || required.every((name) => isText(name) && Object.hasOwn(properties, name));
}

const fitsEnum = ({ enum: values, format }: JsonObject, type: string): boolean =>
  isList(values) && values.length > 0 ? type === 'STRING' && values.every(isText) : values === undefined || format !== 'enum';

/** Converts to JSON Schema: types in lower case, `nullable` as a type, no `$schema`. What is no schema allows any value. */
function jsonSchema(schema: unknown, depth: number): unknown {
  if (depth > maxDepth || typeof schema === 'boolean') return schema;
  if (!isRecord(schema)) return {};
  const { $schema: _dialect, nullable, ...rest } = schema;
  const plain: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(rest)) {
    const [word, converted] = convertKeyword(key, value, depth);
    if (converted !== undefined) plain[word] = converted;
  }
  const { enum: values, properties, required, type } = plain;
  if (isList(values)) plain['enum'] = values.map((value) => valueOfType(value, type));
  if (isRecord(properties) && isList(required)) plain['properties'] = withRequired(properties, required);
  return nullable === true && isText(type) ? ({ ...plain, type: [type, 'null'] } satisfies JsonObject) : plain;
}

/** A value of an enum in the type of its schema: of strings, a number can only be meant as its text, and of numbers a text as its number. */
function valueOfType(value: unknown, type: unknown): unknown {
  if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return String(value);
  const isNumber = (type === 'number' || type === 'integer') && isFilled(value) && Number.isFinite(Number(value));
  return isNumber ? Number(value) : value;
}

/** Defines properties that are only required, of any type: Gemini refuses others, and the same arguments stay valid. */
function withRequired(properties: JsonObject, required: readonly unknown[]): JsonObject {
  const missing = required.filter(isText).filter((name) => !Object.hasOwn(properties, name));
  return missing.length === 0 ? properties : { ...properties, ...Object.fromEntries(missing.map((name) => [name, {}])) };
}

const schemaKeywords: ReadonlySet<string> = new Set(
  'items not contains propertyNames additionalProperties unevaluatedProperties additionalItems unevaluatedItems if then else'.split(' '),
);
const schemaLists: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items']);
const schemaMaps: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']);

/** The keyword and its value in JSON Schema; the value is `undefined` for a keyword without meaning. */
function convertKeyword(key: string, value: unknown, depth: number): readonly [string, unknown] {
  if (key === 'type') return [key, jsonType(value)];
  if ((key === 'enum' && isList(value) && value.length === 0) || (key === 'format' && value === 'enum')) return [key, undefined];
  if (key === 'items' && isList(value) && value.length === 0) return [key, undefined];
  if (schemaMaps.has(key) && isRecord(value))
    return [key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, jsonSchema(each, depth + 1)]))];
  if (schemaLists.has(key) && isList(value))
    return [key === 'items' ? 'prefixItems' : key, value.map((each) => jsonSchema(each, depth + 1))];
  return [key, schemaKeywords.has(key) ? jsonSchema(value, depth + 1) : value];
}

/** A type in lower case; `undefined` for one that could be any. */
function jsonType(given: unknown): unknown {
  if (isList(given)) return given.some((type) => jsonType(type) === undefined) ? undefined : given.map(jsonType);
  const type = isText(given) ? given.toUpperCase() : '';
  return types.has(type) && type !== 'TYPE_UNSPECIFIED' ? type.toLowerCase() : undefined;
}
