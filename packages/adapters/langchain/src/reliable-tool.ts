/** Owns a tool whose calls are answered here and never throw. In all else it is the tool that was given. */
import type { AIMessage, BaseMessage, ToolCall } from '@langchain/core/messages';
import { isDirectToolOutput, ToolMessage } from '@langchain/core/messages/tool';
import type { ClientTool } from '@langchain/core/tools';
import { outputText } from '@holdfast/core/agent';
import { answerLent, fieldOf } from '@holdfast/adapter-kit';
import { compileJsonSchema } from '@holdfast/wire';
import type { Scene } from './reliable-tools.ts';
import { modelCall } from './read-calls.ts';
import { contentOf } from './tools.ts';

interface Invocable {
  invoke(input: unknown, config?: object): Promise<unknown>;
}

/** What the framework tells a tool. */
interface NodeConfig {
  readonly state?: unknown;
  readonly signal?: AbortSignal;
}

const given: unique symbol = Symbol('given');

export function reliableTool(tool: ClientTool, scene: Scene): ClientTool {
  if (given in tool) return tool;
  const invoke = (input: unknown, config: NodeConfig = {}): Promise<unknown> => {
    // Without a call there is nobody to be answered.
    if (fieldOf(input, 'type') !== 'tool_call') return (tool as Invocable).invoke(input, config);
    const call = input as ToolCall;
    const messages = fieldOf(config.state, 'messages') ?? config.state;
    const run = (args: unknown, signal: AbortSignal): Promise<unknown> => lentTool(tool, signal).invoke({ ...call, args }, config);
    return answerCall(scene, call, { messages: Array.isArray(messages) ? (messages as BaseMessage[]) : [], signal: config.signal, run });
  };
  return derived(tool, { invoke, [given]: true });
}

/** How a framework runs a call, and in which conversation. */
interface Around {
  readonly messages: readonly BaseMessage[];
  readonly signal: AbortSignal | undefined;
  readonly run: (args: unknown, signal: AbortSignal) => unknown;
}

export async function answerCall({ reliable, known, runOf }: Scene, call: ToolCall, { messages, signal, run }: Around): Promise<unknown> {
  const turn = messages.findLast(({ type }) => type === 'ai') as AIMessage | undefined;
  const answered = messages.slice(messages.indexOf(turn as BaseMessage) + 1).map((message) => (message as ToolMessage).tool_call_id);
  const others = turn?.tool_calls?.filter(({ id }) => id !== call.id && !answered.includes(id as string)) ?? [];
  const siblings = reliable.ordered([call, ...others].map((each) => modelCall(each, turn)));
  const { answer, native } = await answerLent(runOf(messages), {
    call: siblings[0] as (typeof siblings)[number],
    siblings,
    turn: turn ?? {},
    signal,
    run: (args, context) => run(args, context.signal),
    outputOf: contentOf,
    isSteering: (error) => fieldOf(error, 'is_bubble_up') === true,
    misfitOf: (error, args) => misfitOf(error, known.get(call.name)?.schema, args),
  });
  if (native !== undefined) return native;
  const status = answer.isError ? 'error' : 'success';
  return new ToolMessage({ content: answer.text, tool_call_id: call.id ?? '', name: call.name, status });
}

function misfitOf(error: unknown, schema: Parameters<typeof compileJsonSchema>[0] | undefined, args: unknown): string | undefined {
  const message = fieldOf(error, 'message');
  if (typeof message !== 'string' || !message.startsWith('Received tool input did not match expected schema')) return undefined;
  const issues = schema ? compileJsonSchema(schema)(args) : [];
  return issues.map((issue) => issue.message).join('; ') || message;
}

/** The tool for one attempt: it hears when that is over, and its output can always be told. */
export function lentTool(tool: ClientTool, signal: AbortSignal): Invocable {
  const { func } = tool as { readonly func?: (...args: readonly unknown[]) => unknown };
  const told = func ? derived(tool, { func: async (...args: readonly unknown[]) => tellable(await func.apply(tool, [...args])) }) : tool;
  const invoke = (input: unknown, config: NodeConfig = {}): Promise<unknown> =>
    (told as Invocable).invoke(input, { ...config, signal: config.signal ? AbortSignal.any([config.signal, signal]) : signal });
  return { invoke };
}

/** The same in all but what is named. */
export function derived<Tool extends object>(tool: Tool, own: object): Tool {
  return Object.create(tool, Object.getOwnPropertyDescriptors(own)) as Tool;
}

/** LangChain makes `[object Object]` of what JSON cannot tell. */
function tellable(output: unknown): unknown {
  if (typeof output !== 'object' || isDirectToolOutput(output)) return output;
  try {
    JSON.stringify(output);
    return output;
  } catch {
    return outputText(output);
  }
}
