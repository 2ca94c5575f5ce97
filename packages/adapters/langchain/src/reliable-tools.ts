/**
 * Owns the entry point for LangChain and LangGraph: a middleware for agents, tools for custom graphs, and repairing transcripts; for all
 * conversations of a program, or for a single run.
 *
 * Invariants
 * 1. A successful tool returns the same message to the framework as without Holdfast.
 * 2. Only LangGraph's control-flow errors and the caller's abort are thrown.
 * 3. A run starts after a user message, or after an answer without calls. Two conversations never share one.
 */
import type { AIMessage, BaseMessage } from '@langchain/core/messages';
import type { AnyTool, ToolExecutionService } from '@holdfast/core';
import type { AgentRun, AnySession, ArgumentReader, RunStopped } from '@holdfast/core/agent';
import { checkReliableOptions, checkStartOptions, Conversations, Reliable } from '@holdfast/adapter-kit';
import type { ReliableOptions } from '@holdfast/adapter-kit';
import { readArguments } from '@holdfast/wire';
import { middleware } from './middleware.ts';
import { readCalls } from './read-calls.ts';
import { reliableTool } from './reliable-tool.ts';
import type { LangChainTool, ReliabilityMiddleware, AdapterContext } from './adapter-context.ts';
import { asTool, isClientTool, offeredTools, schemaOf, sourceOf } from './tools.ts';
import { repairMessages } from './transcript.ts';

/** The names of tools that run here, where they are literals; `string` where one is not. */
export type NamesOf<Tool> = Tool extends { readonly invoke: unknown; readonly name: infer Name extends string } ? Name : never;

/** The common options of the adapters, and what `tools` do with failures. */
export interface LangChainOptions<Name extends string = string> extends ReliableOptions<Name> {
  /**
   * What the calls of `tools` do when a tool has finally failed: `answer` with a message that tells the model what was wrong and what to do next, or `throw` the
   * tool's own error, for `handleToolErrors` of a `ToolNode`. In an agent, `middleware` does both.
   * @default 'answer'
   */
  readonly failures?: 'answer' | 'throw' | undefined;
}

/** Shared by all conversations of a program, which are recognized by their messages. */
export interface ReliableTools<Tool extends LangChainTool = LangChainTool> {
  /** For `createAgent`, as the first of its `middleware`. */
  readonly middleware: ReliabilityMiddleware;
  /** The service that runs the tools. Its circuits, budgets and metrics are shared by all runs. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  /** For `ToolNode` and `bindTools` in a custom graph, instead of the given tools. An agent with `middleware` uses the given tools. */
  readonly tools: Tool[];
  /** Repairs messages so that the provider accepts them; returns the same array if nothing was wrong. Never throws. */
  repair(messages: readonly BaseMessage[]): BaseMessage[];
  /** For a custom graph: returns the model's answer, with calls LangChain could not parse moved to where `ToolNode` finds them. */
  readCalls(answer: AIMessage): AIMessage;
  /** The run of a conversation, which starts with a user message. */
  runOf(messages: readonly BaseMessage[]): AgentRun;
  /** Starts a separate run, to use a session or to read `stopped`. */
  startRun(options?: { readonly session?: AnySession | undefined }): LangChainRun<Tool>;
}

/** Tools of a single run, regardless of the messages. */
export interface LangChainRun<Tool extends LangChainTool = LangChainTool> extends ReliableTools<Tool> {
  /** The agent run that answers the calls. */
  readonly agentRun: AgentRun;
  /** Why the loop should end; `undefined` if it should continue. An agent with `middleware` ends by itself. */
  readonly stopped: RunStopped | undefined;
}

class SharedTools<Tool extends LangChainTool> implements ReliableTools<Tool> {
  readonly middleware: ReliabilityMiddleware;
  readonly #context: AdapterContext;
  readonly #given: readonly Tool[];
  /** Made once, so that what a program changes in a tool is there when the list is read again. */
  readonly #tools: readonly LangChainTool[];

  constructor(context: AdapterContext, tools: readonly Tool[]) {
    this.#context = context;
    this.#given = tools;
    this.#tools = tools.map((tool) => (isClientTool(tool) ? reliableTool(tool, context, context.throws ? ignore : undefined) : tool));
    this.middleware = middleware(context);
  }

  get service(): ToolExecutionService<readonly AnyTool[]> {
    return this.#context.reliable.service;
  }

  get tools(): Tool[] {
    return [...offeredTools(this.runOf([]), this.#tools, asTool)] as Tool[];
  }

  repair(messages: readonly BaseMessage[]): BaseMessage[] {
    return repairMessages(messages, this.#context.reliable, this.runOf(messages));
  }

  readCalls(answer: AIMessage): AIMessage {
    return readCalls(answer, this.#context);
  }

  runOf(messages: readonly BaseMessage[]): AgentRun {
    return this.#context.runOf(messages);
  }

  startRun(options: { readonly session?: AnySession | undefined } = {}): LangChainRun<Tool> {
    checkStartOptions(options);
    const agentRun = this.#context.reliable.startRun(options.session);
    return new OneRun({ ...this.#context, runOf: () => agentRun }, this.#given);
  }
}

class OneRun<Tool extends LangChainTool> extends SharedTools<Tool> implements LangChainRun<Tool> {
  get agentRun(): AgentRun {
    return this.runOf([]);
  }

  get stopped(): RunStopped | undefined {
    return this.agentRun.stopped;
  }
}

/**
 * Makes the tools of a program reliable: creates the service that runs them, for all conversations.
 * @throws TypeError | RangeError that names the invalid tool or option, its value and how to fix it.
 */
export function reliableTools<Tool extends LangChainTool>(
  tools: readonly Tool[],
  given: LangChainOptions<NamesOf<NoInfer<Tool>>> = {},
): ReliableTools<Tool> {
  checkReliableOptions(given, undefined, { failures: ['answer', 'throw'] });
  const { failures = 'answer', ...options } = given;
  const own = (tools as readonly LangChainTool[]).filter(isClientTool);
  const schemas = new Map(own.map((tool) => [tool.name, schemaOf(tool)]));
  let read: ArgumentReader = readArguments;
  const withSchema = (reader: ArgumentReader): ArgumentReader =>
    (read = (request) => reader({ ...request, schema: schemas.get(request.toolName) }));
  const reliable = new Reliable(own.map(sourceOf), options, withSchema);
  const conversations = new Conversations(() => reliable.startRun());
  const runOf = (messages: readonly BaseMessage[]): AgentRun => {
    const latest = messages.findLast(({ type }) => type !== 'tool');
    const known = latest?.type === 'ai' && isInLoop(latest) ? conversations.find(latest) : undefined;
    return known ?? conversations.runOf(answersOfLoop(messages));
  };
  return new SharedTools(
    { reliable, schemas, read, throws: failures === 'throw', runOf, remember: conversations.remember.bind(conversations) },
    tools,
  );
}

function ignore(): void {
  // The error is thrown, and the message is not needed.
}

/** Whether a message does not end the loop that it is in. */
const isInLoop = (message: BaseMessage): boolean =>
  message.type !== 'human' && (message.type !== 'ai' || ((message as AIMessage).tool_calls?.length ?? 0) > 0);

/** The answers with calls since the last user message, latest first. */
function answersOfLoop(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const answers: BaseMessage[] = [];
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index] as BaseMessage;
    if (!isInLoop(message)) break;
    if (message.type === 'ai') answers.push(message);
  }
  return answers;
}
