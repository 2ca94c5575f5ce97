/** Wraps the tools that the AI SDK's functions are given: `tools: run.tools`. */
import { reliableTools } from '@holdfast/ai-sdk';
import type { ToolSet } from 'ai';

type Options = { readonly tools?: ToolSet; readonly tool?: ToolSet[string]; readonly toolName?: string };
type Func = (...args: unknown[]) => unknown;
type Agent = new (settings: Options) => object;

const reliable = (tools: ToolSet): ToolSet => reliableTools(tools).startRun().tools;

export function withTools(options: Options | undefined): Options | undefined {
  if (!options) return options;
  const { tools, tool } = options;
  if (tools && Object.keys(tools).length > 0) return { ...options, tools: reliable(tools) };
  return tool ? { ...options, tool: reliable({ tool })['tool'] as ToolSet[string] } : options;
}

const first =
  (original: Func): Func =>
  (options, ...rest) =>
    original(withTools(options as Options), ...rest);
const second =
  (original: Func): Func =>
  (messages, options) =>
    original(messages, withTools(options as Options));

export const generateText: (original: Func) => Func = first;
export const streamText: (original: Func) => Func = first;
export const executeToolCall: (original: Func) => Func = first;
export const executeToolsFromStream: (original: Func) => Func = first;
export const parseToolCall: (original: Func) => Func = first;
export const resolveToolApproval: (original: Func) => Func = first;
export const toResponseMessages: (original: Func) => Func = first;
export const prepareTools: (original: Func) => Func = first;
export const createToolModelOutput: (original: Func) => Func = first;
export const convertToModelMessages: (original: Func) => Func = second;
export const ToolLoopAgent = (original: Agent): Agent =>
  class extends original {
    constructor(settings: Options) {
      super(withTools(settings) as Options);
    }
  };
