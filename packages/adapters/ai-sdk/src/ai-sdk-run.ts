/** Owns one conversation: the tools and settings of one agent run, for `generateText`, `streamText` and `ToolLoopAgent`. */
import type { AgentRun, RunStopped } from '@holdfast/core/agent';
import { checkOptions, checkRule, listOf, type Rule } from '@holdfast/core/internal/plain';
import { aiSdkMessages } from '@holdfast/adapter-kit';
import type { ModelMessage, PrepareStepFunction, StopCondition, ToolCallRepairFunction, ToolSet } from 'ai';
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
}

/** What a run does between the steps of a loop. */
export interface LoopSettings<Tools extends ToolSet> {
  /**
   * Repairs the messages of a step, and removes tools whose circuit is open if `openCircuits` is `'remove'`.
   * To offer only some tools in a step, pass `activeTools`.
   */
  readonly prepareStep: (step: StepSettings<keyof Tools>) => StepSettings<keyof Tools>;
  /** The stop conditions: `run.stopped`, and the given ones. */
  readonly stopWhen: StopCondition<Tools>[];
}

/** The user's own settings of a loop. */
export interface OwnLoop<Tools extends ToolSet> {
  /** When the loop ends, if the run does not end it before. */
  readonly stopWhen: StopCondition<Tools> | readonly StopCondition<Tools>[];
  /** Called first; the run repairs the messages that it returns, and offers a part of the tools that it activates. */
  readonly prepareStep?: PrepareStepFunction<Tools> | undefined;
}

/** One conversation. */
export interface AiSdkRun<Tools extends ToolSet = ToolSet> extends RunSettings<Tools>, Omit<LoopSettings<Tools>, 'stopWhen'> {
  /** The agent run that answers the calls. */
  readonly agentRun: AgentRun;
  /** Why the loop should end; `undefined` if it should continue. */
  readonly stopped: RunStopped | undefined;
  /** Options for a call of the framework, to be spread into it. They change neither the number of its steps nor its messages. */
  readonly settings: RunSettings<Tools>;
  /** Options for a loop, to be spread into a call of the framework: the user's own, with those of the run. */
  readonly loop: (own: OwnLoop<Tools>) => LoopSettings<Tools>;
  /** Ends the loop when the run is stopped; can be combined with other conditions. */
  readonly stopWhen: () => boolean;
  /** Repairs messages so that the framework and the provider accept them; returns the same array if nothing was wrong. */
  repair(messages: ModelMessage[]): ModelMessage[];
}

const stopRule: Rule = (value, field, guess) => {
  const rule = Array.isArray(value) ? listOf('function', '') : 'function';
  checkRule(rule, value, field, guess);
};

/** Prepares a step with the user's function, and then with the run's. */
function after<Tools extends ToolSet>(
  own: PrepareStepFunction<Tools>,
  prepareStep: AiSdkRun<Tools>['prepareStep'],
): AiSdkRun<Tools>['prepareStep'] {
  const both = async (step: StepSettings<keyof Tools>): Promise<object> => {
    const mine = (await own(step as never)) ?? {};
    return { ...mine, ...prepareStep({ ...step, ...mine } as StepSettings<keyof Tools>) };
  };
  // The framework waits for the result.
  return both as unknown as AiSdkRun<Tools>['prepareStep'];
}

export function aiSdkRun<Tools extends ToolSet>(binding: RunBinding, given: Tools): AiSdkRun<Tools> {
  const { agentRun, reliable } = binding;
  const source = given as unknown as Readonly<Record<string, SourceTool>>;
  const tools = Object.fromEntries(Object.keys(given).map((name) => [name, wrapTool(name, source, binding)])) as unknown as Tools;
  const repairToolCall = repairCall.bind(undefined, binding) as unknown as ToolCallRepairFunction<Tools>;
  const repair = (messages: ModelMessage[]): ModelMessage[] => reliable.repair({ messages }, aiSdkMessages, agentRun).messages;
  const stopWhen = (): boolean => agentRun.stopped !== undefined;
  const prepareStep = ({ messages, activeTools }: StepSettings<keyof Tools>): StepSettings<keyof Tools> => {
    const repaired = messages && repair(messages);
    const names = (activeTools ?? Object.keys(given)).map((name) => ({ name: String(name) }));
    const offered = agentRun.advertise(names);
    const changes: StepSettings<keyof Tools> = repaired === undefined || repaired === messages ? {} : { messages: repaired };
    return activeTools || offered.length < names.length ? { ...changes, activeTools: offered.map(({ name }) => name) } : changes;
  };
  const settings = { tools, repairToolCall, experimental_repairToolCall: repairToolCall };
  return {
    ...settings,
    prepareStep,
    agentRun,
    get stopped() {
      return agentRun.stopped;
    },
    settings,
    loop: (own) => {
      checkOptions({ stopWhen: stopRule, prepareStep: 'function' }, own, 'loop', ['stopWhen']);
      return {
        stopWhen: [stopWhen, ...[own.stopWhen].flat()],
        prepareStep: own.prepareStep ? after(own.prepareStep, prepareStep) : prepareStep,
      };
    },
    stopWhen,
    repair,
  };
}
