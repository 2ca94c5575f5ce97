/**
 * Owns a tool as it is handed to the framework for one attempt: the same tool, which hears when its attempt is over, and whose output can always be told.
 */
import { isDirectToolOutput } from '@langchain/core/messages/tool';
import type { ClientTool } from '@langchain/core/tools';
import { outputText } from '@holdfast/core/agent';

interface Invocable {
  invoke(input: unknown, config?: object): Promise<unknown>;
}

type Run = (...args: readonly unknown[]) => unknown;

/** @param signal of the attempt */
export function lentTool(tool: ClientTool, signal: AbortSignal): Invocable & ClientTool {
  const { func } = tool as { readonly func?: Run };
  const base = (
    func ? derived(tool, { func: async (...args: readonly unknown[]) => tellable(await func.apply(tool, [...args])) }) : tool
  ) as Invocable;
  const invoke = (input: unknown, config: { readonly signal?: AbortSignal } = {}): Promise<unknown> =>
    base.invoke(input, { ...config, signal: config.signal ? AbortSignal.any([config.signal, signal]) : signal });
  return derived(tool, { invoke }) as Invocable & ClientTool;
}

/** The same tool in all but what is named. */
export function derived<Tool extends object>(tool: Tool, own: Readonly<Record<string, unknown>>): Tool {
  const fields = Object.entries(own).map(([name, value]) => [name, { value, enumerable: true, writable: true, configurable: true }]);
  return Object.create(tool, Object.fromEntries(fields) as PropertyDescriptorMap) as Tool;
}

/** LangChain makes `[object Object]` of what JSON cannot tell. */
function tellable(output: unknown): unknown {
  if (typeof output !== 'object' || output === null || isDirectToolOutput(output)) return output;
  try {
    JSON.stringify(output);
    return output;
  } catch {
    return outputText(output);
  }
}
