/**
 * Owns a tool of the framework as it runs under the service: the same tool in everything but how it is executed, and in what is reported about it while it fails.
 *
 * Invariants
 * 1. A tool without `execute` stays the same object: anyone who runs it, it is not us.
 * 2. What is not named here goes through untouched: approvals, input callbacks, contexts, examples, provider options.
 * 3. A failure is thrown, as the framework expects; an abort by the caller is thrown as it is.
 */
import { withProperties } from '@holdfast/adapter-kit';
import type { AttemptContext } from '@holdfast/core';
import { checkedSchema } from './input-schema.ts';
import type { CallOptions, RunBinding } from './run-binding.ts';
import { streamOutput } from './stream-output.ts';
import { ToolCallError } from './tool-call-error.ts';

/** What the framework hands to a tool, as far as it is read here. */
export interface Execution extends CallOptions {
  readonly toolCallId: string;
}

type ToModelOutput = (given: { readonly toolCallId: string; readonly input: unknown; readonly output: unknown }) => unknown;

/** What is read of a tool of the framework, whichever version. */
export interface SourceTool {
  readonly description?: string | ((options: unknown) => string | undefined) | undefined;
  readonly inputSchema?: unknown;
  readonly execute?: (input: unknown, options: Execution) => unknown;
  readonly toModelOutput?: ToModelOutput | undefined;
}

type Emit = (value: unknown) => void;

export function wrapTool(name: string, tools: Readonly<Record<string, SourceTool>>, seam: RunBinding): SourceTool {
  const tool = tools[name] as SourceTool;
  if (!tool.execute) return tool;
  /** By call id: what the model is told in place of what the tool itself makes of outputs. */
  const told = new Map<string, ToModelOutput>();
  const run = async (input: unknown, options: Execution, emit?: Emit): Promise<unknown> => {
    const { toolCallId: callId } = options;
    const repairs = seam.repairs.get(callId) ?? [];
    seam.repairs.delete(callId);
    const execute = (args: unknown, context: AttemptContext): unknown => runTool(tool, args, options, context, emit);
    const answer = await seam.answer({ toolName: name, callId, arguments: input }, { ok: true, value: input, repairs }, execute, options);
    const { result } = answer;
    if (result.status !== 'success') {
      options.abortSignal?.throwIfAborted();
      throw new ToolCallError(answer);
    }
    told.delete(callId);
    if (result.altered || result.partial) told.set(callId, () => ({ type: 'text', value: answer.text }));
    else if (result.servedBy !== name) told.set(callId, tools[result.servedBy]?.toModelOutput ?? defaultOutput);
    return result.output;
  };
  const own = tool.toModelOutput?.bind(tool);
  // The framework decides by what `execute` returns at once whether a tool streams; only a generator tells before it runs.
  const streams = Object.prototype.toString.call(tool.execute) === '[object AsyncGeneratorFunction]';
  const advertised = (description: string | undefined): string | undefined =>
    (seam.agentRun.advertise([{ name, description }])[0] ?? { description }).description;
  const changes: SourceTool = {
    inputSchema: checkedSchema(tool.inputSchema),
    get description() {
      const { description: said } = tool;
      return typeof said === 'function' ? (options: unknown) => advertised(said.call(tool, options)) : advertised(said);
    },
    // Until something has to be told otherwise it is the tool's own, or none.
    get toModelOutput() {
      return told.size === 0
        ? tool.toModelOutput
        : (given: Parameters<ToModelOutput>[0]) => (told.get(given.toolCallId) ?? own ?? defaultOutput)(given);
    },
    execute: (input, options) => (streams ? streamOutput(run, input, options) : run(input, options)),
  };
  return withProperties(tool, changes);
}

/** What the framework itself makes of outputs. */
const defaultOutput: ToModelOutput = ({ output }) => ({
  type: typeof output === 'string' ? 'text' : 'json',
  value: JSON.parse(JSON.stringify(output ?? null)) as unknown,
});

/** Runs the tool itself; of what it streams the last value is the output. */
export async function runTool(tool: SourceTool, args: unknown, options: Execution, context: AttemptContext, emit?: Emit): Promise<unknown> {
  if (!tool.execute) throw new TypeError('This tool is not run here.');
  const output = tool.execute(args, { ...options, abortSignal: context.signal });
  if (typeof output !== 'object' || output === null || !(Symbol.asyncIterator in output)) return output;
  let last: unknown;
  for await (const value of output as AsyncIterable<unknown>) {
    // An attempt whose time is up has nothing more to say.
    if (context.signal.aborted) break;
    last = value;
    context.reportPartial(value);
    emit?.(value);
  }
  return last;
}
