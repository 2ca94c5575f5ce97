/** Owns the entry point: creates runs from a list of tools. */
import type { AnyTool, ToolExecutionService } from '@holdfast/core';
import type { AnySession, ArgumentReader } from '@holdfast/core/agent';
import type { ReliableOptions } from '@holdfast/adapter-kit';
import { checkToolList, Reliable } from '@holdfast/adapter-kit';
import type { OpenAIRun } from './openai-run.ts';
import { openAIRun } from './openai-run.ts';
import type { ReadTool, ReliableTool } from './tools.ts';
import { readTool } from './tools.ts';

/** Tools and circuit breakers shared by all conversations of a program. */
export interface ReliableTools {
  /** The service that runs the tools. Its circuits, budgets and metrics are shared by all runs. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  /** Starts a conversation. */
  readonly startRun: (options?: { readonly session?: AnySession | undefined }) => OpenAIRun;
}

/** The names of tools where they are literals; `string` where one is not. */
export type NamesOf<Tool> = Tool extends { readonly name: infer Name extends string }
  ? Name
  : Tool extends { readonly function: { readonly name: infer Name extends string } }
    ? Name
    : string;

/**
 * Makes the tools of a program reliable: creates the service that runs them, for all conversations.
 * @throws TypeError | RangeError that names the invalid tool or option, its value and how to fix it.
 */
export function reliableTools<const Tools extends readonly ReliableTool[]>(
  tools: Tools,
  options: ReliableOptions<NamesOf<Tools[number]>> = {},
): ReliableTools {
  checkToolList(tools);
  const read = tools.map(readTool);
  const reliable = new Reliable(
    read.map(({ source }) => source),
    options,
    (reader) => withTexts(reader, read),
  );
  return reliable.entry((agentRun) => openAIRun(reliable, read, agentRun));
}

/** A function that takes text receives what the model wrote. */
function withTexts(reader: ArgumentReader, tools: readonly ReadTool[]): ArgumentReader {
  const takeText = new Set(tools.filter(({ takesText }) => takesText).map(({ source }) => source.name));
  if (takeText.size === 0) return reader;
  return (request) => {
    const { raw, toolName, truncated } = request;
    const isText = !truncated && typeof raw === 'string' && takeText.has(toolName);
    return isText ? { ok: true, value: raw, repairs: [] } : reader(request);
  };
}
