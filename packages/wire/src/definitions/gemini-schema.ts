/**
 * Owns the two fields in which Gemini accepts a schema: `parameters`, a subset of OpenAPI that rejects all other keywords, and
 * `parametersJsonSchema`. A schema that does not fit the first is moved to the second, with the same meaning.
 */
import { isList, isRecord, isText, type JsonObject } from '../json.ts';
import type { RepairLog } from '../repair/repair-log.ts';
import { setItemAt, type ToolDefinitionPath } from './tool-paths.ts';

const maxDepth = 64;
const keywords: ReadonlySet<string> = new Set(
  (
    'type format title description nullable default example enum items minItems maxItems properties propertyOrdering required ' +
    'minProperties maxProperties minimum maximum minLength maxLength pattern anyOf'
  ).split(' '),
);

export function repairGeminiSchema(request: unknown, { native, path }: ToolDefinitionPath, log: RepairLog): unknown {
  const given = native['parameters'];
  if (given === undefined || given === null) return request;
  const other = native['parametersJsonSchema'];
  if (other === undefined && fits(given, true, 0)) return request;
  const place = path.join('.');
  log.edited('tool-schema', `${place}.parameters`, given, undefined);
  const without = setItemAt(request, [...path, 'parameters'], undefined);
  if (other !== undefined) return without;
  const schema = jsonSchema(given, 0);
  log.edited('tool-schema', `${place}.parametersJsonSchema`, undefined, schema);
  return setItemAt(without, [...path, 'parametersJsonSchema'], schema);
}

function fits(schema: unknown, root: boolean, depth: number): boolean {
  if (!isRecord(schema) || depth > maxDepth) return true;
  if (Object.keys(schema).some((key) => schema[key] !== undefined && !keywords.has(key))) return false;
  const type = isText(schema['type']) ? schema['type'].toUpperCase() : isList(schema['type']) ? 'LIST' : '';
  const properties = isRecord(schema['properties']) ? Object.values(schema['properties']) : undefined;
  if (type === 'LIST' || (type === 'ARRAY' && schema['items'] === undefined)) return false;
  if (type === 'OBJECT' && (properties ? properties.length === 0 : !root)) return false;
  if (type !== 'OBJECT' && type !== '' && properties !== undefined && properties.length > 0) return false;
  const inner = [...(properties ?? []), schema['items'], ...(isList(schema['anyOf']) ? schema['anyOf'] : [])];
  return inner.every((each) => fits(each, false, depth + 1));
}

/** Converts to JSON Schema: types in lower case, `nullable` as a type, no `$schema`. */
function jsonSchema(schema: unknown, depth: number): unknown {
  if (depth > maxDepth) return schema;
  if (isList(schema)) return schema.map((item) => jsonSchema(item, depth + 1));
  if (!isRecord(schema)) return schema;
  const { $schema: _dialect, nullable, ...rest } = schema;
  const plain: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(rest)) plain[key] = convertKeyword(key, value, depth);
  return nullable === true && isText(plain['type']) ? ({ ...plain, type: [plain['type'], 'null'] } satisfies JsonObject) : plain;
}

function convertKeyword(key: string, value: unknown, depth: number): unknown {
  if (key === 'type' && isText(value)) return value.toLowerCase();
  if (key === 'enum' || key === 'const' || key === 'default' || key === 'example' || key === 'examples') return value;
  if (key === 'properties' && isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, jsonSchema(each, depth + 1)]));
  }
  return jsonSchema(value, depth + 1);
}
