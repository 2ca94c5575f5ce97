/**
 * Owns a tool whose calls are answered here. It is otherwise the same as the given tool.
 *
 * Invariant: its calls throw only where a handler of the user's can see it: the tool's own error, after recovery.
 */
import type { AIMessage, BaseMessage, ToolCall } from '@langchain/core/messages';
import { ToolMessage } from '@langchain/core/messages';
import type { ClientTool } from '@langchain/core/tools';
import type { AttemptContext } from '@holdfast/core';
import type { ModelCall } from '@holdfast/core/agent';
import type { RejectedArguments } from '@holdfast/adapter-kit';
import { answerNativeCall, describeMismatch, fieldOf } from '@holdfast/adapter-kit';
import { callsOf, modelCall } from './read-calls.ts';
import type { AdapterContext } from './adapter-context.ts';
import type { Invocable } from './tools.ts';
import { copyMessage } from './transcript.ts';
import { contentOf, deriveTool, errorMessageOf, toolForAttempt } from './tools.ts';

const given: unique symbol = Symbol('given');

/** Ids of the calls whose failure was thrown to other middleware, by the message that made them. */
const thrown = new WeakMap<object, Set<unknown>>();

/** Called before the own error of a tool that finally failed is thrown, with the message for the model. */
export type OnFailure = (error: unknown, message: ToolMessage) => void;

/** @param onFailure absent: failures are answered, and nothing is thrown */
export function reliableTool(tool: ClientTool, context: AdapterContext, onFailure?: OnFailure): ClientTool {
  if (given in tool) return tool;
  const invoke: Invocable['invoke'] = (input, config) => {
    // A direct invocation, not a call of the model, is passed through.
    if (fieldOf(input, 'type') !== 'tool_call') return (tool as Invocable).invoke(input, config);
    const state = fieldOf(config, 'state');
    const messages = fieldOf(state, 'messages') ?? state;
    return answerCall(context, input as ToolCall, {
      messages: Array.isArray(messages) ? (messages as BaseMessage[]) : [],
      signal: config?.signal,
      parser: tool.schema,
      onFailure,
      run: (args, attempt) =>
        toolForAttempt(tool, context.reliable.endsAttempts(tool.name) ? attempt.signal : undefined).invoke(
          { ...(input as ToolCall), args },
          config,
        ),
    });
  };
  return deriveTool(tool, { invoke, [given]: true });
}

/** The conversation of a call, and the framework's function for running it. */
interface CallContext {
  readonly messages: readonly BaseMessage[];
  readonly signal: AbortSignal | undefined;
  /** The schema that LangChain checks arguments with. */
  readonly parser?: unknown;
  readonly onFailure?: OnFailure | undefined;
  /** Reads the signal of the attempt only if it needs it, because it is made then. */
  readonly run: (args: unknown, attempt: AttemptContext) => unknown;
}

export async function answerCall(
  { reliable, schemas, runOf }: AdapterContext,
  call: ToolCall,
  { messages, signal, parser, onFailure, run }: CallContext,
): Promise<unknown> {
  const place = messages.findLastIndex(({ type }) => type === 'ai');
  const turn = messages[place] as AIMessage | undefined;
  const own = modelCall(call, turn);
  const all = turn && place === messages.length - 1 && !reliable.hasDependencies ? callsOf(turn) : undefined;
  const siblings = all?.some(({ callId }) => callId === call.id)
    ? all
    : reliable.withDependencies([own, ...othersOf(call, messages, place)]);
  // What other middleware runs again is no repetition by the model.
  const agentRun = thrown.get(turn ?? call)?.has(call.id) ? reliable.startRun() : runOf(messages);
  const { answer, native } = await answerNativeCall(agentRun, {
    call: siblings === all ? own : (siblings[0] as ModelCall),
    siblings,
    turn: turn ?? {},
    signal,
    run,
    outputOf: contentOf,
    isControlFlowError,
    argumentErrorOf: (error, args) => argumentErrorOf(error, { value: args, schema: schemas.get(call.name) }, parser),
  }).catch((error: unknown) => {
    throw signal?.aborted && error === signal.reason ? abortErrorOf(error) : error;
  });
  const status = answer.isError ? 'error' : 'success';
  if (native !== undefined) return native;
  const { error } = answer.result;
  const told = errorMessageOf(error?.cause);
  const message = told
    ? withText(told, answer.text)
    : new ToolMessage({ content: answer.text, tool_call_id: call.id ?? '', name: call.name, status });
  const isOwn = error !== undefined && 'cause' in error && error.code !== 'INVALID_ARGUMENTS' && error.code !== 'CANCELLED' && !told;
  if (!onFailure || !isOwn || !isReadable(error.cause)) return message;
  thrown.set(turn ?? call, new Set(thrown.get(turn ?? call)).add(call.id));
  onFailure(error.cause, message);
  throw error.cause;
}

/** The other calls of the answer at this place that have no result yet. */
function othersOf(call: ToolCall, messages: readonly BaseMessage[], place: number): readonly ModelCall[] {
  const turn = messages[place] as AIMessage | undefined;
  const answered = new Set(messages.slice(place + 1).map((message) => (message as ToolMessage).tool_call_id));
  const others = turn?.tool_calls?.filter(({ id }) => id !== call.id && !answered.has(id as string)) ?? [];
  return others.map((each) => modelCall(each, turn));
}

/** A message of the tool with another text. What else the tool put into it for the model or the program is kept. */
function withText(message: ToolMessage, text: string): ToolMessage {
  const others = Array.isArray(message.content) ? message.content.filter(({ type }) => type !== 'text') : [];
  return copyMessage(message, { content: others.length === 0 ? text : [{ type: 'text', text }, ...others] });
}

/** Whether an error is one of LangGraph's control-flow errors, such as an interrupt. */
export function isControlFlowError(error: unknown): boolean {
  return fieldOf(error, 'is_bubble_up') === true;
}

/** Whether handlers can look at an error: anything may have been thrown, such as a proxy that throws. */
function isReadable(error: unknown): boolean {
  try {
    return error instanceof Error || typeof String(error) === 'string';
  } catch {
    return false;
  }
}

function argumentErrorOf(error: unknown, rejected: RejectedArguments, parser: unknown): string | undefined {
  const message = fieldOf(error, 'message');
  if (typeof message !== 'string' || !message.startsWith('Received tool input did not match expected schema')) return undefined;
  return describeMismatch({ ...rejected, error: issuesOf(parser, rejected.value) ?? error });
}

/** LangChain keeps only the text of the issues, so they are found again. */
function issuesOf(parser: unknown, value: unknown): unknown {
  try {
    const checked = (fieldOf(parser, '~standard') as { readonly validate: (given: unknown) => unknown }).validate(value);
    return fieldOf(checked, 'issues') === undefined ? undefined : checked;
  } catch {
    return undefined;
  }
}

/** LangGraph writes to what is thrown, and LangChain itself throws an error for any reason of the caller. */
function abortErrorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(typeof reason === 'string' ? reason : 'Aborted');
}
