/** Owns listing all tools of a server. */
import { isJsonObject, isRpcError, type JsonObject, pagesOf, rpcCodes } from '@holdfast/mcp-wire/client';

type Request = (method: string, params?: JsonObject, options?: { readonly signal?: AbortSignal }) => Promise<JsonObject>;

/** More than any reasonable server has. */
const toolsLimit = 10_000;
const maxDepth = 100;

export interface ListedTools {
  /** The definitions of the server, with unique names. */
  readonly tools: readonly JsonObject[];
  /** The problems: what was left out, and why. */
  readonly flaws: readonly string[];
}

export async function listTools(request: Request, signal: AbortSignal): Promise<ListedTools> {
  const tools = new Map<string, JsonObject>();
  const flaws: string[] = [];
  for await (const { result, more } of pagesOf((_method, params) => requestPage(request, params, signal), 'tools/list')) {
    if (!Array.isArray(result['tools'])) flaws.push('its list of tools is not an array');
    else for (const tool of result['tools'] as readonly unknown[]) takeTool(tool, tools, flaws);
    if (more === 'none') return { tools: [...tools.values()], flaws };
    if (tools.size > toolsLimit) break;
  }
  flaws.push('its list of tools does not end: the rest is ignored');
  return { tools: [...tools.values()].slice(0, toolsLimit), flaws };
}

async function requestPage(request: Request, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
  try {
    return await request('tools/list', params, { signal });
  } catch (error) {
    if (isRpcError(error) && error.code === rpcCodes.methodNotFound) return { tools: [] };
    throw error;
  }
}

function takeTool(tool: unknown, tools: Map<string, JsonObject>, flaws: string[]): void {
  const name: unknown = isJsonObject(tool) ? tool['name'] : undefined;
  if (!isJsonObject(tool) || typeof name !== 'string' || name === '') flaws.push('it lists a tool without a name');
  else if (tools.has(name)) flaws.push(`it lists '${name}' twice: the first is used`);
  else if (!isShallow(tool, maxDepth)) flaws.push(`the definition of '${name}' is nested too deeply: it is ignored`);
  else tools.set(name, tool);
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((field) => isShallow(field, levels - 1));
}
