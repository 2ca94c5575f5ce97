/** Adds the middleware to every agent of LangChain that has tools, and wraps the tools of a `ToolNode`. */
import { reliableTools } from '@holdfast/langchain';

export { ToolNode } from './langchain-tools.ts';

interface Options {
  readonly tools?: readonly unknown[];
  readonly middleware?: readonly unknown[];
}
type Create = (options: Options) => unknown;

export const createAgent =
  (original: Create): Create =>
  (options) => {
    const { tools = [], middleware = [] } = options;
    return original({ ...options, middleware: [reliableTools(tools as never).middleware, ...middleware] });
  };
