/** Owns the paths of tool definitions, their names and schemas, and the tool choice in each format. */
import { isList, isRecord, isText, itemAt, valueAt, type JsonObject } from '../json.ts';
import type { Format } from '../transcript.ts';

/** The location of the definition of a client-side tool. */
export interface ToolDefinitionPath {
  readonly native: JsonObject;
  /** Path from the request. */
  readonly path: readonly string[];
  /** Path of the name from the definition. */
  readonly name: readonly string[];
  /** Path of the schema from the definition; `undefined` if the tool has none. */
  readonly schema: readonly string[] | undefined;
}

export interface ToolPaths {
  /** Paths of the lists of tools. */
  readonly lists: readonly (readonly string[])[];
  readonly definitions: readonly ToolDefinitionPath[];
  /** Paths at which the name of a chosen tool may be found. */
  readonly choices: readonly (readonly string[])[];
}

const none: ToolPaths = { lists: [], definitions: [], choices: [] };

export function findTools(format: Format, request: JsonObject): ToolPaths {
  switch (format) {
    case 'openai-chat':
      return findListedTools(request, ['tools'], chatDefinition, [
        ['tool_choice', 'function', 'name'],
        ['tool_choice', 'custom', 'name'],
      ]);
    case 'openai-responses':
      return findListedTools(request, ['tools'], responsesDefinition, [['tool_choice', 'name']]);
    case 'anthropic-messages':
      return findListedTools(request, ['tools'], anthropicDefinition, [['tool_choice', 'name']]);
    case 'bedrock-converse':
      return findListedTools(request, ['toolConfig', 'tools'], bedrockDefinition, [['toolConfig', 'toolChoice', 'tool', 'name']]);
    case 'gemini':
      return findGeminiTools(request);
    default:
      return none;
  }
}

type Reader = (native: JsonObject, path: readonly string[]) => ToolDefinitionPath | undefined;

function findListedTools(request: JsonObject, list: readonly string[], read: Reader, choices: ToolPaths['choices']): ToolPaths {
  const tools = valueAt(request, list);
  if (!isList(tools)) return { ...none, choices };
  const definitions = tools.flatMap((native, index) => (isRecord(native) ? (read(native, [...list, String(index)]) ?? []) : []));
  return { lists: [list], definitions, choices };
}

const chatDefinition: Reader = (native, path) => {
  if (native['type'] === 'custom') return { native, path, name: ['custom', 'name'], schema: undefined };
  return isRecord(native['function']) ? { native, path, name: ['function', 'name'], schema: ['function', 'parameters'] } : undefined;
};

const responsesDefinition: Reader = (native, path) => {
  if (native['type'] === 'custom') return { native, path, name: ['name'], schema: undefined };
  return native['type'] === 'function' ? { native, path, name: ['name'], schema: ['parameters'] } : undefined;
};

const anthropicDefinition: Reader = (native, path) => {
  const own = native['type'] === undefined || native['type'] === null || native['type'] === 'custom';
  return own ? { native, path, name: ['name'], schema: ['input_schema'] } : undefined;
};

const bedrockDefinition: Reader = (native, path) => {
  const spec = native['toolSpec'];
  if (!isRecord(spec)) return undefined;
  // Anything else than an object there is reported with the shape of the tool.
  const schema = isRecord(spec['inputSchema'] ?? {}) ? ['toolSpec', 'inputSchema', 'json'] : undefined;
  return { native, path, name: ['toolSpec', 'name'], schema };
};

function findGeminiTools(request: JsonObject): ToolPaths {
  const base = isList(request['tools']) || isRecord(request['tools']) ? ['tools'] : ['config', 'tools'];
  const given = valueAt(request, base);
  // A single tool counts as a list of one.
  const tools: readonly (readonly [unknown, readonly string[]])[] = isList(given)
    ? given.map((tool, index) => [tool, [...base, String(index)]])
    : [[given, base]];
  const lists = tools.flatMap(([tool, path]) =>
    isRecord(tool) && isList(tool['functionDeclarations']) ? [[...path, 'functionDeclarations']] : [],
  );
  const definitions = lists.flatMap((list) => {
    const declarations = itemAt(request, list);
    if (!isList(declarations)) return [];
    return declarations.flatMap((native, index): readonly ToolDefinitionPath[] =>
      isRecord(native)
        ? [
            {
              native,
              path: [...list, String(index)],
              name: ['name'],
              schema: 'parameters' in native ? ['parameters'] : ['parametersJsonSchema'],
            },
          ]
        : [],
    );
  });
  return { lists, definitions, choices: [] };
}

/** Returns a copy with another value at a path that may lead through lists; `undefined` removes the field or item. */
export function setItemAt(value: unknown, path: readonly string[], next: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return next;
  if (isList(value)) {
    const index = Number(step);
    if (rest.length === 0 && next === undefined) return value.filter((_item, place) => place !== index);
    return value.map((item: unknown, place) => (place === index ? setItemAt(item, rest, next) : item));
  }
  const owner = isRecord(value) ? value : {};
  if (rest.length > 0 || next !== undefined) return { ...owner, [step]: setItemAt(owner[step], rest, next) };
  const { [step]: _removed, ...kept } = owner;
  return kept;
}

export const nameOf = (definition: ToolDefinitionPath): string | undefined => {
  const name = valueAt(definition.native, definition.name);
  return isText(name) ? name : undefined;
};
