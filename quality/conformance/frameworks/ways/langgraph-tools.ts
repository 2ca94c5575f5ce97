/** Wraps the tools of LangGraph's `ToolNode` and `createReactAgent`. */
import { reliableTools } from '@holdfast/langchain';

export { ToolNode } from './langchain-tools.ts';

interface Options {
  readonly tools: unknown;
}
type Create = (options: Options) => unknown;

export const createReactAgent =
  (original: Create): Create =>
  (options) =>
    original(Array.isArray(options.tools) ? { ...options, tools: reliableTools(options.tools as never).tools } : options);
