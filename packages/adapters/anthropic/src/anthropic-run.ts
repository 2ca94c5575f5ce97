/**
 * Owns one conversation over the Anthropic SDK: the tools as they are offered, calls answered, transcripts repaired.
 *
 * Invariants
 * 1. `answer` gives one result per call, in call order, and never throws.
 * 2. What is replayed to the model is what was executed, where its arguments had to be repaired.
 */
import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import type { Reliable } from '@holdfast/adapter-kit';
import { ExecutedArguments, TurnCollector } from '@holdfast/adapter-kit';
import type { AgentRun, AnswerOptions, RunStopped } from '@holdfast/core/agent';
import type { ClaudeMessage, AnyMessageParam, ToolResults } from './calls.ts';
import { withExecutedArguments, callsOf, resultsOf } from './calls.ts';
import { runnerTool } from './runner-tools.ts';
import type { ReadTool, ReliableTool } from './tools.ts';

/** A tool as it was given, and as it was read where it is run here. */
export interface OfferedTool {
  readonly given: ReliableTool;
  readonly read: ReadTool | undefined;
}

/** One conversation. */
export interface AnthropicRun {
  /** What answers the calls. */
  readonly agentRun: AgentRun;
  /** Why the loop should end, if it should. */
  readonly stopped: RunStopped | undefined;
  /** For `client.messages.create`: the tools as they should be offered now. */
  readonly definitions: ToolUnion[];
  /** For `client.beta.messages.toolRunner`: the same tools, with answers of ours. */
  readonly tools: BetaRunnableTool[];
  /** The message with one result per call, in call order; `undefined` for an answer without calls. */
  answer(message: ClaudeMessage, options?: AnswerOptions): Promise<ToolResults | undefined>;
  /** Messages as the API accepts them; the same array where there is nothing to repair. */
  repair<Given extends AnyMessageParam>(messages: readonly Given[]): Given[];
  /** The same of a whole request: also its tools are looked at, and whether it continues a thread. */
  repair<Given extends { readonly messages: readonly AnyMessageParam[] }>(request: Given): Given;
}

/** What is not for the API. */
const ownFields: ReadonlySet<string> = new Set(['run', 'parse', 'close']);

export class MessagesRun implements AnthropicRun {
  readonly agentRun: AgentRun;
  readonly #reliable: Reliable;
  readonly #tools: readonly OfferedTool[];
  readonly #together: TurnCollector = new TurnCollector();
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
    return this.#offered(({ given }, description) => {
      const fields = Object.entries(given).filter(([name]) => !ownFields.has(name));
      return { ...Object.fromEntries(fields), ...(description === undefined ? {} : { description }) } as ToolUnion;
    });
  }

  get tools(): BetaRunnableTool[] {
    const scene = { agentRun: this.agentRun, reliable: this.#reliable, together: this.#together };
    return this.#offered(({ given, read }, description) => (read ? runnerTool(scene, read, description) : (given as BetaRunnableTool)));
  }

  async answer(message: ClaudeMessage, options?: AnswerOptions): Promise<ToolResults | undefined> {
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
    const request = 'messages' in given ? given : { messages: given };
    const messages = withExecutedArguments(request.messages, this.#executed);
    const repaired = this.#reliable.repair(
      messages === request.messages ? request : { ...request, messages },
      'anthropic-messages',
      this.agentRun,
    );
    return 'messages' in given ? repaired : repaired.messages;
  }

  #offered<Offered>(write: (tool: OfferedTool, description: string | undefined) => Offered): Offered[] {
    const named = this.#tools.flatMap(({ read }) => read?.source ?? []);
    const offered = new Map(this.agentRun.advertise(named).map((source) => [source.name, source]));
    return this.#tools.flatMap((tool) => {
      if (!tool.read) return [write(tool, undefined)];
      const source = offered.get(tool.read.source.name);
      return source ? [write(tool, source === tool.read.source ? undefined : source.description)] : [];
    });
  }
}
