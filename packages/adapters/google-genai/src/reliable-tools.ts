/** Owns the entry point: creates runs from a list of tools. */
import type { AnyTool, ToolExecutionService } from '@holdfast/core';
import type { AnySession } from '@holdfast/core/agent';
import type { ReliableOptions } from '@holdfast/adapter-kit';
import { checkToolList, Reliable } from '@holdfast/adapter-kit';
import type { GoogleGenAIRun } from './google-genai-run.ts';
import { googleGenAIRun } from './google-genai-run.ts';
import type { HostedTool, ReliableTool } from './tools.ts';
import { readTool } from './tools.ts';

/** Tools and circuit breakers shared by all conversations of a program. */
export interface ReliableTools {
  /** The service that runs the tools. Its circuits, budgets and metrics are shared by all runs. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  /** Starts a conversation. */
  readonly startRun: (options?: { readonly session?: AnySession | undefined }) => GoogleGenAIRun;
}

/** The names of tools that run here, where they are literals; `string` where one is not. */
export type NamesOf<Tool> = Tool extends { readonly run: unknown; readonly name: infer Name extends string } ? Name : never;

/**
 * Makes the tools of a program reliable: creates the service that runs them, for all conversations.
 * @throws TypeError | RangeError that names the invalid tool or option, its value and how to fix it.
 */
export function reliableTools<const Tools extends readonly ReliableTool[]>(
  tools: Tools,
  options: ReliableOptions<NamesOf<Tools[number]>> = {},
): ReliableTools {
  checkToolList(tools);
  const offered = tools.map((given) => ({ given, read: readTool(given) }));
  const functions = offered.flatMap(({ read }) => read ?? []);
  const hosted = offered.flatMap(({ given, read }) => (read ? [] : (given as HostedTool)));
  const reliable = new Reliable(
    functions.map(({ source }) => source),
    options,
  );
  return reliable.entry((agentRun) => googleGenAIRun(reliable, functions, hosted, agentRun));
}
