/**
 * Owns wrapping a tool of the framework so that the service executes it. Only its execution, and its description and output after failures, differ.
 *
 * Invariants
 * 1. A tool without `execute` stays the same object, since it is executed elsewhere.
 * 2. A wrapped tool is of the same class, with all other properties: schemas, approvals, suspension, transforms, hooks, MCP metadata.
 * 3. What a tool returns is returned, a validation error of Mastra included. A failure is thrown: in an agent with the text for the model, elsewhere as the tool's own error.
 * 4. An abort by the caller and the framework's control flow are rethrown unchanged.
 */
import { answerNativeCall, shownDescription, ToolCallError, withProperties } from '@holdfast/adapter-kit';
import type { AttemptContext } from '@holdfast/core';
import type { AgentRun, ModelCall, ToolAnswer } from '@holdfast/core/agent';
import { CallContext, type ToolContext } from './call-context.ts';
import { ForeignOutputs, type ToModelOutput } from './foreign-outputs.ts';
import type { RunBinding, Runs } from './runs.ts';
import { isValidationValue, SchemaMismatchError, type ValidationValue } from './validation-value.ts';

/** The properties used of a tool: one of Mastra, or of the AI SDK. */
export interface SourceTool {
  readonly description?: string | undefined;
  readonly execute?: ((input: never, context: never) => unknown) | undefined;
  readonly toModelOutput?: ToModelOutput | undefined;
  readonly mcp?: { readonly annotations?: object | undefined } | undefined;
}

export type SourceTools = Readonly<Record<string, SourceTool>>;

/** @param shared a run that knows which tools are unavailable */
export function wrapTool(name: string, tools: SourceTools, runs: Runs, shared: AgentRun): SourceTool {
  const tool = tools[name] as SourceTool;
  if (!tool.execute) return tool;
  const foreign = new ForeignOutputs(tool.toModelOutput?.bind(tool));
  const changes: SourceTool = {
    ...(tool.toModelOutput ? { toModelOutput: foreign.toModelOutput } : {}),
    execute: (input: unknown, context?: ToolContext) => {
      const call = new WrappedCall(name, tools, context);
      return call.answer(input, runs, foreign);
    },
  };
  if (runs.keepDescriptions) return withProperties(tool, changes);
  const described = shownDescription<string | undefined>(
    tool as { readonly description: string | undefined },
    (description) => (shared.advertise([{ name, description }])[0] ?? { description }).description,
  );
  return withProperties(tool, withProperties<SourceTool>(changes, described));
}

/** Runs a tool without the framework's context. */
export function runAlone(tool: SourceTool, args: unknown, { signal }: AttemptContext): unknown {
  if (!tool.execute) throw new TypeError('This tool has no execute function.');
  return valueOf(new CallContext(undefined).run(tool, args, signal as AbortSignal));
}

/** @throws SchemaMismatchError for a validation error that was returned */
async function valueOf(output: unknown): Promise<unknown> {
  const value = await output;
  if (isValidationValue(value)) throw new SchemaMismatchError(value);
  return value;
}

/** The output of an attempt, whatever it is. */
interface Boxed {
  readonly output: unknown;
}

class WrappedCall {
  readonly #name: string;
  readonly #tools: SourceTools;
  readonly #context: ToolContext;
  readonly #callContext: CallContext;
  /** What each attempt returned. */
  readonly #outputs: unknown[] = [];
  #rejected: ValidationValue | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(name: string, tools: SourceTools, context: ToolContext | undefined) {
    this.#name = name;
    this.#tools = tools;
    this.#context = context ?? {};
    this.#callContext = new CallContext(context);
  }

  async answer(input: unknown, runs: Runs, foreign: ForeignOutputs): Promise<unknown> {
    const { agent, toolCallId, abortSignal: signal } = this.#context;
    const binding: RunBinding = runs.of(this.#context);
    const callId = agent?.toolCallId || toolCallId || crypto.randomUUID();
    const siblings = await runs.group(binding, { toolName: this.#name, callId, arguments: input });
    const { answer, native } = await answerNativeCall<Boxed>(binding.agentRun, {
      call: siblings[0] as ModelCall,
      siblings,
      turn: binding,
      signal,
      run: (args, context) => this.#attempt(args, runs.endsAttempts(this.#name) ? (context.signal as AbortSignal) : undefined),
      outputOf: ({ output }) => output,
      isControlFlowError: (error) => this.#callContext.isSuspended || isControlFlowError(error),
      argumentErrorOf: (error) => (error instanceof SchemaMismatchError && error.isOfArguments ? error.message : undefined),
    });
    if (native) return this.#delivered(native.output);
    return answer.isError ? this.#fail(answer) : this.#outputOf(answer, foreign);
  }

  get #isInAgent(): boolean {
    return Boolean(this.#context.agent ?? this.#context.toolCallId);
  }

  /** An agent takes a call without a result for one that is executed elsewhere, and ends without an answer. */
  #delivered(output: unknown): unknown {
    return output === undefined && this.#isInAgent && !this.#callContext.isSuspended ? null : output;
  }

  async #attempt(args: unknown, signal: AbortSignal | undefined): Promise<Boxed> {
    this.#rejected = undefined;
    try {
      const output = await this.#callContext.run(this.#tools[this.#name] as SourceTool, args, signal);
      this.#outputs.push(output);
      // A suspended call has not failed, even if what it was suspended with does not match its schema.
      if (!isValidationValue(output) || this.#callContext.isSuspended) return { output };
      // A repetition validates arguments that the first attempt has been run with, which may have been transformed.
      if (this.#failure) throw this.#failure.error;
      this.#rejected = output;
      throw new SchemaMismatchError(output);
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  #fail(answer: ToolAnswer): unknown {
    if (this.#rejected) return this.#rejected;
    const { error } = answer.result;
    if (!this.#isInAgent && error && 'cause' in error) throw error.cause;
    throw new ToolCallError(answer);
  }

  /** An output that is not the tool's own. */
  #outputOf({ result, text }: ToolAnswer, foreign: ForeignOutputs): unknown {
    if (result.status !== 'success') return text;
    const isOwn = result.servedBy === this.#name && !result.partial;
    if (isOwn && !result.altered) return this.#delivered(result.output);
    const [made] = this.#outputs;
    // The framework serializes objects that JSON cannot represent, but not symbols and functions.
    if (isOwn && result.altered === 'converted' && this.#outputs.length === 1 && /object|bigint/.test(typeof made)) return made;
    return result.altered || result.partial
      ? foreign.add(text, undefined)
      : foreign.add(result.output, this.#tools[result.servedBy]?.toModelOutput);
  }
}

/** Errors with which Mastra steers a run: a guardrail, a denied permission. */
function isControlFlowError(error: unknown): boolean {
  try {
    const { name, constructor } = error as Error;
    return (
      name === 'FGADeniedError' ||
      (typeof constructor === 'function' && constructor.name === 'TripWire' && 'processorId' in (error as object))
    );
  } catch {
    return false;
  }
}
