/** Owns one conversation: the tools and settings of one agent run, for `generateText`, `streamText` and `ToolLoopAgent`. */
import type { AgentRun, RunStopped } from '@holdfast/core/agent';
import type { ModelMessage, StopCondition, ToolCallRepairFunction, ToolSet } from 'ai';
import { repairCall } from './repair-call.ts';
import type { RunBinding } from './run-binding.ts';
import { type SourceTool, wrapTool } from './wrap-tool.ts';

/** The settings of a step that the adapter reads and changes. */
export interface StepSettings<Name extends PropertyKey = string> {
  /** Messages that the step sends. */
  messages?: ModelMessage[];
  /** Names of the tools that the step offers. Absent: all of them. */
  activeTools?: Name[];
}

/** The options of a run, to be passed to a call of the framework. */
export interface RunSettings<Tools extends ToolSet> {
  /** The same tools, executed by the service. */
  readonly tools: Tools;
  /** Repairs calls the framework could not parse, counts those that cannot be repaired, and reports the error to the model. */
  readonly repairToolCall: ToolCallRepairFunction<Tools>;
  /** The same as `repairToolCall`, under its name in version 6. */
  readonly experimental_repairToolCall: ToolCallRepairFunction<Tools>;
  /**
   * Repairs the messages of a step, and removes tools whose circuit is open if `openCircuits` is `'remove'`.
   * To offer only some tools in a step, pass `activeTools`.
   */
  readonly prepareStep: (step: StepSettings<keyof Tools>) => StepSettings<keyof Tools>;
  /** The stop conditions: `run.stopped`, and those passed to `startRun`. */
  readonly stopWhen: StopCondition<Tools>[];
}

/** One conversation. */
export interface AiSdkRun<Tools extends ToolSet = ToolSet> extends Omit<RunSettings<Tools>, 'stopWhen'> {
  /** The agent run that answers the calls. */
  readonly agentRun: AgentRun;
  /** Why the loop should end; `undefined` if it should continue. */
  readonly stopped: RunStopped | undefined;
  /** All options for a call of the framework, to be spread into it. */
  readonly settings: RunSettings<Tools>;
  /** Ends the loop when the run is stopped; can be combined with other conditions. */
  readonly stopWhen: () => boolean;
  /** Repairs messages so that the framework and the provider accept them; returns the same array if nothing was wrong. */
  repair(messages: ModelMessage[]): ModelMessage[];
}

export function aiSdkRun<Tools extends ToolSet>(
  binding: RunBinding,
  given: Tools,
  stopConditions: readonly StopCondition<Tools>[],
): AiSdkRun<Tools> {
  const { agentRun, reliable } = binding;
  const source = given as unknown as Readonly<Record<string, SourceTool>>;
  const tools = Object.fromEntries(Object.keys(given).map((name) => [name, wrapTool(name, source, binding)])) as unknown as Tools;
  const repairToolCall = repairCall.bind(undefined, binding) as unknown as ToolCallRepairFunction<Tools>;
  const repair = (messages: ModelMessage[]): ModelMessage[] => reliable.repair({ messages }, 'ai-sdk', agentRun).messages;
  const stopWhen = (): boolean => agentRun.stopped !== undefined;
  const prepareStep = ({ messages, activeTools }: StepSettings<keyof Tools>): StepSettings<keyof Tools> => {
    const repaired = messages && repair(messages);
    const names = (activeTools ?? Object.keys(given)).map((name) => ({ name: String(name) }));
    const offered = agentRun.advertise(names);
    const changes: StepSettings<keyof Tools> = repaired === undefined || repaired === messages ? {} : { messages: repaired };
    return activeTools || offered.length < names.length ? { ...changes, activeTools: offered.map(({ name }) => name) } : changes;
  };
  const settings = { tools, repairToolCall, experimental_repairToolCall: repairToolCall, prepareStep };
  return {
    ...settings,
    agentRun,
    get stopped() {
      return agentRun.stopped;
    },
    settings: { ...settings, stopWhen: [stopWhen, ...stopConditions] },
    stopWhen,
    repair,
  };
}
