/**
 * Owns the entry: tools in, and what LangChain and LangGraph take out: a middleware for agents, tools for graphs of one's own, transcripts repaired; for all
 * conversations of a program at once, or for one run.
 *
 * Invariants
 * 1. A tool that works gives the framework the message that it would have given without us.
 * 2. Nothing here throws at a conversation but what LangGraph throws to steer it, and the caller's abort.
 * 3. A run begins behind a message of the user, or behind an answer that called nothing. Two conversations never share one.
 */
import type { AIMessage, BaseMessage } from '@langchain/core/messages';
import type { AnyTool, ToolExecutionService } from '@holdfast/core';
import type { AgentRun, AnySession, ArgumentReader, RunStopped } from '@holdfast/core/agent';
import { Conversations, Reliable } from '@holdfast/adapter-kit';
import type { ReliableOptions } from '@holdfast/adapter-kit';
import { readArguments } from '@holdfast/wire';
import { middleware } from './middleware.ts';
import { readCalls } from './read-calls.ts';
import { reliableTool } from './reliable-tool.ts';
import type { LangChainTool, ReliabilityMiddleware, AdapterContext } from './adapter-context.ts';
import { asTool, isClientTool, offeredTools, schemaOf, sourceOf } from './tools.ts';
import { repairMessages } from './transcript.ts';

/** For all conversations of a program: each is recognised by its messages. */
export interface ReliableTools<Tool extends LangChainTool = LangChainTool> {
  /** For `createAgent`: the first of its `middleware`. */
  readonly middleware: ReliabilityMiddleware;
  /** The service that runs the tools. Its circuits, budgets and metrics are shared by all runs. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  /** For `ToolNode` and `bindTools` in a graph of one's own, in place of the tools given. An agent with `middleware` takes the tools as they were given. */
  readonly tools: Tool[];
  /** Messages as the model's provider accepts them; the same array where there is nothing to repair. Never throws. */
  repair(messages: readonly BaseMessage[]): BaseMessage[];
  /** For a graph of one's own: the model's answer, with calls that LangChain could not read put where `ToolNode` finds them. */
  readCalls(answer: AIMessage): AIMessage;
  /** The run that a conversation is in: it begins when the user has spoken. */
  runOf(messages: readonly BaseMessage[]): AgentRun;
  /** Begins a run of one's own: with a session, or to read its `stopped`. */
  startRun(options?: { readonly session?: AnySession | undefined }): LangChainRun<Tool>;
}

/** For one run, whatever the messages are. */
export interface LangChainRun<Tool extends LangChainTool = LangChainTool> extends ReliableTools<Tool> {
  /** What answers the calls. */
  readonly agentRun: AgentRun;
  /** Why the loop should end, if it should. An agent with `middleware` ends by itself. */
  readonly stopped: RunStopped | undefined;
}

class SharedTools<Tool extends LangChainTool> implements ReliableTools<Tool> {
  readonly middleware: ReliabilityMiddleware;
  readonly #scene: AdapterContext;
  readonly #tools: readonly Tool[];

  constructor(scene: AdapterContext, tools: readonly Tool[]) {
    this.#scene = scene;
    this.#tools = tools;
    this.middleware = middleware(scene);
  }

  get service(): ToolExecutionService<readonly AnyTool[]> {
    return this.#scene.reliable.service;
  }

  get tools(): Tool[] {
    const offered = offeredTools(this.runOf([]), this.#tools, asTool);
    return offered.map((tool) => (isClientTool(tool) ? reliableTool(tool, this.#scene) : tool)) as Tool[];
  }

  repair(messages: readonly BaseMessage[]): BaseMessage[] {
    return repairMessages(messages, this.#scene.reliable, this.runOf(messages));
  }

  readCalls(answer: AIMessage): AIMessage {
    return readCalls(answer, this.#scene);
  }

  runOf(messages: readonly BaseMessage[]): AgentRun {
    return this.#scene.runOf(messages);
  }

  startRun({ session }: { readonly session?: AnySession | undefined } = {}): LangChainRun<Tool> {
    const agentRun = this.#scene.reliable.startRun(session);
    return new OneRun({ ...this.#scene, runOf: () => agentRun }, this.#tools);
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
 * @throws TypeError | RangeError naming the tool or option, its value and how to fix it.
 */
export function reliableTools<Tool extends LangChainTool>(tools: readonly Tool[], options: ReliableOptions = {}): ReliableTools<Tool> {
  const own = (tools as readonly LangChainTool[]).filter(isClientTool);
  const schemas = new Map(own.map((tool) => [tool.name, schemaOf(tool)]));
  const reader = options.readArguments ?? readArguments;
  const read: ArgumentReader = (request) => reader({ ...request, schema: schemas.get(request.toolName) });
  const reliable = new Reliable(own.map(sourceOf), { ...options, readArguments: read });
  const conversations = new Conversations(() => reliable.startRun());
  const runOf = (messages: readonly BaseMessage[]): AgentRun => conversations.runOf(answersOfLoop(messages));
  return new SharedTools({ reliable, schemas, read, runOf, remember: conversations.remember.bind(conversations) }, tools);
}

/** The answers with calls since the user has spoken, the latest first. */
function answersOfLoop(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const start = messages.findLastIndex(
    (message) => message.type === 'human' || (message.type === 'ai' && !(message as AIMessage).tool_calls?.length),
  );
  return messages
    .slice(start + 1)
    .filter(({ type }) => type === 'ai')
    .toReversed();
}
