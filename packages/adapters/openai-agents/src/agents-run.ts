/** Owns one conversation over the OpenAI Agents SDK: its tools, the settings of its runs, and wrapping its model. */
import type { AgentRun, RunStopped } from '@holdfast/core/agent';
import { openaiResponsesItems } from '@holdfast/adapter-kit';
import type { AgentInputItem, CallModelInputFilter, FunctionTool, Model, ModelProvider, ToolErrorFormatter } from '@openai/agents';
import { MaxTurnsExceededError, Runner } from '@openai/agents';
import { rememberConversation } from './agent-tools.ts';
import type { Conversation } from './conversation.ts';
import { functionTool } from './function-tool.ts';
import type { Response } from './wrap-model.ts';
import { wrapModel, wrapProvider, isCutOff } from './wrap-model.ts';
import type { ReadTool } from './tools.ts';
import type { View } from './transcript.ts';
import { inCallOrder, itemsOf, requestOf, withExecutedArguments } from './transcript.ts';

/** The SDK's data about a run that ended with an error. */
export interface EndedRun {
  /** The error that ended the run. */
  readonly error: unknown;
  /** State of the run. `lastAgent` is the agent that ran last. */
  readonly runData: { readonly lastAgent?: unknown };
}

/** The settings of a conversation for `run(agent, input, settings)`. */
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
  /** The agent run that answers the calls. */
  readonly agentRun: AgentRun;
  /** Why the loop should end; `undefined` if it should continue. */
  readonly stopped: RunStopped | undefined;
  /** The tools, for an agent's `tools`. */
  readonly tools: FunctionTool[];
  /** For `run(agent, input, settings)`, alone or spread into other settings. */
  readonly settings: RunSettings;
  /** Repairs items so that the provider accepts them; returns the same list if nothing was wrong. */
  readonly repair: (items: AgentInputItem[]) => AgentInputItem[];
  /** Wraps a model so that its calls are read before the SDK does, which rejects repairable calls without giving the reason. */
  readonly model: (model: Model) => Model;
  /** Wraps all models of a provider, for `new Runner({ modelProvider })`. The default is the SDK's own provider. */
  readonly modelProvider: (provider?: ModelProvider) => ModelProvider;
}

export function agentsRun(conversation: Conversation, tools: readonly ReadTool[]): AgentsRun {
  const { agentRun } = conversation;
  const readOutput = (response: Response): Response['output'] => readResponse(response, conversation);
  const repair = (items: AgentInputItem[]): AgentInputItem[] => repairItems(items, conversation);
  return {
    agentRun,
    get stopped() {
      return agentRun.stopped;
    },
    tools: tools.map((read) => read.identity ?? functionTool(read, conversation)),
    settings: settingsOf(conversation, repair),
    repair,
    model: (model) => wrapModel(model, readOutput),
    modelProvider: (provider = new Runner().config.modelProvider) => wrapProvider(provider, readOutput),
  };
}

function settingsOf(conversation: Conversation, repair: AgentsRun['repair']): RunSettings {
  const { agentRun } = conversation;
  let ending: Error | undefined;
  const filter: CallModelInputFilter = ({ modelData, context }) => {
    rememberConversation(context, conversation);
    if (agentRun.stopped) throw (ending = new MaxTurnsExceededError(`Stopped: ${agentRun.stopped.message}`));
    conversation.beginTurn();
    return { ...modelData, input: repair(modelData.input) };
  };
  return {
    toolNotFoundBehavior: 'return_error_to_model',
    toolErrorFormatter: ({ kind, toolName, callId }) =>
      kind === 'tool_not_found' ? answerUnknown(conversation, toolName, callId) : undefined,
    // The repair never modifies an item, so the SDK need not copy the whole conversation for it.
    callModelInputFilter: Object.assign(filter, { preserveInputIdentity: true }),
    errorHandlers: {
      // An agent with non-text output cannot end with a text, so its run rejects.
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
  const repaired = conversation.reliable.repair(request, openaiResponsesItems, conversation.agentRun);
  return inCallOrder(repaired === request ? executed : itemsOf(repaired.input as readonly View[]));
}

/** Starts a turn with the calls of a response, and returns its items with arguments the SDK can parse. */
function readResponse(response: Response, conversation: Conversation): Response['output'] {
  const truncated = isCutOff(response);
  const calls = response.output.map((item) =>
    item.type === 'function_call' ? { toolName: item.name, callId: item.callId, arguments: item.arguments, truncated } : undefined,
  );
  conversation.beginTurn(calls.filter((call) => call !== undefined));
  return response.output.map((item, index) => {
    const call = calls[index];
    if (!call || !conversation.hasTool(call.toolName)) return item;
    const read = { ...item, arguments: conversation.readable(call) } as typeof item;
    rememberConversation(read, conversation);
    return read;
  });
}

/** Answers a call of an unknown tool. A known tool that is not offered now is not counted as a mistake of the model. */
async function answerUnknown(conversation: Conversation, toolName: string, callId: string): Promise<string | undefined> {
  if (conversation.hasTool(toolName)) return conversation.agentRun.availability(toolName).note;
  const call = { toolName, callId, arguments: {} };
  const { text } = await conversation.answer(call, { ok: true, value: {}, repairs: [] }, { batch: undefined });
  return text;
}
