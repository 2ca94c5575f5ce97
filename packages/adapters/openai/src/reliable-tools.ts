/** Owns the entry: tools in, runs out. */
import type { AnyTool, ToolExecutionService } from '@holdfast/core';
import type { AnySession } from '@holdfast/core/agent';
import type { ReliableOptions } from '@holdfast/adapter-kit';
import { checkToolList, Reliable } from '@holdfast/adapter-kit';
import type { OpenAIRun } from './openai-run.ts';
import { openAIRun } from './openai-run.ts';
import type { ReliableTool } from './tools.ts';
import { readTool } from './tools.ts';

/** Tools that every conversation of a program shares, with their circuits. */
export interface ReliableTools {
  /** The service that runs the tools. Its circuits, budgets and metrics are shared by all runs. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  /** Begins a conversation. */
  readonly startRun: (options?: { readonly session?: AnySession | undefined }) => OpenAIRun;
}

/**
 * Makes the tools of a program reliable: creates the service that runs them, for all conversations.
 * @throws TypeError | RangeError naming the tool or option, its value and how to fix it.
 */
export function reliableTools(tools: readonly ReliableTool[], options: ReliableOptions = {}): ReliableTools {
  checkToolList(tools);
  const read = tools.map(readTool);
  const reliable = new Reliable(
    read.map(({ source }) => source),
    options,
  );
  return {
    service: reliable.service,
    startRun: ({ session } = {}) => openAIRun(reliable, read, reliable.startRun(session)),
  };
}
