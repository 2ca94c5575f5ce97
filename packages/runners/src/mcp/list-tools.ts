/**
 * Owns reading a server's list of tools.
 */
import { type JsonObject, type PageRequest, pagesOf } from '@holdfast/mcp-wire/client';
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

export async function listTools(request: PageRequest): Promise<readonly McpTool[]> {
  const found: McpTool[] = [];
  for await (const { result } of pagesOf(request, 'tools/list')) {
    const { tools } = result;
    if (Array.isArray(tools)) found.push(...tools.filter(isRecord).map(toolOf));
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
