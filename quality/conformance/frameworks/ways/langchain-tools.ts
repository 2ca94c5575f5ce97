/** Wraps the tools of a `ToolNode` as the guide shows it: with `failures: 'throw'` where the node has its own `handleToolErrors`. */
import { reliableTools } from '@holdfast/langchain';

interface Options {
  readonly handleToolErrors?: unknown;
}
export type Node = new (tools: readonly unknown[], options?: Options) => object;

export const ToolNode = (original: Node): Node => {
  const wrapped = class ToolNode extends original {
    constructor(tools: readonly unknown[], options?: Options) {
      const failures = options?.handleToolErrors === undefined ? 'answer' : 'throw';
      super(reliableTools(tools as never, { failures }).tools, options);
    }
  };
  return wrapped;
};
