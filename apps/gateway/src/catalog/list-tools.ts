/** Owns listing all tools of a server. */
import { isJsonObject, isRpcError, type JsonObject, pagesOf, Pauses, rpcCodes, UnreadPart } from '@holdfast/mcp-wire/client';

type Request = (method: string, params?: JsonObject, options?: { readonly signal?: AbortSignal }) => Promise<JsonObject>;

/** More than any reasonable server has. */
const toolsLimit = 10_000;
const maxDepth = 100;
/** No model can be given a definition that is larger. */
const maxValues = 20_000;
/** In a definition, and in all definitions of a server. */
const maxChars = 500_000;
const maxAllChars = 16_000_000;
/** The protocol recommends at most 128. */
const maxNameChars = 1_024;
const maxFlaws = 100;

export interface ListedTools {
  /** The definitions of the server, with unique names. */
  readonly tools: readonly JsonObject[];
  /** The problems: what was left out, and why. */
  readonly flaws: readonly string[];
}

export async function listTools(request: Request, signal: AbortSignal): Promise<ListedTools> {
  const list = new ToolList();
  for await (const { result, more } of pagesOf((_method, params) => requestPage(request, params, signal), 'tools/list')) {
    const { tools: listed } = result;
    if (Array.isArray(listed)) await list.take(listed);
    else list.flaws.push('its list of tools is not an array');
    if (list.isFull || more === 'none') return list.read();
  }
  list.flaws.push('its list of tools does not end: the rest is ignored');
  return list.read();
}

async function requestPage(request: Request, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
  try {
    return await request('tools/list', params, { signal });
  } catch (error) {
    if (isRpcError(error) && error.code === rpcCodes.methodNotFound) return { tools: [] };
    throw error;
  }
}

class ToolList {
  readonly flaws: string[] = [];
  isFull = false;
  readonly #tools = new Map<string, JsonObject>();
  #chars = 0;

  async take(listed: readonly unknown[]): Promise<void> {
    const pauses = new Pauses();
    for (const tool of listed) {
      this.#takeTool(tool);
      if (this.isFull) return;
      if (pauses.isDue) await pauses.pause();
    }
  }

  read(): ListedTools {
    const { length } = this.flaws;
    const flaws = length <= maxFlaws ? this.flaws : [...this.flaws.slice(0, maxFlaws), `it has ${length - maxFlaws} more problems`];
    return { tools: [...this.#tools.values()], flaws };
  }

  #takeTool(tool: unknown): void {
    const name: unknown = isJsonObject(tool) ? tool['name'] : undefined;
    if (!isJsonObject(tool) || typeof name !== 'string' || name === '') return void this.flaws.push('it lists a tool without a name');
    if (name.length > maxNameChars)
      return void this.flaws.push(`it lists a tool whose name has more than ${maxNameChars} characters: it is ignored`);
    if (this.#tools.has(name)) return void this.flaws.push(`it lists '${name}' twice: the first is used`);
    const size = { values: 0, chars: 0 };
    const flaw = flawOf(tool, size);
    if (flaw !== undefined) return void this.flaws.push(`the definition of '${name}' ${flaw}: it is ignored`);
    this.#chars += size.chars;
    if (this.#tools.size === toolsLimit) this.#stop(`it lists more than ${toolsLimit} tools`);
    else if (this.#chars > maxAllChars) this.#stop(`the definitions of its tools have more than ${maxAllChars} characters`);
    else this.#tools.set(name, tool);
  }

  #stop(why: string): void {
    this.isFull = true;
    this.flaws.push(`${why}: the rest is ignored`);
  }
}

/** Adds to the size until it is too large. */
function flawOf(value: unknown, size: { values: number; chars: number }, levels: number = maxDepth): string | undefined {
  size.values += 1;
  if (typeof value === 'string') size.chars += value.length;
  if (size.values > maxValues) return `has more than ${maxValues} values`;
  if (size.chars > maxChars) return `has more than ${maxChars} characters`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof UnreadPart) return value.reason;
  if (levels === 0) return 'is nested too deeply';
  for (const key of Object.keys(value)) {
    size.chars += key.length;
    const flaw = flawOf((value as Readonly<Record<string, unknown>>)[key], size, levels - 1);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}
