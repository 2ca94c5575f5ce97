/**
 * Owns finding what is no tool definition at all: lists that are no lists, entries that are no objects, kinds of tools without their part. These are reported,
 * never repaired. Does not own the contents of readable definitions (`repair-definitions.ts`).
 */
import { isList, isRecord, isText, itemAt, type JsonObject } from '../json.ts';
import type { ProviderProfile } from '../profiles/profile-names.ts';
import type { RepairLog } from '../repair/repair-log.ts';
import type { Format } from '../transcript.ts';
import type { DefinitionContext } from './definition-context.ts';

/** What an entry of a list of tools must look like; `undefined` if it does. */
type Shape = (tool: JsonObject, profile: ProviderProfile) => string | undefined;

export function checkToolShapes(request: JsonObject, { format, profile, log }: DefinitionContext): void {
  if (format === 'gemini') return checkGeminiTools(request, log);
  const shape = shapes[format];
  if (!shape) return;
  const path = format === 'bedrock-converse' ? ['toolConfig', 'tools'] : ['tools'];
  if (format === 'bedrock-converse' && isPresent(request['toolConfig']) && !isRecord(request['toolConfig']))
    return log.problem('tool-shape', 'toolConfig', 'The tool configuration is not an object.');
  checkList(itemAt(request, path), path.join('.'), (tool) => shape(tool, profile), log);
}

function checkList(tools: unknown, path: string, shape: (tool: JsonObject) => string | undefined, log: RepairLog): void {
  if (!isPresent(tools)) return;
  if (!isList(tools)) return log.problem('tool-shape', path, 'The tools are not an array.');
  tools.forEach((tool, index) => {
    const problem = isRecord(tool) ? shape(tool) : 'A tool is not an object.';
    if (problem !== undefined) log.problem('tool-shape', `${path}.${index}`, problem);
  });
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** Other providers of this format have types of their own for tools that they run. */
const chatTool: Shape = ({ type, function: own, custom }, profile) => {
  if (type === 'function') return isRecord(own) ? nameProblem(own) : "A tool of type 'function' has no 'function'.";
  if (type === 'custom') return isRecord(custom) ? nameProblem(custom) : "A tool of type 'custom' has no 'custom'.";
  if (!isText(type)) return 'A tool has no type.';
  if (isPresent(own) && !isRecord(own)) return "The 'function' of a tool is not an object.";
  return profile === 'openai' ? `A tool has the unknown type '${type}'.` : undefined;
};

/** Tools that the provider runs have a type of their own, and no name. */
const responsesTool: Shape = (tool) => {
  const { type } = tool;
  if (type === 'function' || type === 'custom') return nameProblem(tool);
  return isText(type) && type !== '' ? undefined : 'A tool has no type.';
};

/** Tools that Anthropic defines have a dated type, such as `bash_20250124`. */
const providerRun = /_\d{8}$/;

const anthropicTool: Shape = (tool) => {
  const { type, input_schema: schema } = tool;
  if (isPresent(type) && !isText(type)) return 'The type of a tool is not a string.';
  // A set of an MCP server's tools is named by its server.
  if (type === 'mcp_toolset') return undefined;
  if (isText(type) && type !== 'custom') {
    if (!providerRun.test(type)) return `A tool has the unknown type '${type}'.`;
    return isText(tool['name']) ? undefined : 'A tool has no name.';
  }
  if (isPresent(schema) && !isRecord(schema)) return "A tool's 'input_schema' is not an object.";
  return nameProblem(tool);
};

const bedrockTool: Shape = ({ toolSpec, cachePoint, systemTool }) => {
  if (isRecord(toolSpec)) {
    const { inputSchema } = toolSpec;
    if (isPresent(inputSchema) && !isRecord(inputSchema)) return "A tool's 'inputSchema' is not an object.";
    return nameProblem(toolSpec);
  }
  return isRecord(cachePoint) || isRecord(systemTool) ? undefined : "A tool has none of 'toolSpec', 'systemTool' and 'cachePoint'.";
};

/** Fields of the tools of other providers, which Gemini does not know. */
const foreign = ['type', 'function', 'name', 'description', 'parameters', 'strict', 'input_schema', 'inputSchema', 'toolSpec'] as const;

function geminiTool(tool: JsonObject): string | undefined {
  if (Object.keys(tool).length === 0) return 'A tool is empty.';
  const unknown = foreign.find((field) => Object.hasOwn(tool, field));
  return unknown === undefined ? undefined : `A tool has the unknown field '${unknown}'; functions are in 'functionDeclarations'.`;
}

function geminiFunction(declaration: JsonObject): string | undefined {
  const unknown = ['type', 'strict', 'input_schema'].find((field) => declaration[field] !== undefined);
  return unknown === undefined ? nameProblem(declaration) : `A function declaration has the unknown field '${unknown}'.`;
}

/** The problem of a missing name is reported with the other contents of a readable definition. */
function nameProblem({ name }: JsonObject): string | undefined {
  return isPresent(name) && !isText(name) ? 'The name of a tool is not a string.' : undefined;
}

const shapes: Readonly<Partial<Record<Format, Shape>>> = {
  'openai-chat': chatTool,
  'openai-responses': responsesTool,
  'anthropic-messages': anthropicTool,
  'bedrock-converse': bedrockTool,
};

function checkGeminiTools(request: JsonObject, log: RepairLog): void {
  const path = isPresent(request['tools']) || !isRecord(request['config']) ? ['tools'] : ['config', 'tools'];
  const given = itemAt(request, path);
  // A single tool counts as a list of one.
  const tools = isRecord(given) ? [given] : given;
  checkList(tools, path.join('.'), geminiTool, log);
  if (!isList(tools)) return;
  tools.forEach((tool, index) => {
    const place = [...path, ...(tools === given ? [index] : []), 'functionDeclarations'].join('.');
    if (isRecord(tool)) checkList(tool['functionDeclarations'], place, geminiFunction, log);
  });
}
