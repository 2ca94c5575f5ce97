/** Owns using the functions of a `CallableTool` of the SDK, such as one of `mcpToTool`, as tools. */
import type { CallableTool } from '@google/genai';
import { fieldsOf, itemsOf } from '@holdfast/adapter-kit';
import { outputOfParts } from './calls.ts';
import type { ToolFunction } from './tools.ts';

/** Returns the functions of a `CallableTool`, such as `mcpToTool(client)`, as tools for `reliableTools`. */
export async function functionsOf(callable: CallableTool): Promise<readonly ToolFunction[]> {
  const { functionDeclarations = [] } = await callable.tool();
  return functionDeclarations.map((declaration) => {
    const { name = '' } = declaration;
    const run: ToolFunction['run'] = async (args: Record<string, unknown>, { callId }) => {
      const parts = await callable.callTool([{ id: callId, name, args }]);
      if (!parts.some(({ functionResponse }) => functionResponse)) throw new Error(`The tool '${name}' returned no response`);
      const output = outputOfParts(parts);
      const { error } = fieldsOf(output);
      if (error !== undefined && error !== null) throw new Error(messageOf(error));
      return output;
    };
    // The fields stay in their order, so that the model is sent the same bytes.
    return { ...(declaration as Omit<ToolFunction, 'run'>), name, run };
  });
}

/** The message of a tool that reported a failure: a string, or the result of an MCP server. */
function messageOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const texts = itemsOf(fieldsOf(error)['content']).flatMap((block) => {
    const { text } = fieldsOf(block);
    return typeof text === 'string' ? [text] : [];
  });
  return texts.length > 0 ? texts.join('\n') : JSON.stringify(error);
}
