/** Owns the entry point: creates runs from a tool set. */
import type { AnyTool, ToolExecutionService } from '@holdfast/core';
import type { AnySession } from '@holdfast/core/agent';
import { checkReliableOptions, ParsedReliable, type ReliableOptions, type FrameworkTool } from '@holdfast/adapter-kit';
import { isRecord, refuse } from '@holdfast/core/internal/plain';
import type { ToolSet } from 'ai';
import { type AiSdkRun, aiSdkRun } from './ai-sdk-run.ts';
import { shownSchema } from './input-schema.ts';
import { bindRun } from './run-binding.ts';
import { runTool, type SourceTool } from './wrap-tool.ts';

/** Settings of one conversation. */
export interface StartRunOptions {
  /** Session to continue. @default a new one */
  readonly session?: AnySession | undefined;
}

/** Tools and circuit breakers shared by all conversations of a program. */
export interface ReliableTools<Tools extends ToolSet> {
  /** The service that runs the tools. Its circuits, budgets and metrics are shared by all runs. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  /** Starts a conversation. */
  startRun(options?: StartRunOptions): AiSdkRun<Tools>;
}

/**
 * Makes the tools of a program reliable: creates the service that runs them, for all conversations.
 * @throws TypeError | RangeError that names the invalid tool or option, its value and how to fix it.
 */
export function reliableTools<Tools extends ToolSet>(
  tools: Tools,
  options: ReliableOptions<keyof Tools & string> = {},
): ReliableTools<Tools> {
  if (!isRecord(tools) || typeof (tools as { readonly then?: unknown }).then === 'function')
    refuse('The tools', tools, 'an object of tools by name', '');
  checkReliableOptions(options, undefined);
  // Tools run by the client or the provider are included, so that error messages can list them; the framework never executes them here.
  const sources = Object.entries(tools as unknown as Readonly<Record<string, SourceTool>>).map(([name, tool]): FrameworkTool => ({
    name,
    schema: () => shownSchema(tool.inputSchema),
    run: (args, context) =>
      runTool(tool, args, { toolCallId: context.callId, messages: [], abortSignal: context.signal as AbortSignal }, context),
  }));
  // The framework has already parsed the arguments to objects, and reports a tool whose description has changed.
  const reliable = new ParsedReliable(sources, options, { runDefaults: { openCircuits: 'as_is' } });
  return reliable.entry((agentRun) => aiSdkRun(bindRun(reliable, options, agentRun), tools));
}
