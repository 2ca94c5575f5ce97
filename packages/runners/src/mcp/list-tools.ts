/**
 * Owns reading all pages of a server's list of tools.
 */
import type { JsonObject } from '@holdfast/mcp-wire/client';
import { effectFromAnnotations, type ToolAnnotations } from '@holdfast/core/internal';
import { isRecord } from '@holdfast/core/internal/plain';

/** A tool as the server describes it. */
export interface McpTool {
  /** The server's name of the tool. */
  readonly name: string;
  /** Display name of the tool. */
  readonly title?: string;
  /** Description for the model. */
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** JSON Schema of structured output. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** Hints of the server about the tool. Absent if it gave none. */
  readonly annotations?: ToolAnnotations;
  /** Effect by the annotations: see `effectFromAnnotations`. */
  readonly effect?: 'read' | 'idempotent' | 'unsafe';
}

/** Most pages, for a server whose list never ends. */
const maxPages = 64;

export async function listTools(requestPage: (params: JsonObject | undefined) => Promise<JsonObject>): Promise<readonly McpTool[]> {
  const found: McpTool[] = [];
  let cursor: unknown;
  for (let page = 0; page < maxPages; page++) {
    const { tools, nextCursor } = await requestPage(typeof cursor === 'string' ? { cursor } : undefined);
    if (Array.isArray(tools)) found.push(...tools.filter(isRecord).map(toolOf));
    if (typeof nextCursor !== 'string') break;
    cursor = nextCursor;
  }
  return found;
}

function toolOf(listed: JsonObject): McpTool {
  const { name, title, description, inputSchema, outputSchema } = listed;
  const annotations = isRecord(listed['annotations']) ? (listed['annotations'] as ToolAnnotations) : undefined;
  const effect = effectFromAnnotations(annotations);
  return {
    name: String(name),
    inputSchema: isRecord(inputSchema) ? inputSchema : {},
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(isRecord(outputSchema) ? { outputSchema } : {}),
    ...(annotations === undefined ? {} : { annotations }),
    ...(effect === undefined ? {} : { effect }),
  };
}
