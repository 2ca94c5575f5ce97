/** Owns the entry: a tool set in, runs out. */
import type { AnyTool, ToolExecutionService } from '@holdfast/core';
import type { AnySession } from '@holdfast/core/agent';
import { Reliable, type ReliableOptions, type FrameworkTool } from '@holdfast/adapter-kit';
import type { StopCondition, ToolSet } from 'ai';
import { type AiSdkRun, aiSdkRun } from './ai-sdk-run.ts';
import { bindRun } from './run-binding.ts';
import { runTool, type SourceTool } from './wrap-tool.ts';

/** Settings of one conversation. */
export interface StartRunOptions<Tools extends ToolSet> {
  /** Session to continue. @default a new one */
  readonly session?: AnySession | undefined;
  /** When the loop ends besides `run.stopped`; for `run.settings`. @default after 20 steps, as in `ToolLoopAgent` */
  readonly stopWhen?: StopCondition<Tools> | readonly StopCondition<Tools>[] | undefined;
}

/** Tools that every conversation of a program shares, with their circuits. */
export interface ReliableTools<Tools extends ToolSet> {
  /** The service that runs the tools. Its circuits, budgets and metrics are shared by all runs. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  /** Begins a conversation. */
  startRun(options?: StartRunOptions<Tools>): AiSdkRun<Tools>;
}

/**
 * Makes the tools of a program reliable: creates the service that runs them, for all conversations.
 * @throws TypeError | RangeError naming the tool or option, its value and how to fix it.
 */
export function reliableTools<Tools extends ToolSet>(tools: Tools, options: ReliableOptions = {}): ReliableTools<Tools> {
  // Tools that the client or the provider runs are known too, so that a model is notified of them; the framework does not ask us to run them.
  const sources = Object.entries(tools as unknown as Readonly<Record<string, SourceTool>>).map(([name, tool]): FrameworkTool => ({
    name,
    run: (args, context) => runTool(tool, args, { toolCallId: context.callId, messages: [] }, context),
  }));
  // The framework reads arguments, and hands over objects.
  const reliable = new Reliable(sources, options, () => ({ raw }) => ({ ok: true, value: raw, repairs: [] }));
  return {
    service: reliable.service,
    startRun: ({ session, stopWhen = ({ steps }: { readonly steps: readonly unknown[] }) => steps.length >= 20 } = {}) =>
      aiSdkRun(bindRun(reliable, options, reliable.startRun(session)), tools, [stopWhen].flat()),
  };
}
