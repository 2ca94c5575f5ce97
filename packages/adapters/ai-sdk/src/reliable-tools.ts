/** Owns the entry: a tool set in, runs out. */
import type { AnyTool, ToolExecutionService } from '@holdfast/core';
import type { AnySession } from '@holdfast/core/agent';
import type { ReliableOptions, ToolSource } from '@holdfast/adapter-kit';
import { Reliable } from '@holdfast/adapter-kit';
import type { StopCondition, ToolSet } from 'ai';
import { AiSdkRun } from './ai-sdk-run.ts';
import { ReadBefore, Seam } from './seam.ts';
import type { SourceTool, SourceTools } from './wrapped-tool.ts';
import { outputOf } from './wrapped-tool.ts';

export interface StartRunOptions<Tools extends ToolSet> {
  readonly session?: AnySession | undefined;
  /** When the loop ends besides `run.stopped`; for `run.settings`. @default after 20 steps */
  readonly stopWhen?: StopCondition<Tools> | readonly StopCondition<Tools>[] | undefined;
}

/** Tools that every conversation of a program shares, with their circuits. */
export interface ReliableTools<Tools extends ToolSet> {
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  /** Begins a conversation. */
  startRun(options?: StartRunOptions<Tools>): AiSdkRun<Tools>;
}

/** @throws TypeError | RangeError naming the tool or option, its value and the mend. */
export function reliableTools<Tools extends ToolSet>(tools: Tools, options: ReliableOptions = {}): ReliableTools<Tools> {
  const readBefore = new ReadBefore();
  const sources = Object.entries(tools as unknown as SourceTools).map(([name, tool]) => sourceOf(name, tool));
  const reliable = new Reliable(sources, { ...options, readArguments: readBefore.reader });
  return {
    service: reliable.service,
    startRun: ({ session, stopWhen } = {}) => {
      const seam = new Seam(reliable, options, reliable.startRun(session), readBefore);
      return new AiSdkRun(reliable, tools, seam, typeof stopWhen === 'function' ? [stopWhen] : stopWhen);
    },
  };
}

/** Tools that the client or the provider runs are known too, so that a model is told of them; the framework never asks us for their results. */
function sourceOf(name: string, tool: SourceTool): ToolSource {
  const { description, execute } = tool;
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    run: (args: never, context) => {
      if (!execute) throw new TypeError(`${name} is not run here`);
      return outputOf(tool, args, { toolCallId: context.callId, messages: [] }, context);
    },
  };
}
