/**
 * Owns the calls of a tool that is given by its definition: the SDK makes the tool and checks the arguments, the service runs it.
 *
 * Invariants
 * 1. The SDK knows the parser of the tool: it checks arguments before their approval, and hides rejected ones from hooks, errors and traces as it is set to.
 * 2. While it hides them, the model reads which fields were wrong and what the tool takes, and none of the values.
 */
import type { ReadArguments, ToolAnswer } from '@holdfast/core/agent';
import type { FunctionTool, RunContext } from '@openai/agents';
import { Attempts, describeFailure, outputOf } from './attempts.ts';
import type { Conversation } from './conversation.ts';
import { ToolOutputError } from './checked-outputs.ts';
import type { Rejection } from './rejections.ts';
import type { CallDetails, Definition, ErrorFunction, ReadTool } from './tools.ts';

/** The SDK's function of a tool, for one conversation. */
export function definedInvoke(read: ReadTool, definition: Definition, conversation: Conversation): FunctionTool['invoke'] {
  const calls = new DefinedCalls(read, definition, conversation);
  const { errorFunction, failsItself } = definition;
  const own = errorFunction ? calls.counted(errorFunction) : errorFunction;
  return definition.invokeOf({
    accept: (parsed, value) => calls.accept(parsed, value),
    reread: (value) => calls.reread(value),
    reject: (value, error) => conversation.rejectionsOf(read.tool.name).add(value, error),
    execute: (args, context, details) => calls.run(args, context, details),
    errorFunction: failsItself ? own : (_context, error, details) => calls.explain(error, details),
  });
}

class DefinedCalls {
  readonly #read: ReadTool;
  readonly #definition: Definition;
  readonly #conversation: Conversation;
  readonly #toolName: string;
  /** Arguments before the schema transformed them. */
  readonly #written = new WeakMap<object, unknown>();

  constructor(read: ReadTool, definition: Definition, conversation: Conversation) {
    this.#read = read;
    this.#definition = definition;
    this.#conversation = conversation;
    this.#toolName = read.tool.name;
  }

  accept(parsed: unknown, value: unknown): void {
    if (typeof parsed === 'object' && parsed !== null) this.#written.set(parsed, value);
  }

  reread(value: unknown): { readonly value: unknown } | undefined {
    const reading = this.#readingOf(JSON.stringify(value));
    return reading.ok && reading.repairs.length > 0 ? reading : undefined;
  }

  #readingOf(text: string): ReadArguments {
    return this.#conversation.read({ toolName: this.#toolName, callId: '', arguments: text });
  }

  /** Runs a call whose arguments the SDK has accepted. */
  async run(args: unknown, context: RunContext, details: CallDetails | undefined): Promise<unknown> {
    const { isChecked, failsItself, hasOutputSchema } = this.#definition;
    const text = details?.toolCall?.arguments ?? JSON.stringify(this.#written.get(Object(args) as object) ?? args);
    const call = { toolName: this.#toolName, callId: details?.toolCall?.callId ?? '', arguments: text };
    const reading = this.#conversation.read(call);
    const resolved = isChecked ? reading : await this.#converted(reading, { args, context, details });
    const attempts = new Attempts(this.#conversation, call, details, (own, limits) =>
      this.#read.run(isChecked ? args : own, context, limits),
    );
    const answer = await attempts.answer(resolved);
    if (!answer.isError) return hasOutputSchema ? ownOutput(answer, attempts) : outputOf(answer, attempts.output);
    if (!failsItself) return describeFailure(answer);
    const error = failureOf(answer);
    // The SDK finds itself what is wrong with an output.
    if (error instanceof ToolOutputError) return error.output;
    throw error;
  }

  /** The SDK converts arguments for the strict form of a JSON Schema; repaired ones are converted again. */
  async #converted(reading: ReadArguments, call: ConvertedCall): Promise<ReadArguments> {
    if (!reading.ok) return reading;
    if (reading.repairs.length === 0) return { ...reading, value: call.args };
    const parsed = await this.#definition.parse(JSON.stringify(reading.value), call.context, call.details);
    return parsed.ok ? { ...reading, value: parsed.value } : { ok: false, message: parsed.message, mismatch: true };
  }

  /** Answers a call whose arguments the SDK has rejected. @throws any other error */
  async explain(error: unknown, details: CallDetails | undefined): Promise<string> {
    if (!isInputError(error)) throw error;
    return describeFailure(await this.#answerRejected(error, details));
  }

  /** An `errorFunction` of the user's that is called after rejected arguments were counted. */
  counted(errorFunction: ErrorFunction): ErrorFunction {
    return async (context, error, details) => {
      if (isInputError(error)) await this.#answerRejected(error, details);
      return errorFunction(context, error, details);
    };
  }

  async #answerRejected({ toolInvocation, originalError }: InputError, details: CallDetails | undefined): Promise<ToolAnswer> {
    const rejections = this.#conversation.rejectionsOf(this.#toolName).take();
    const { input } = toolInvocation ?? {};
    const known = input === undefined ? rejections : [{ text: input, value: parsed(input), error: originalError }];
    const text = known.length === 1 ? (known[0]?.text ?? '{}') : '{}';
    const callId = details?.toolCall?.callId ?? this.#conversation.callIdOf(this.#toolName, text);
    const call = { toolName: this.#toolName, callId, arguments: text };
    const { signal } = details ?? {};
    return this.#conversation.answer(call, this.#mismatchOf(known, input === undefined), { batch: signal, signal });
  }

  #mismatchOf(rejections: readonly Rejection[], hidesValues: boolean): ReadArguments {
    const messages = rejections.map(({ text, value, error }): Extract<ReadArguments, { ok: false }> => {
      const reading = this.#readingOf(text);
      // What could not be read at all is described by its reader.
      return reading.ok ? { ok: false, message: this.#definition.describe(value, error, hidesValues), mismatch: true } : reading;
    });
    const [first] = messages;
    const distinct = [...new Set(messages.map(({ message }) => message))];
    if (first && distinct.length === 1) return first;
    const message =
      distinct.length === 0 ? 'The arguments do not match the schema' : `Of the calls in this answer: ${distinct.join('; or ')}`;
    return { ok: false, message, mismatch: true } as const;
  }
}

/** The SDK's error for arguments that it has rejected, which it does not export. What was sent is absent where the SDK hides it. */
interface InputError extends Error {
  readonly originalError?: unknown;
  readonly toolInvocation?: { readonly input: string } | undefined;
}

/** Arguments that are no JSON are described by their reader. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const isInputError = (error: unknown): error is InputError => error instanceof Error && error.name === 'InvalidToolInputError';

interface ConvertedCall {
  readonly args: unknown;
  readonly context: RunContext;
  readonly details: CallDetails | undefined;
}

/** The SDK checks the output, and transforms it. */
const ownOutput = ({ result }: ToolAnswer, { output }: Attempts): unknown =>
  result.status === 'success' && !result.fallbackUsed ? output : result.output;

/** The tool's own error; for a failure without one, such as a timeout or wrong arguments, an error with the text for the model. */
function failureOf({ result: { error }, text }: ToolAnswer): Error {
  const isOwn = error !== undefined && error.code !== 'INVALID_ARGUMENTS' && 'cause' in error;
  return isOwn ? (error.cause as Error) : new Error(text);
}
