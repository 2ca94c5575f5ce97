/** Owns the entry: tools in, runs out. */
import type { AnyTool, ToolExecutionService } from '@holdfast/core';
import type { AnySession } from '@holdfast/core/agent';
import type { ReliableOptions } from '@holdfast/adapter-kit';
import { Reliable } from '@holdfast/adapter-kit';
import { readArguments } from '@holdfast/wire';
import type { ToolInputParameters } from '@openai/agents';
import type { AgentsRun } from './agents-run.ts';
import { agentsRun } from './agents-run.ts';
import { Conversation } from './conversation.ts';
import type { AgentToolDefinitions } from './tools.ts';
import { readTool } from './tools.ts';

/** What every adapter takes, and which API the model is called by. */
export interface AgentsOptions extends ReliableOptions {
  /** What the model is called by, as in `setOpenAIAPI`. Chat Completions wants every result directly behind its call. @default 'responses' */
  readonly api?: 'responses' | 'chat_completions' | undefined;
}

/** Tools that every conversation of a program shares, with their circuits. */
export interface ReliableTools {
  /** The service that runs the tools. Its circuits, budgets and metrics are shared by all runs. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  /** Begins a conversation. */
  readonly startRun: (options?: { readonly session?: AnySession | undefined }) => AgentsRun;
}

/**
 * Makes the tools of a program reliable: creates the service that runs them, for all conversations.
 * @param tools What the SDK's `tool()` takes, or finished function tools, of whose failures only a string is seen.
 * @throws TypeError | RangeError naming the tool or option, its value and how to fix it.
 */
export function reliableTools<Parameters extends readonly ToolInputParameters[]>(
  tools: AgentToolDefinitions<Parameters>,
  { api = 'responses', ...options }: AgentsOptions = {},
): ReliableTools {
  const read = tools.map(readTool);
  // A profile whose results stand directly behind their calls.
  const backend = options.backend ?? (api === 'chat_completions' ? 'litellm' : undefined);
  const reliable = new Reliable(
    read.map(({ source }) => source),
    { ...options, backend, readArguments: ({ raw }) => ({ ok: true, value: raw ?? {}, repairs: [] }) },
  );
  return {
    service: reliable.service,
    startRun: ({ session } = {}) =>
      agentsRun(new Conversation(reliable, reliable.startRun(session), read, options.readArguments ?? readArguments), read),
  };
}
