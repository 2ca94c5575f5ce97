/**
 * Owns offering thousands of tools as two: one that finds tools, and one that calls them. Pinned tools are offered beside them.
 * Does not own calls: a call of `call_tool` becomes a call of the tool it names, so that policy, trace and limits see that tool.
 */
import { isJsonObject, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { ToolIndex } from './tool-index.ts';

export interface SearchableTool {
  readonly definition: JsonObject;
}

const findName = 'find_tool';
const callName = 'call_tool';

/** No other tool can have these names. */
export const searchNames: readonly string[] = [findName, callName];

const definitions: readonly JsonObject[] = [
  {
    name: findName,
    title: 'Find a tool',
    description:
      'Finds tools by what they do. Describe the task in a few words, such as "create issue" or "read file". Returns names, descriptions and input schemas; call what you need with call_tool.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What the tool should do, in a few words.' },
        limit: { type: 'integer', minimum: 1, maximum: 20, description: 'Maximum number of tools. Default: 5.' },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: callName,
    title: 'Call a tool',
    description: 'Calls a tool that find_tool has returned. The arguments must fit its input schema.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The name of the tool, exactly as find_tool returned it.' },
        arguments: { type: 'object', description: 'The arguments of the tool.' },
      },
      required: ['name'],
    },
  },
];

/** The offer of a list is computed once, for the latest pins. */
const offers = new WeakMap<readonly SearchableTool[], { readonly pinned: readonly string[]; readonly offer: readonly SearchableTool[] }>();

/** What is offered in place of all tools. */
export function searchOffer(tools: readonly SearchableTool[], pinned: readonly string[]): readonly SearchableTool[] {
  let known = offers.get(tools);
  if (known?.pinned !== pinned) offers.set(tools, (known = { pinned, offer: shownOf(tools, pinned) }));
  return known.offer;
}

function shownOf<Tool extends SearchableTool>(tools: readonly Tool[], pinned: readonly string[]): readonly SearchableTool[] {
  const patterns = pinned.map(wildcard);
  const shown = tools.filter(({ definition: { name } }) => patterns.some((pattern) => pattern.test(String(name))));
  return [...definitions.map((definition) => ({ definition })), ...shown];
}

export const searchDefinition = (name: string): JsonObject | undefined => definitions.find((definition) => definition['name'] === name);

/** `*` is any number of characters, `?` is one; linear, since stars next to each other are one. */
function wildcard(text: string): RegExp {
  const source = text.replaceAll(/\*+/g, '*').replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${source.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'su');
}

/** The params of the call that is meant; `undefined` if they are those of a search. */
export function calledParams(params: JsonObject): JsonObject | undefined {
  if (params['name'] === findName) return undefined;
  if (params['name'] !== callName) return params;
  const given = isJsonObject(params['arguments']) ? params['arguments'] : {};
  const { name, arguments: args = {} } = given;
  if (typeof name !== 'string')
    throw rpcError(rpcCodes.invalidParams, `${callName} requires 'name', the name of a tool that ${findName} has returned`);
  if (name === callName || name === findName) throw rpcError(rpcCodes.invalidParams, `${callName} calls other tools, not ${name}`);
  return { ...params, name, arguments: args };
}

const indexes = new WeakMap<readonly SearchableTool[], Promise<ToolIndex>>();
const maxTextLength = 40_000;

/** Answers a call of `find_tool`. */
export async function findTools(tools: readonly SearchableTool[], params: JsonObject): Promise<JsonObject> {
  const { query, limit = 5 } = isJsonObject(params['arguments']) ? params['arguments'] : {};
  if (typeof query !== 'string' || query.trim() === '')
    throw rpcError(rpcCodes.invalidParams, `${findName} requires 'query', what the tool should do`);
  let index = indexes.get(tools);
  if (!index) indexes.set(tools, (index = ToolIndex.of(tools.map(({ definition }) => definition))));
  const found = await (await index).find(query, Math.min(Math.max(1, Number(limit) || 5), 20));
  const lines: string[] = [];
  let left = maxTextLength;
  for (const { name, description, inputSchema } of found) {
    const line = JSON.stringify({ name, description, inputSchema });
    left -= line.length;
    lines.push(left < 0 ? JSON.stringify({ name, note: 'its schema is too long to be shown here' }) : line);
  }
  const text = lines.length === 0 ? `No tool of ${tools.length} fits. Try other words for what it should do.` : lines.join('\n');
  return { content: [{ type: 'text', text }] };
}
