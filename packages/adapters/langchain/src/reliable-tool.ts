/** Owns a tool whose calls are answered here and never throw. It is otherwise the same as the given tool. */
import type { AIMessage, BaseMessage, ToolCall } from '@langchain/core/messages';
import { ToolMessage } from '@langchain/core/messages';
import type { ClientTool } from '@langchain/core/tools';
import type { ModelCall } from '@holdfast/core/agent';
import type { RejectedArguments } from '@holdfast/adapter-kit';
import { answerNativeCall, describeMismatch, fieldOf } from '@holdfast/adapter-kit';
import { modelCall } from './read-calls.ts';
import type { AdapterContext } from './adapter-context.ts';
import type { Invocable } from './tools.ts';
import { contentOf, deriveTool, errorMessageOf, toolForAttempt } from './tools.ts';

const given: unique symbol = Symbol('given');

export function reliableTool(tool: ClientTool, context: AdapterContext): ClientTool {
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
      run: (args, signal) => toolForAttempt(tool, signal).invoke({ ...(input as ToolCall), args }, config),
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
  readonly run: (args: unknown, signal: AbortSignal) => unknown;
}

export async function answerCall(
  { reliable, schemas, runOf }: AdapterContext,
  call: ToolCall,
  { messages, signal, parser, run }: CallContext,
): Promise<unknown> {
  const place = messages.findLastIndex(({ type }) => type === 'ai');
  const turn = messages[place] as AIMessage | undefined;
  const answered = messages.slice(place + 1).map((message) => (message as ToolMessage).tool_call_id);
  const others = turn?.tool_calls?.filter(({ id }) => id !== call.id && !answered.includes(id as string)) ?? [];
  const siblings = reliable.withDependencies([call, ...others].map((each) => modelCall(each, turn)));
  const { answer, native } = await answerNativeCall(runOf(messages), {
    call: siblings[0] as ModelCall,
    siblings,
    turn: turn ?? {},
    signal,
    run: (args, context) => run(args, context.signal),
    outputOf: contentOf,
    isControlFlowError,
    argumentErrorOf: (error, args) => argumentErrorOf(error, { value: args, schema: schemas.get(call.name) }, parser),
  });
  const status = answer.isError ? 'error' : 'success';
  if (native !== undefined) return native;
  // What a tool adds to its own message for the program is not lost with its content.
  const { artifact, additional_kwargs: kwargs = {} } = errorMessageOf(answer.result.error?.cause) ?? {};
  const kept = { additional_kwargs: kwargs, ...(artifact === undefined ? {} : { artifact: artifact as unknown }) };
  return new ToolMessage({ ...kept, content: answer.text, tool_call_id: call.id ?? '', name: call.name, status });
}

/** Whether an error is one of LangGraph's control-flow errors, such as an interrupt. */
export function isControlFlowError(error: unknown): boolean {
  return fieldOf(error, 'is_bubble_up') === true;
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
