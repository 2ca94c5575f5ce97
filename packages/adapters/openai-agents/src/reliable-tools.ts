/** Owns the entry point: creates runs from a list of tools. */
import type { AnyTool, ToolExecutionService } from '@holdfast/core';
import type { AnySession } from '@holdfast/core/agent';
import type { ReliableOptions } from '@holdfast/adapter-kit';
import { checkReliableOptions, checkStartOptions, Reliable } from '@holdfast/adapter-kit';
import { readArguments } from '@holdfast/wire';
import type { ToolInputParameters } from '@openai/agents';
import { wrapAgentTool } from './agent-tools.ts';
import type { AgentsRun } from './agents-run.ts';
import { agentsRun } from './agents-run.ts';
import { Conversation } from './conversation.ts';
import type { AgentToolDefinitions, NamedTool } from './tools.ts';
import { readTool } from './tools.ts';

/** The common options of the adapters, and the API of the model. */
export interface AgentsOptions<Name extends string = string> extends ReliableOptions<Name> {
  /** The API used to call the model, as in `setOpenAIAPI`. Chat Completions requires every result directly after its call. @default 'responses' */
  readonly api?: 'responses' | 'chat_completions' | undefined;
}

/** Tools and circuit breakers shared by all conversations of a program. */
export interface ReliableTools {
  /** The service that runs the tools. Its circuits, budgets and metrics are shared by all runs. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  /** Starts a conversation. */
  readonly startRun: (options?: { readonly session?: AnySession | undefined }) => AgentsRun;
}

/**
 * Makes the tools of a program reliable: creates the service that runs them, for all conversations.
 * @param tools options for the SDK's `tool()`, or finished function tools, whose failures are only visible as a string
 * @throws TypeError | RangeError that names the invalid tool or option, its value and how to fix it.
 */
export function reliableTools<Parameters extends readonly ToolInputParameters[], Name extends string>(
  tools: AgentToolDefinitions<Parameters> & readonly NamedTool<Name>[],
  given: AgentsOptions<NoInfer<Name>> = {},
): ReliableTools {
  const read = tools.map(readTool);
  checkReliableOptions(given, undefined, { api: ['responses', 'chat_completions'] });
  const { api = 'responses', ...options } = given;
  // A profile that requires results directly after their calls.
  const backend = options.backend ?? (api === 'chat_completions' ? 'litellm' : undefined);
  const reliable = new Reliable(
    read.map(({ source }) => source),
    { ...options, backend, readArguments: ({ raw }) => ({ ok: true, value: raw ?? {}, repairs: [] }) },
  );
  const begin = (session?: AnySession): Conversation =>
    new Conversation(reliable, reliable.startRun(session), read, options.readArguments ?? readArguments);
  for (const each of read) if (each.identity) wrapAgentTool(each.identity, each, begin);
  return {
    service: reliable.service,
    startRun: (start = {}) => {
      checkStartOptions(start);
      return agentsRun(begin(start.session), read);
    },
  };
}
