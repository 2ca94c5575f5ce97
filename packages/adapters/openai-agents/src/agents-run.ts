/** Owns one conversation over the OpenAI Agents SDK: its tools, the settings of its runs, and a model that is listened to. */
import type { AgentRun, RunStopped } from '@holdfast/core/agent';
import type { AgentInputItem, CallModelInputFilter, FunctionTool, Model, ModelProvider, ToolErrorFormatter } from '@openai/agents';
import { MaxTurnsExceededError, Runner } from '@openai/agents';
import type { Conversation } from './conversation.ts';
import { functionTool } from './function-tool.ts';
import type { Response } from './wrap-model.ts';
import { wrapModel, wrapProvider, isCutOff } from './wrap-model.ts';
import type { ReadTool } from './tools.ts';
import type { View } from './transcript.ts';
import { inCallOrder, itemsOf, requestOf, withExecutedArguments } from './transcript.ts';

/** What the SDK tells of a run that ends by an error. */
export interface EndedRun {
  /** The error that ended the run. */
  readonly error: unknown;
  /** State of the run. `lastAgent` is the agent that ran last. */
  readonly runData: { readonly lastAgent?: unknown };
}

/** What `run(agent, input, settings)` takes of a conversation. */
export interface RunSettings {
  /** Calls of unknown tools go back to the model and do not end the run. */
  readonly toolNotFoundBehavior: 'return_error_to_model';
  /** Answers calls of unknown tools, and counts them. */
  readonly toolErrorFormatter: ToolErrorFormatter;
  /** Repairs the input before each request to the model, and ends the run when `stopped` is set. */
  readonly callModelInputFilter: CallModelInputFilter;
  /** Makes the reason of a stopped run its final output, for an agent whose output is text. The run of another agent rejects. */
  readonly errorHandlers: { readonly maxTurns: (ended: EndedRun) => { readonly finalOutput: never } | undefined };
}

/** One conversation. */
export interface AgentsRun {
  /** What answers the calls. */
  readonly agentRun: AgentRun;
  /** Why the loop should end, if it should. */
  readonly stopped: RunStopped | undefined;
  /** For an agent's `tools`. */
  readonly tools: FunctionTool[];
  /** For `run(agent, input, settings)`, alone or spread among settings of your own. */
  readonly settings: RunSettings;
  /** Items as the provider accepts them; the same list where there is nothing to repair. */
  readonly repair: (items: AgentInputItem[]) => AgentInputItem[];
  /** The same model; its calls are read before the SDK does, which refuses what could be repaired, and says nothing of what is wrong. */
  readonly model: (model: Model) => Model;
  /** The same for all models of a provider: for `new Runner({ modelProvider })`. Without one it is the SDK's own. */
  readonly modelProvider: (provider?: ModelProvider) => ModelProvider;
}

export function agentsRun(conversation: Conversation, tools: readonly ReadTool[]): AgentsRun {
  const { agentRun } = conversation;
  const hear = (response: Response): Response['output'] => readResponse(response, conversation);
  const repair = (items: AgentInputItem[]): AgentInputItem[] => repairItems(items, conversation);
  return {
    agentRun,
    get stopped() {
      return agentRun.stopped;
    },
    tools: tools.map((read) => functionTool(read, conversation)),
    settings: settingsOf(conversation, repair),
    repair,
    model: (model) => wrapModel(model, hear),
    modelProvider: (provider = new Runner().config.modelProvider) => wrapProvider(provider, hear),
  };
}

function settingsOf(conversation: Conversation, repair: AgentsRun['repair']): RunSettings {
  const { agentRun } = conversation;
  let ending: Error | undefined;
  return {
    toolNotFoundBehavior: 'return_error_to_model',
    toolErrorFormatter: ({ kind, toolName, callId }) =>
      kind === 'tool_not_found' ? answerUnknown(conversation, toolName, callId) : undefined,
    callModelInputFilter: ({ modelData }) => {
      if (agentRun.stopped) throw (ending = new MaxTurnsExceededError(`Stopped: ${agentRun.stopped.message}`));
      conversation.beginTurn();
      return { ...modelData, input: repair(modelData.input) };
    },
    errorHandlers: {
      // An agent whose output is no text cannot end with one: its run rejects.
      maxTurns: ({ error, runData }) => {
        const { outputType } = Object(runData.lastAgent) as { readonly outputType?: unknown };
        return error === ending && outputType === 'text' ? { finalOutput: String(ending?.message) as never } : undefined;
      },
    },
  };
}

function repairItems(items: AgentInputItem[], conversation: Conversation): AgentInputItem[] {
  const executed = withExecutedArguments(items, conversation.executed);
  const request = requestOf(executed);
  const repaired = conversation.reliable.repair(request, 'openai-responses', conversation.agentRun);
  return inCallOrder(repaired === request ? executed : itemsOf(repaired.input as readonly View[]));
}

/** Begins a turn of the calls in a response; its items, with arguments that the SDK can read. */
function readResponse(response: Response, conversation: Conversation): Response['output'] {
  const truncated = isCutOff(response);
  const calls = response.output.map((item) =>
    item.type === 'function_call' ? { toolName: item.name, callId: item.callId, arguments: item.arguments, truncated } : undefined,
  );
  conversation.beginTurn(calls.filter((call) => call !== undefined));
  return response.output.map((item, index) => {
    const call = calls[index];
    return call && conversation.knows(call.toolName) ? ({ ...item, arguments: conversation.readable(call) } as typeof item) : item;
  });
}

/** A tool of ours that is not offered now is none of the model's faults to count. */
async function answerUnknown(conversation: Conversation, toolName: string, callId: string): Promise<string | undefined> {
  if (conversation.knows(toolName)) return conversation.agentRun.availability(toolName).note;
  const call = { toolName, callId, arguments: {} };
  const { text } = await conversation.answer(call, { ok: true, value: {}, repairs: [] }, { batch: undefined });
  return text;
}
