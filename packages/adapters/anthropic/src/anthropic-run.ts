/**
 * Owns one conversation over the Anthropic SDK: the offered tools, answering calls, and repairing transcripts.
 *
 * Invariants
 * 1. `answer` returns one result per call, in call order, and never throws.
 * 2. If arguments had to be repaired, the executed ones are replayed to the model.
 */
import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { checkRule, fieldsOf, listOf, refuse } from '@holdfast/core/internal/plain';
import type { Reliable } from '@holdfast/adapter-kit';
import { anthropicRequests, ExecutedArguments, TurnCollector } from '@holdfast/adapter-kit';
import type { AgentRun, AnswerOptions, RunStopped } from '@holdfast/core/agent';
import type { ClaudeMessage, AnyMessageParam, ToolResults } from './calls.ts';
import { withExecutedArguments, callsOf, resultsOf } from './calls.ts';
import { runnerTool } from './runner-tools.ts';
import type { ReadTool, ReliableTool } from './tools.ts';

/** A given tool, and its parsed form if it is run here. */
export interface OfferedTool {
  readonly given: ReliableTool;
  readonly read: ReadTool | undefined;
}

/** One conversation. */
export interface AnthropicRun {
  /** The agent run that answers the calls. */
  readonly agentRun: AgentRun;
  /** Why the loop should end; `undefined` if it should continue. */
  readonly stopped: RunStopped | undefined;
  /** The tools to offer now, for `client.messages.create`. */
  readonly definitions: ToolUnion[];
  /** The same tools, answered by Holdfast, for `client.beta.messages.toolRunner`. */
  readonly tools: BetaRunnableTool[];
  /** Answers the calls of a message. Returns a message with one result per call, in call order; `undefined` if there are no calls. */
  answer(message: ClaudeMessage, options?: AnswerOptions): Promise<ToolResults | undefined>;
  /** Repairs messages so that the API accepts them; returns the same array if nothing was wrong. */
  repair<Given extends AnyMessageParam>(messages: readonly Given[]): Given[];
  /** Repairs a whole request, taking into account its tools and whether it continues a thread. */
  repair<Given extends { readonly messages: readonly AnyMessageParam[] }>(request: Given): Given;
}

/** Fields that are not sent to the API. */
const ownFields: ReadonlySet<string> = new Set(['run', 'parse', 'close']);

export class MessagesRun implements AnthropicRun {
  readonly agentRun: AgentRun;
  readonly #reliable: Reliable;
  readonly #tools: readonly OfferedTool[];
  readonly #collector: TurnCollector = new TurnCollector();
  readonly #executed = new ExecutedArguments();

  constructor(reliable: Reliable, tools: readonly OfferedTool[], agentRun: AgentRun) {
    this.#reliable = reliable;
    this.#tools = tools;
    this.agentRun = agentRun;
  }

  get stopped(): RunStopped | undefined {
    return this.agentRun.stopped;
  }

  get definitions(): ToolUnion[] {
    return this.#offeredTools(({ given }, description) => {
      const fields = Object.entries(given).filter(([name]) => !ownFields.has(name));
      return { ...Object.fromEntries(fields), ...(description === undefined ? {} : { description }) } as ToolUnion;
    });
  }

  get tools(): BetaRunnableTool[] {
    const context = { agentRun: this.agentRun, reliable: this.#reliable, collector: this.#collector };
    return this.#offeredTools(({ given, read }, description) =>
      read ? runnerTool(context, read, description) : (given as BetaRunnableTool),
    );
  }

  async answer(message: ClaudeMessage, options?: AnswerOptions): Promise<ToolResults | undefined> {
    if ('then' in fieldsOf(message)) refuse('answer: message', message, 'a message: await the API first', '');
    const calls = callsOf(message);
    if (calls.length === 0) return undefined;
    const answers = await this.#reliable.answer(this.agentRun, calls, options);
    for (const [index, answer] of answers.entries()) {
      const call = calls[index];
      if (call) this.#executed.remember(call, answer);
    }
    return resultsOf(calls, answers);
  }

  repair<Given extends AnyMessageParam>(messages: readonly Given[]): Given[];
  repair<Given extends { readonly messages: readonly AnyMessageParam[] }>(request: Given): Given;
  repair(given: { readonly messages: readonly AnyMessageParam[] } | readonly AnyMessageParam[]): unknown {
    const request = Array.isArray(given)
      ? { messages: given as readonly AnyMessageParam[] }
      : (given as { readonly messages: readonly AnyMessageParam[] });
    checkRule(listOf('object', 'an array of messages'), fieldsOf(request)['messages'], 'repair: messages');
    const messages = withExecutedArguments(request.messages, this.#executed);
    const repaired = this.#reliable.repair(
      messages === request.messages ? request : { ...request, messages },
      anthropicRequests,
      this.agentRun,
    );
    return Array.isArray(given) ? repaired.messages : repaired;
  }

  #offeredTools<Offered>(write: (tool: OfferedTool, description: string | undefined) => Offered): Offered[] {
    const named = this.#tools.flatMap(({ read }) => read?.source ?? []);
    const offered = new Map(this.agentRun.advertise(named).map((source) => [source.name, source]));
    return this.#tools.flatMap((tool) => {
      if (!tool.read) return [write(tool, undefined)];
      const source = offered.get(tool.read.source.name);
      return source ? [write(tool, source === tool.read.source ? undefined : source.description)] : [];
    });
  }
}
