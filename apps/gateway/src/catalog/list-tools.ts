/** Owns listing all tools of a server. */
import { isJsonObject, isRpcError, type JsonObject, pagesOf, Pauses, rpcCodes } from '@holdfast/mcp-wire/client';

type Request = (method: string, params?: JsonObject, options?: { readonly signal?: AbortSignal }) => Promise<JsonObject>;

/** More than any reasonable server has. */
const toolsLimit = 10_000;
const maxDepth = 100;
/** No model can be given a definition that is larger. */
const maxValues = 50_000;

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
    const { tools: listed } = result;
    if (!Array.isArray(listed)) flaws.push('its list of tools is not an array');
    else await takeTools(listed, tools, flaws);
    if (tools.size > toolsLimit) {
      flaws.push(`it lists more than ${toolsLimit} tools: the rest is ignored`);
      return { tools: [...tools.values()].slice(0, toolsLimit), flaws };
    }
    if (more === 'none') return { tools: [...tools.values()], flaws };
  }
  flaws.push('its list of tools does not end: the rest is ignored');
  return { tools: [...tools.values()], flaws };
}

async function requestPage(request: Request, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
  try {
    return await request('tools/list', params, { signal });
  } catch (error) {
    if (isRpcError(error) && error.code === rpcCodes.methodNotFound) return { tools: [] };
    throw error;
  }
}

async function takeTools(listed: readonly unknown[], tools: Map<string, JsonObject>, flaws: string[]): Promise<void> {
  const pauses = new Pauses();
  for (const tool of listed) {
    takeTool(tool, tools, flaws);
    if (pauses.isDue) await pauses.pause();
  }
}

function takeTool(tool: unknown, tools: Map<string, JsonObject>, flaws: string[]): void {
  const name: unknown = isJsonObject(tool) ? tool['name'] : undefined;
  if (!isJsonObject(tool) || typeof name !== 'string' || name === '') flaws.push('it lists a tool without a name');
  else if (tools.has(name)) flaws.push(`it lists '${name}' twice: the first is used`);
  else {
    const values = valuesIn(tool, maxDepth);
    if (values === Infinity) flaws.push(`the definition of '${name}' is nested too deeply: it is ignored`);
    else if (values > maxValues) flaws.push(`the definition of '${name}' has more than ${maxValues} values: it is ignored`);
    else tools.set(name, tool);
  }
}

/** Returns the number of values, or a little more than the limit. `Infinity`: they are nested too deeply. */
function valuesIn(value: unknown, levels: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (levels === 0) return Infinity;
  let count = 1;
  for (const field of Object.values(value)) {
    count += valuesIn(field, levels - 1);
    if (count > maxValues) return count;
  }
  return count;
}
