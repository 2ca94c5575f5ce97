/**
 * Owns what LangChain and LangGraph take: a middleware for agents, tools for graphs of one's own, transcripts mended.
 *
 * Invariants
 * 1. A tool that works gives the framework the message that it would have given without us.
 * 2. Nothing here throws at a conversation but what LangGraph throws to steer it, and the caller's abort.
 */
import type { AIMessage, BaseMessage } from '@langchain/core/messages';
import type { ClientTool } from '@langchain/core/tools';
import type { AnyTool, ToolExecutionService } from '@holdfast/core';
import type { AgentRun, ArgumentReader, RunStopped } from '@holdfast/core/agent';
import type { Reliable } from '@holdfast/adapter-kit';
import type { RunFinder } from './conversations.ts';
import type { ReliabilityMiddleware } from './middleware.ts';
import { reliabilityMiddleware } from './middleware.ts';
import { readCalls } from './read-calls.ts';
import type { LangChainTool } from './tools.ts';
import { asTool, offeredTools } from './tools.ts';
import { repairMessages } from './transcript.ts';
import { reliableTool } from './reliable-tool.ts';

/** What everything here works with. */
export interface Scene<Tool extends LangChainTool = LangChainTool> {
  readonly reliable: Reliable;
  readonly given: readonly Tool[];
  /** Those that run here, by name: not the provider's own. */
  readonly known: ReadonlyMap<string, ClientTool>;
  readonly read: ArgumentReader;
  readonly conversations: RunFinder;
}

export class LangChainTools<Tool extends LangChainTool = LangChainTool> {
  protected readonly scene: Scene<Tool>;
  readonly #wrapped: readonly Tool[];
  /** For `createAgent`: the first of its `middleware`. */
  readonly middleware: ReliabilityMiddleware;

  constructor(scene: Scene<Tool>) {
    this.scene = scene;
    this.#wrapped = scene.given.map((tool) => reliableTool(tool, scene));
    this.middleware = reliabilityMiddleware(scene);
  }

  get service(): ToolExecutionService<readonly AnyTool[]> {
    return this.scene.reliable.service;
  }

  /** For `ToolNode` and `bindTools` in a graph of one's own, in place of the tools given. An agent with `middleware` takes the tools as they were given. */
  get tools(): Tool[] {
    return [...offeredTools(this.runOf([]), this.#wrapped, asTool)] as Tool[];
  }

  /** Messages as the model's provider accepts them; the same array where there is nothing to mend. Never throws. */
  repair(messages: readonly BaseMessage[]): BaseMessage[] {
    return repairMessages(messages, this.scene.reliable, this.runOf(messages));
  }

  /** For a graph of one's own: the model's answer, with calls that LangChain could not read put where `ToolNode` finds them. */
  readCalls(answer: AIMessage): AIMessage {
    return readCalls(answer, this.scene);
  }

  /** The run that a conversation is in: it begins when the user has spoken. */
  runOf(messages: readonly BaseMessage[]): AgentRun {
    return this.scene.conversations.runOf(messages);
  }
}

/** The same for one run, whatever the messages are. */
export class LangChainRun<Tool extends LangChainTool = LangChainTool> extends LangChainTools<Tool> {
  /** What answers the calls. */
  readonly agentRun: AgentRun;

  constructor(scene: Scene<Tool>, agentRun: AgentRun) {
    super({ ...scene, conversations: { runOf: () => agentRun, remember: () => undefined } });
    this.agentRun = agentRun;
  }

  /** Why the loop should end, if it should. An agent with `middleware` ends by itself. */
  get stopped(): RunStopped | undefined {
    return this.agentRun.stopped;
  }
}
