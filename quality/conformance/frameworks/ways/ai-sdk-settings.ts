/** Wraps the calls of the AI SDK as its guide shows it: `...run.settings`. Of a program with its own repair of calls, only the tools. */
import { reliableTools } from '@holdfast/ai-sdk';
import type { ToolSet } from 'ai';
import { withTools } from './ai-sdk-tools.ts';

export {
  convertToModelMessages,
  createToolModelOutput,
  executeToolCall,
  executeToolsFromStream,
  parseToolCall,
  prepareTools,
  resolveToolApproval,
  toResponseMessages,
} from './ai-sdk-tools.ts';

interface Options {
  readonly tools?: ToolSet;
  readonly repairToolCall?: unknown;
  readonly experimental_repairToolCall?: unknown;
}
type Func = (options: Options) => unknown;
type Agent = new (settings: Options) => object;

function withSettings(options: Options): Options {
  const { tools = {}, repairToolCall, experimental_repairToolCall: experimental } = options;
  if (Object.keys(tools).length === 0) return options;
  if (repairToolCall ?? experimental) return withTools(options) as Options;
  return { ...options, ...reliableTools(tools).startRun().settings };
}

const wrapped =
  (original: Func): Func =>
  (options) =>
    original(withSettings(options));

export const generateText: (original: Func) => Func = wrapped;
export const streamText: (original: Func) => Func = wrapped;
export const ToolLoopAgent = (original: Agent): Agent =>
  class extends original {
    constructor(settings: Options) {
      super(withSettings(settings));
    }
  };
