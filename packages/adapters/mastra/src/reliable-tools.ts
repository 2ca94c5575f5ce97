/** Owns the entry point: wraps tools for the agents, workflows and servers of a program. */
import type { AnyTool, ToolExecutionService } from '@holdfast/core';
import type { AnySession } from '@holdfast/core/agent';
import { effectFromAnnotations } from '@holdfast/core/internal';
import { checkReliableOptions, checkStartOptions, ParsedReliable, type FrameworkTool, type ReliableOptions } from '@holdfast/adapter-kit';
import type { ToolsInput } from '@mastra/core/agent';
import { type MastraRun, mastraRun } from './mastra-run.ts';
import { Runs } from './runs.ts';
import { mastraPolicy } from './validation-value.ts';
import { runAlone, type SourceTools, wrapTool } from './wrap-tool.ts';

/** Settings of one conversation. */
export interface StartRunOptions {
  /** Session to continue. @default a new one */
  readonly session?: AnySession | undefined;
}

/** Tools and circuit breakers shared by all conversations of a program. */
export interface ReliableTools<Tools extends ToolsInput> {
  /** The same tools, executed by the service: for agents, steps of workflows and MCP servers. Each call of an agent is a conversation of its own. */
  readonly tools: Tools;
  /** The service that runs the tools. Its circuits, budgets and metrics are shared by all runs. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  /** Starts a conversation, to use a session, to read `stopped`, or to end a loop that makes no progress. */
  startRun(options?: StartRunOptions): MastraRun;
}

/**
 * Makes the tools of a program reliable: creates the service that runs them, for all conversations.
 * @param tools by the names under which the model knows them
 * @throws TypeError | RangeError that names the invalid tool or option, its value and how to fix it.
 */
export function reliableTools<Tools extends ToolsInput>(
  tools: Tools,
  options: ReliableOptions<keyof Tools & string> = {},
): ReliableTools<Tools> {
  checkReliableOptions(options, undefined);
  const source = tools as unknown as SourceTools;
  const sources = Object.entries(source).map(([name, tool]): FrameworkTool => {
    const effect = effectFromAnnotations(tool.mcp?.annotations);
    const policy = { ...mastraPolicy, ...(effect ? { effect } : {}) };
    return { name, description: tool.description, policy, run: (args, context) => runAlone(tool, args, context) };
  });
  // The framework has already parsed and validated the arguments. Descriptions that change would break the cache of prompts.
  const reliable = new ParsedReliable(sources, options, { runDefaults: { openCircuits: 'as_is' } });
  const runs = new Runs(reliable, options);
  const shared = reliable.startRun();
  return {
    tools: Object.fromEntries(Object.keys(source).map((name) => [name, wrapTool(name, source, runs, shared)])) as unknown as Tools,
    service: reliable.service,
    startRun: (start = {}) => {
      checkStartOptions(start);
      const runId = crypto.randomUUID();
      return mastraRun(runId, runs.start(runId, start.session), reliable);
    },
  };
}
