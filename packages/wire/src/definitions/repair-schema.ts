/** Owns repairing the parts of a tool's schema that providers refuse, without changing which arguments are valid. */
import { isList, isRecord, isText, valueAt, type JsonObject } from '../json.ts';
import type { Format } from '../transcript.ts';
import type { DefinitionContext } from './definition-context.ts';
import { setItemAt, type ToolDefinitionPath } from './tool-paths.ts';

const maxDepth = 64;
const combinators = ['oneOf', 'anyOf', 'allOf'] as const;

/** Repairs the schema of one tool in a request. */
export type RepairSchema = (request: unknown, definition: ToolDefinitionPath, context: DefinitionContext) => unknown;

export const repairSchema: RepairSchema = (request, definition, context) => {
  const { schema: fields, native, path } = definition;
  if (!fields) return request;
  const place = [...path, ...fields];
  const given = valueAt(native, fields);
  if (given === undefined && !context.rules.schemaRequired) return request;
  let repaired = request;
  const schema = cleanSchema(given, place.join('.'), context, 0);
  const rooted = requireObjectRoot(schema, place.join('.'), context);
  if (rooted !== given) repaired = setItemAt(repaired, place, rooted);
  return repairStrict(repaired, definition, rooted, context);
};

/** Removes meaningless keywords that are refused, such as `required: null`, and adds `items` to arrays without it. */
function cleanSchema(schema: unknown, path: string, context: DefinitionContext, depth: number): unknown {
  if (depth > maxDepth) return schema;
  if (isList(schema)) {
    const items = schema.map((item, index) => cleanSchema(item, `${path}.${index}`, context, depth + 1));
    return items.every((item, index) => item === schema[index]) ? schema : items;
  }
  if (!isRecord(schema)) return schema;
  let copy: JsonObject = schema;
  for (const [key, value] of Object.entries(schema)) {
    if (valueKeywords.has(key)) continue;
    const next = emptyKeywords.has(key) && value === null ? undefined : cleanSchema(value, `${path}.${key}`, context, depth + 1);
    if (next === value) continue;
    if (next === undefined) context.log.edited('tool-schema', `${path}.${key}`, value, undefined);
    copy = setItemAt(copy, [key], next) as JsonObject;
  }
  if (!openAi.has(context.format) || copy['items'] !== undefined || !hasType(copy, 'array')) return copy;
  context.log.edited('tool-schema', `${path}.items`, undefined, {});
  return { ...copy, items: {} };
}

const hasType = (schema: JsonObject, type: string): boolean =>
  schema['type'] === type || (isList(schema['type']) && schema['type'].includes(type));

const openAi: ReadonlySet<Format> = new Set<Format>(['openai-chat', 'openai-responses']);
const valueKeywords: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'example']);
const emptyKeywords: ReadonlySet<string> = new Set(['required', 'properties', 'items', 'additionalProperties']);

function requireObjectRoot(schema: unknown, path: string, { format, rules, log }: DefinitionContext): unknown {
  if (!isRecord(schema)) {
    log.edited('tool-schema', path, schema, { type: 'object', properties: {} });
    return { type: 'object', properties: {} };
  }
  let rooted: JsonObject = schema;
  if (rooted['type'] === undefined) {
    log.edited('tool-schema', `${path}.type`, undefined, 'object');
    rooted = { type: 'object', ...(setItemAt(rooted, ['type'], undefined) as JsonObject) };
  } else if (rooted['type'] !== 'object') log.problem('tool-schema', `${path}.type`, 'The schema of a tool must have the type object.');
  if (openAi.has(format) && rooted['type'] === 'object' && !isRecord(rooted['properties'])) {
    log.edited('tool-schema', `${path}.properties`, rooted['properties'], {});
    rooted = { ...rooted, properties: {} };
  }
  return rules.plainSchemaRoot ? moveCombinatorsToDescription(rooted, path, log) : rooted;
}

/** Moves the combinators into the description. The provider then accepts more arguments; Holdfast still checks them. */
function moveCombinatorsToDescription(schema: JsonObject, path: string, log: DefinitionContext['log']): JsonObject {
  let plain = schema;
  for (const keyword of combinators) {
    const value = plain[keyword];
    if (value === undefined) continue;
    log.edited('tool-schema', `${path}.${keyword}`, value, undefined);
    const description = `${isText(plain['description']) ? `${plain['description']} ` : ''}${keyword}: ${JSON.stringify(value)}`;
    log.edited('tool-schema', `${path}.description`, plain['description'], description);
    plain = { ...(setItemAt(plain, [keyword], undefined) as JsonObject), description };
  }
  return plain;
}

/** Switches off `strict` for a schema that does not meet its requirements; the same arguments stay valid. */
function repairStrict(
  request: unknown,
  { native, path, schema: fields }: ToolDefinitionPath,
  schema: unknown,
  { log, format }: DefinitionContext,
): unknown {
  const place = format === 'openai-chat' ? ['function', 'strict'] : ['strict'];
  if ((format !== 'openai-chat' && format !== 'openai-responses') || !fields) return request;
  if (valueAt(native, place) !== true || isStrict(schema, 0)) return request;
  log.edited('tool-schema', [...path, ...place].join('.'), true, false);
  return setItemAt(request, [...path, ...place], false);
}

function isStrict(schema: unknown, depth: number): boolean {
  if (isList(schema)) return schema.every((item) => isStrict(item, depth + 1));
  if (!isRecord(schema) || depth > maxDepth) return true;
  const properties = isRecord(schema['properties']) ? Object.keys(schema['properties']) : [];
  if (hasType(schema, 'object') || properties.length > 0) {
    const needed = new Set(isList(schema['required']) ? schema['required'] : []);
    if (schema['additionalProperties'] !== false || properties.some((key) => !needed.has(key))) return false;
  }
  return Object.entries(schema).every(
    ([key, value]) => key === 'enum' || key === 'const' || key === 'default' || isStrict(value, depth + 1),
  );
}
