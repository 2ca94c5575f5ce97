/** Owns one conversation: the tools and settings that `generateText`, `streamText` and `ToolLoopAgent` take, of one agent run. */
import type { AgentRun, RunStopped } from '@holdfast/core/agent';
import type { ModelMessage, StopCondition, ToolCallRepairFunction, ToolSet } from 'ai';
import { repairCall } from './repair-call.ts';
import type { RunBinding } from './run-binding.ts';
import { type SourceTool, wrapTool } from './wrap-tool.ts';

/** What is read of a step that is about to begin, and what is changed about it. */
export interface StepSettings<Name extends PropertyKey = string> {
  /** Messages that the step sends. */
  messages?: ModelMessage[];
  /** Names of the tools that the step offers. Absent: all of them. */
  activeTools?: Name[];
}

/** What a call of the framework takes of a run. */
export interface RunSettings<Tools extends ToolSet> {
  /** The same tools; they run under the service. */
  readonly tools: Tools;
  /** Repairs calls that the framework could not read, counts those that cannot be repaired, and tells the model what was wrong. */
  readonly repairToolCall: ToolCallRepairFunction<Tools>;
  /** The same, under its name in version 6. */
  readonly experimental_repairToolCall: ToolCallRepairFunction<Tools>;
  /**
   * Repairs the messages of a step, and leaves out tools whose circuit is open, where `openCircuits` says `'remove'`.
   * A step that offers only some tools says so by `activeTools`.
   */
  readonly prepareStep: (step: StepSettings<keyof Tools>) => StepSettings<keyof Tools>;
  /** When the run is stopped, or as the user says. */
  readonly stopWhen: StopCondition<Tools>[];
}

/** One conversation. */
export interface AiSdkRun<Tools extends ToolSet = ToolSet> extends Omit<RunSettings<Tools>, 'stopWhen'> {
  /** What answers the calls. */
  readonly agentRun: AgentRun;
  /** Why the loop should end, if it should. */
  readonly stopped: RunStopped | undefined;
  /** All that a call of the framework takes, to be spread. */
  readonly settings: RunSettings<Tools>;
  /** Ends the loop when the run is stopped; it goes beside conditions of your own. */
  readonly stopWhen: () => boolean;
  /** Messages that the framework and the provider accept; the same array where there is nothing to repair. */
  repair(messages: ModelMessage[]): ModelMessage[];
}

export function aiSdkRun<Tools extends ToolSet>(seam: RunBinding, given: Tools, ends: readonly StopCondition<Tools>[]): AiSdkRun<Tools> {
  const { agentRun, reliable } = seam;
  const source = given as unknown as Readonly<Record<string, SourceTool>>;
  const tools = Object.fromEntries(Object.keys(given).map((name) => [name, wrapTool(name, source, seam)])) as unknown as Tools;
  const repairToolCall = repairCall.bind(undefined, seam) as unknown as ToolCallRepairFunction<Tools>;
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
    settings: { ...settings, stopWhen: [stopWhen, ...ends] },
    stopWhen,
    repair,
  };
}
