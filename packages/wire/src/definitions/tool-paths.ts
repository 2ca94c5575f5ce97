/** Owns where each format keeps tool definitions, their names and schemas, and the choice among them. */
import { isList, isRecord, isText, itemAt, valueAt, type JsonObject } from '../json.ts';
import type { Format } from '../transcript.ts';

/** A definition of a tool that the client runs. */
export interface ToolDefinitionPath {
  readonly native: JsonObject;
  /** From the request. */
  readonly path: readonly string[];
  /** From the definition. */
  readonly name: readonly string[];
  /** From the definition; `undefined` where a tool has none. */
  readonly schema: readonly string[] | undefined;
}

export interface ToolPaths {
  /** The lists of tools that there are. */
  readonly lists: readonly (readonly string[])[];
  readonly definitions: readonly ToolDefinitionPath[];
  /** Where the name of a chosen tool stands. */
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

const bedrockDefinition: Reader = (native, path) =>
  isRecord(native['toolSpec']) ? { native, path, name: ['toolSpec', 'name'], schema: ['toolSpec', 'inputSchema', 'json'] } : undefined;

function findGeminiTools(request: JsonObject): ToolPaths {
  const base = isList(request['tools']) ? [] : ['config'];
  const tools = valueAt(request, [...base, 'tools']);
  if (!isList(tools)) return none;
  const lists = tools.flatMap((tool, index) =>
    isRecord(tool) && isList(tool['functionDeclarations']) ? [[...base, 'tools', String(index), 'functionDeclarations']] : [],
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

/** A copy with another value at a path that may lead through lists; `undefined` takes a field or an item away. */
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
  const { [step]: _gone, ...kept } = owner;
  return kept;
}

export const nameOf = (definition: ToolDefinitionPath): string | undefined => {
  const name = valueAt(definition.native, definition.name);
  return isText(name) ? name : undefined;
};
