/** Owns telling tools made by `agent.asTool()`, and what they were before their object was wrapped. */
import { withProperties } from '@holdfast/adapter-kit';
import type { FunctionTool } from '@openai/agents';

/** The tools as they were made, by the objects that are wrapped. */
const originals = new WeakMap<FunctionTool, FunctionTool>();

/** Only agent tools report the events of their agent. */
export const isAgentTool = (tool: FunctionTool): boolean => typeof (tool as { readonly on?: unknown }).on === 'function';

/** Returns an agent tool as the SDK made it; any other tool is returned unchanged. */
export function originalOf(tool: FunctionTool): FunctionTool {
  if (!isAgentTool(tool)) return tool;
  const original = originals.get(tool) ?? withProperties(tool, {});
  originals.set(tool, original);
  return original;
}
