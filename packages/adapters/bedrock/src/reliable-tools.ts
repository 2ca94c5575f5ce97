/** Owns the entry point: creates runs from a list of tools. */
import type { AnyTool, ToolExecutionService } from '@holdfast/core';
import type { AnySession } from '@holdfast/core/agent';
import type { ReliableOptions } from '@holdfast/adapter-kit';
import { checkToolList, Reliable } from '@holdfast/adapter-kit';
import type { BedrockRun, OfferedTool } from './bedrock-run.ts';
import { bedrockRun } from './bedrock-run.ts';
import type { OtherTool, ReliableTool } from './tools.ts';
import { readTool } from './tools.ts';

/** Tools and circuit breakers shared by all conversations of a program. */
export interface ReliableTools {
  /** The service that runs the tools. Its circuits, budgets and metrics are shared by all runs. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  /** Starts a conversation. */
  readonly startRun: (options?: { readonly session?: AnySession | undefined }) => BedrockRun;
}

/** The names of tools that run here, where they are literals; `string` where one is not. */
export type NamesOf<Tool> = Tool extends { readonly toolSpec: { readonly name: infer Name extends string } } ? Name : never;

/**
 * Makes the tools of a program reliable: creates the service that runs them, for all conversations.
 * @throws TypeError | RangeError that names the invalid tool or option, its value and how to fix it.
 */
export function reliableTools<const Tools extends readonly ReliableTool[]>(
  tools: Tools,
  options: ReliableOptions<NamesOf<Tools[number]>> = {},
): ReliableTools {
  checkToolList(tools);
  const offered = tools.map((given): OfferedTool => ({ given: given as OtherTool, read: readTool(given) }));
  const reliable = new Reliable(
    offered.flatMap(({ read }) => read?.source ?? []),
    options,
  );
  return reliable.entry((agentRun) => bedrockRun(reliable, offered, agentRun));
}
