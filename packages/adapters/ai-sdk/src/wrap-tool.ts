/**
 * Owns wrapping a tool of the framework so that the service executes it. Only its execution, and its description and output after failures, differ.
 *
 * Invariants
 * 1. A tool without `execute` stays the same object, since it is executed elsewhere.
 * 2. All other properties are passed through: approvals, input callbacks, contexts, examples, provider options. It has the keys of the given tool.
 * 3. A failure is thrown, as the framework expects: the tool's own error where there is one. An abort by the caller is rethrown unchanged.
 */
import { shownDescription, withProperties } from '@holdfast/adapter-kit';
import type { AttemptContext } from '@holdfast/core';
import { checkedSchema } from './input-schema.ts';
import type { CallOptions, RunBinding } from './run-binding.ts';
import { type OutputListener, startOutput, streamOutput } from './stream-output.ts';
import { failureOf } from './failures.ts';

/** The options the framework passes to a tool, as far as they are used here. */
export interface Execution extends CallOptions {
  readonly toolCallId: string;
}

type ToModelOutput = (given: { readonly toolCallId: string; readonly input: unknown; readonly output: unknown }) => unknown;

/** The properties used of a tool of the framework, in any version. */
export interface SourceTool {
  readonly description?: string | ((options: unknown) => string | undefined) | undefined;
  readonly inputSchema?: unknown;
  readonly execute?: (input: unknown, options: Execution) => unknown;
  readonly toModelOutput?: ToModelOutput | undefined;
}

export function wrapTool(name: string, tools: Readonly<Record<string, SourceTool>>, binding: RunBinding): SourceTool {
  const tool = tools[name] as SourceTool;
  if (!tool.execute) return tool;
  const ownConversion = tool.toModelOutput?.bind(tool);
  /** By call id: the model output to use instead of the tool's own. */
  const outputs = new Map<string, ToModelOutput>();
  const replaceOutput = (callId: string, conversion: ToModelOutput): void => {
    outputs.set(callId, conversion);
    const value: ToModelOutput = (given) => (outputs.get(given.toolCallId) ?? ownConversion ?? defaultOutput)(given);
    Reflect.defineProperty(wrapped, 'toModelOutput', { value, configurable: true, enumerable: true, writable: true });
  };
  const run = async (input: unknown, options: Execution, listener: OutputListener): Promise<unknown> => {
    const { toolCallId: callId } = options;
    const repairs = binding.repairs.get(callId) ?? [];
    binding.repairs.delete(callId);
    const made: unknown[] = [];
    const execute = async (args: unknown, context: AttemptContext): Promise<unknown> => {
      const output = await runTool(tool, args, { ...options, abortSignal: binding.signalOf(name, options, context) }, context, listener);
      made.push(output);
      return output;
    };
    const answer = await binding.answer(
      { toolName: name, callId, arguments: input },
      { ok: true, value: input, repairs },
      execute,
      options,
    );
    const { result } = answer;
    if (result.status !== 'success') {
      options.abortSignal?.throwIfAborted();
      // Only version 6 passes its context under this name.
      throw failureOf(answer, !('experimental_context' in options));
    }
    outputs.delete(callId);
    const text: ToModelOutput = () => ({ type: 'text', value: answer.text });
    // The tool's own conversion reads the tool's own output. After several outputs it is unknown which one was delivered.
    if (result.altered && !result.partial && ownConversion && made.length === 1 && result.servedBy === name) {
      replaceOutput(callId, orElse(ownConversion, text));
      return made[0];
    }
    if (result.altered || result.partial) replaceOutput(callId, text);
    else if (result.servedBy !== name) replaceOutput(callId, tools[result.servedBy]?.toModelOutput ?? defaultOutput);
    else if (!ownConversion && isVersion6(options) && !isCloneable(result.output)) replaceOutput(callId, defaultOutput);
    return result.output;
  };
  const isStreaming = Object.prototype.toString.call(tool.execute) === '[object AsyncGeneratorFunction]';
  const changes: SourceTool = {
    ...('inputSchema' in tool && { inputSchema: checkedSchema(tool.inputSchema) }),
    execute: (input, options) => (isStreaming ? streamOutput : startOutput)(run, input, options),
  };
  const described = binding.reliable.openCircuits === 'as_is' ? changes : withProperties(changes, descriptionOf(name, tool, binding));
  const wrapped = withProperties(tool, described);
  return wrapped;
}

/** The description of a tool, which says while its calls are refused that it is unavailable. */
function descriptionOf(name: string, tool: SourceTool, { agentRun }: RunBinding): SourceTool {
  const advertised = (description: string | undefined): string | undefined =>
    (agentRun.advertise([{ name, description }])[0] ?? { description }).description;
  return shownDescription<SourceTool['description']>(tool as never, (own) =>
    typeof own === 'function' ? (options) => advertised(own.call(tool, options)) : advertised(own),
  );
}

const isVersion6 = (options: object): boolean => 'experimental_context' in options;

/** Version 6 clones the messages of every step: an output with a function in it would end the whole run. */
function isCloneable(output: unknown): boolean {
  try {
    structuredClone(output);
    return true;
  } catch {
    return false;
  }
}

/** A conversion that cannot read an output is replaced by another. */
const orElse =
  (conversion: ToModelOutput, other: ToModelOutput): ToModelOutput =>
  async (given) => {
    try {
      return (await conversion(given)) as unknown;
    } catch {
      return other(given);
    }
  };

/** The framework's default conversion of outputs. */
const defaultOutput: ToModelOutput = ({ output }) => ({
  type: typeof output === 'string' ? 'text' : 'json',
  value: JSON.parse(JSON.stringify(output ?? null)) as unknown,
});

/** Runs the tool itself, with the signal of its options; the last value of a stream is the output. */
export async function runTool(
  tool: SourceTool,
  args: unknown,
  options: Execution,
  context: AttemptContext,
  listener?: OutputListener,
): Promise<unknown> {
  if (!tool.execute) throw new TypeError('This tool has no execute function.');
  const output = tool.execute(args, options);
  if (typeof output !== 'object' || output === null || !(Symbol.asyncIterator in output)) return output;
  listener?.open();
  let last: unknown;
  for await (const value of output as AsyncIterable<unknown>) {
    // The values of a timed-out attempt are ignored.
    if (context.signal.aborted || listener?.isStopped) break;
    last = value;
    context.reportPartial(value);
    listener?.push(value);
  }
  return last;
}
