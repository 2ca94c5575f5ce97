/** Owns one conversation over the OpenAI Agents SDK: its tools, the settings of its runs, and a model that is listened to. */
import type { AgentRun, RunStopped } from '@holdfast/core/agent';
import type { AgentInputItem, CallModelInputFilter, FunctionTool, Model, ModelProvider, ToolErrorFormatter } from '@openai/agents';
import { MaxTurnsExceededError, Runner } from '@openai/agents';
import type { Conversation } from './conversation.ts';
import { functionTool } from './function-tool.ts';
import type { Response } from './model.ts';
import { heardModel, heardProvider, isCutOff } from './model.ts';
import type { ReadTool } from './tools.ts';
import type { View } from './transcript.ts';
import { inCallOrder, itemsOf, requestOf } from './transcript.ts';

interface EndedRun {
  readonly error: unknown;
  readonly runData: { readonly lastAgent?: unknown };
}

/** What `run(agent, input, settings)` takes of a conversation. */
export interface RunSettings {
  readonly toolNotFoundBehavior: 'return_error_to_model';
  readonly toolErrorFormatter: ToolErrorFormatter;
  readonly callModelInputFilter: CallModelInputFilter;
  readonly errorHandlers: { readonly maxTurns: (ended: EndedRun) => { readonly finalOutput: never } | undefined };
}

export class AgentsRun {
  /** What answers the calls. */
  readonly agentRun: AgentRun;
  /** For an agent's `tools`. */
  readonly tools: FunctionTool[];
  readonly #conversation: Conversation;
  #ending: Error | undefined;

  constructor(conversation: Conversation, tools: readonly ReadTool[]) {
    this.#conversation = conversation;
    this.agentRun = conversation.agentRun;
    this.tools = tools.map((read) => functionTool(read, conversation));
  }

  /** Why the loop should end, if it should. */
  get stopped(): RunStopped | undefined {
    return this.agentRun.stopped;
  }

  /** For `run(agent, input, settings)`, alone or spread among settings of your own. */
  readonly settings: RunSettings = {
    toolNotFoundBehavior: 'return_error_to_model',
    toolErrorFormatter: ({ kind, toolName, callId }) => (kind === 'tool_not_found' ? this.#answerUnknown(toolName, callId) : undefined),
    callModelInputFilter: ({ modelData }) => {
      if (this.stopped) throw (this.#ending = new MaxTurnsExceededError(`Stopped: ${this.stopped.message}`));
      this.#conversation.beginTurn();
      return { ...modelData, input: this.repair(modelData.input) };
    },
    errorHandlers: {
      // An agent whose output is no text cannot end with one: its run rejects.
      maxTurns: ({ error, runData }) => {
        const { outputType } = Object(runData.lastAgent) as { readonly outputType?: unknown };
        return error === this.#ending && outputType === 'text' ? { finalOutput: String(this.#ending?.message) as never } : undefined;
      },
    },
  };

  /** Items as the provider accepts them; the same list where there is nothing to mend. */
  repair(items: AgentInputItem[]): AgentInputItem[] {
    const { reliable } = this.#conversation;
    const executed = this.#conversation.withExecuted(items);
    const request = requestOf(executed);
    const mended = reliable.repair(request, 'openai-responses', this.agentRun);
    return inCallOrder(mended === request ? executed : itemsOf(mended.input as readonly View[]));
  }

  /** The same model; its calls are read before the SDK does, which refuses what could be mended, and says nothing of what is wrong. */
  model(model: Model): Model {
    return heardModel(model, this.#hear);
  }

  /** The same for all models of a provider: for `new Runner({ modelProvider })`. @default the SDK's own provider */
  modelProvider(provider: ModelProvider = new Runner().config.modelProvider): ModelProvider {
    return heardProvider(provider, this.#hear);
  }

  readonly #hear = (response: Response): Response['output'] => {
    const truncated = isCutOff(response);
    const calls = response.output.map((item) =>
      item.type === 'function_call' ? { toolName: item.name, callId: item.callId, arguments: item.arguments, truncated } : undefined,
    );
    this.#conversation.beginTurn(calls.filter((call) => call !== undefined));
    return response.output.map((item, index) => {
      const call = calls[index];
      return call && this.#conversation.knows(call.toolName)
        ? ({ ...item, arguments: this.#conversation.readable(call) } as typeof item)
        : item;
    });
  };

  /** A tool of ours that is not offered now is none of the model's faults to count. */
  async #answerUnknown(toolName: string, callId: string): Promise<string | undefined> {
    if (this.#conversation.knows(toolName)) return this.agentRun.availability(toolName).note;
    const call = { toolName, callId, arguments: {} };
    const { text } = await this.#conversation.answer(call, { ok: true, value: {}, repairs: [] }, { batch: undefined });
    return text;
  }
}
