/** Owns one conversation: the tools and settings that `generateText`, `streamText` and `ToolLoopAgent` take, of one agent run. */
import type { Reliable } from '@holdfast/adapter-kit';
import type { AgentRun, RunStopped } from '@holdfast/core/agent';
import type { ModelMessage, StopCondition, ToolCallRepairFunction, ToolSet } from 'ai';
import { repairedCall } from './repaired-call.ts';
import type { UnreadCall } from './repaired-call.ts';
import type { Seam } from './seam.ts';
import type { SourceTools } from './wrapped-tool.ts';
import { wrappedTool } from './wrapped-tool.ts';

/** What is read of a step that is about to begin. */
export interface StepOptions<Name extends PropertyKey = string> {
  readonly messages: ModelMessage[];
  /** Where a step offers only some of the tools: these, without those that cannot be called. */
  readonly activeTools?: readonly Name[] | undefined;
}

/** What is changed about a step. */
export interface StepChanges<Name extends PropertyKey = string> {
  messages?: ModelMessage[];
  activeTools?: Name[];
}

/** Everything that a call of the framework takes of a run: spread it. */
export interface RunSettings<Tools extends ToolSet> {
  readonly tools: Tools;
  readonly repairToolCall: ToolCallRepairFunction<Tools>;
  /** The name of the same in version 6. */
  readonly experimental_repairToolCall: ToolCallRepairFunction<Tools>;
  readonly prepareStep: (step: StepOptions<keyof Tools>) => StepChanges<keyof Tools>;
  readonly stopWhen: StopCondition<Tools>[];
}

/** As in `ToolLoopAgent`. */
const DEFAULT_STEPS = 20;

export class AiSdkRun<Tools extends ToolSet = ToolSet> {
  /** What answers the calls. */
  readonly agentRun: AgentRun;
  /** The same tools; they run under the service. */
  readonly tools: Tools;
  /** Everything, to be spread. */
  readonly settings: RunSettings<Tools>;
  readonly #reliable: Reliable;

  constructor(reliable: Reliable, tools: Tools, seam: Seam, stopWhen: readonly StopCondition<Tools>[] | undefined) {
    this.#reliable = reliable;
    this.agentRun = seam.agentRun;
    const source = tools as unknown as SourceTools;
    this.tools = Object.fromEntries(Object.keys(source).map((name) => [name, wrappedTool(name, source, seam)])) as unknown as Tools;
    this.repairToolCall = ((unread: UnreadCall) => repairedCall(seam, unread)) as unknown as ToolCallRepairFunction<Tools>;
    const { repairToolCall, prepareStep } = this;
    this.settings = {
      tools: this.tools,
      repairToolCall,
      experimental_repairToolCall: repairToolCall,
      prepareStep,
      stopWhen: [this.stopWhen, ...(stopWhen ?? [({ steps }) => steps.length >= DEFAULT_STEPS])],
    };
  }

  /** Mends calls that the framework could not read, counts those that cannot be mended, and tells the model what was wrong. */
  readonly repairToolCall: ToolCallRepairFunction<Tools>;

  /** Mends the messages of a step, and leaves out tools whose circuit is open, where `openCircuits` says `'remove'`. */
  readonly prepareStep = ({ messages, activeTools }: StepOptions<keyof Tools>): StepChanges<keyof Tools> => {
    const mended = this.repair(messages);
    const names = (activeTools ?? Object.keys(this.tools)).map((name) => ({ name: String(name) }));
    const offered = this.agentRun.advertise(names);
    return {
      ...(mended === messages ? {} : { messages: mended }),
      ...(activeTools || offered.length < names.length ? { activeTools: offered.map(({ name }) => name) } : {}),
    };
  };

  /** Ends the loop when the run is stopped; it goes beside conditions of your own. */
  readonly stopWhen = (): boolean => this.agentRun.stopped !== undefined;

  /** Why the loop should end, if it should. */
  get stopped(): RunStopped | undefined {
    return this.agentRun.stopped;
  }

  /** Messages that the framework and the provider accept; the same array where there is nothing to mend. */
  repair(messages: ModelMessage[]): ModelMessage[] {
    return this.#reliable.repair({ messages }, 'ai-sdk', this.agentRun).messages;
  }
}
