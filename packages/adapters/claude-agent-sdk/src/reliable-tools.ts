/** Owns the entry point: creates runs from a list of tools. */
import type { AnyTool, ToolExecutionService } from '@holdfast/core';
import { ToolValidationError, type AnySession } from '@holdfast/core/agent';
import { effectFromAnnotations } from '@holdfast/core/internal';
import { checkToolList, ParsedReliable, type FrameworkTool, type ReliableOptions } from '@holdfast/adapter-kit';
import { mismatchOf } from './check-arguments.ts';
import { type ClaudeAgentRun, claudeAgentRun } from './claude-agent-run.ts';
import { throwIfError } from './results.ts';
import type { ClaudeTool } from './tool.ts';

/** Tools and circuit breakers shared by all conversations of a program. */
export interface ReliableTools {
  /** The service that runs the tools. Its circuits, budgets and metrics are shared by all runs. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  /** Starts a conversation. */
  readonly startRun: (options?: { readonly session?: AnySession | undefined }) => ClaudeAgentRun;
}

/**
 * Makes the tools of a program reliable: creates the service that runs them, for all conversations.
 * @param tools made by `tool()` of the SDK, or of this package, which keeps their names in the type
 * @throws TypeError | RangeError that names the invalid tool or option, its value and how to fix it.
 */
export function reliableTools<const Tools extends readonly ClaudeTool[]>(
  tools: Tools,
  options: ReliableOptions<Tools[number]['name']> = {},
): ReliableTools {
  checkToolList(tools);
  // The SDK has already validated the arguments.
  const reliable = new ParsedReliable(tools.map(sourceOf), options);
  return reliable.entry((agentRun) => claudeAgentRun(tools, agentRun));
}

function sourceOf(tool: ClaudeTool): FrameworkTool {
  const { name, description, inputSchema, annotations, handler } = tool;
  if (typeof handler !== 'function') throw new TypeError(`The tool '${name}' has no handler. Pass what tool() of the SDK returns.`);
  const effect = effectFromAnnotations(annotations);
  return {
    name,
    description,
    policy: effect ? { effect } : undefined,
    run: async (args: unknown, { signal }) => {
      const mismatch = await mismatchOf(inputSchema, args);
      if (mismatch !== undefined) throw new ToolValidationError(mismatch);
      return throwIfError(await handler.call(tool, args as never, { signal } as never));
    },
  };
}
