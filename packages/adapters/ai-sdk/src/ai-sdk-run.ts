/** Owns one conversation: the tools and settings that `generateText`, `streamText` and `ToolLoopAgent` take, of one agent run. */
import type { AgentRun, RunStopped } from '@holdfast/core/agent';
import type { ModelMessage, StopCondition, ToolCallRepairFunction, ToolSet } from 'ai';
import { repairedCall } from './repaired-call.ts';
import type { Seam } from './seam.ts';
import { type SourceTool, wrappedTool } from './wrapped-tool.ts';

/** What is read of a step that is about to begin, and what is changed about it. */
export interface StepSettings<Name extends PropertyKey = string> {
  messages?: ModelMessage[];
  activeTools?: Name[];
}

/** What a call of the framework takes of a run. */
export interface RunSettings<Tools extends ToolSet> extends Pick<AiSdkRun<Tools>, 'prepareStep' | 'repairToolCall' | 'tools'> {
  /** The same, under its name in version 6. */
  readonly experimental_repairToolCall: ToolCallRepairFunction<Tools>;
  readonly stopWhen: StopCondition<Tools>[];
}

export class AiSdkRun<Tools extends ToolSet = ToolSet> {
  /** What answers the calls. */
  readonly agentRun: AgentRun;
  /** The same tools; they run under the service. */
  readonly tools: Tools;
  /** Mends calls that the framework could not read, counts those that cannot be mended, and tells the model what was wrong. */
  readonly repairToolCall: ToolCallRepairFunction<Tools>;
  readonly #seam: Seam;
  readonly #ends: readonly StopCondition<Tools>[];

  /** @param ends by default as in `ToolLoopAgent` */
  constructor(seam: Seam, tools: Tools, ends: readonly StopCondition<Tools>[] = [({ steps }) => steps.length >= 20]) {
    this.#ends = ends;
    this.#seam = seam;
    this.agentRun = seam.agentRun;
    const source = tools as unknown as Readonly<Record<string, SourceTool>>;
    this.tools = Object.fromEntries(Object.keys(tools).map((name) => [name, wrappedTool(name, source, seam)])) as unknown as Tools;
    this.repairToolCall = repairedCall.bind(undefined, seam) as unknown as ToolCallRepairFunction<Tools>;
  }

  /**
   * Mends the messages of a step, and leaves out tools whose circuit is open, where `openCircuits` says `'remove'`.
   * A step that offers only some tools says so by `activeTools`.
   */
  readonly prepareStep = ({ messages, activeTools }: StepSettings<keyof Tools>): StepSettings<keyof Tools> => {
    const mended = messages && this.repair(messages);
    const names = (activeTools ?? Object.keys(this.tools)).map((name) => ({ name: String(name) }));
    const offered = this.agentRun.advertise(names);
    const changes: StepSettings<keyof Tools> = mended === undefined || mended === messages ? {} : { messages: mended };
    return activeTools || offered.length < names.length ? { ...changes, activeTools: offered.map(({ name }) => name) } : changes;
  };

  /** Ends the loop when the run is stopped; it goes beside conditions of your own. */
  readonly stopWhen = (): boolean => this.stopped !== undefined;

  /** All of it, to be spread. */
  get settings(): RunSettings<Tools> {
    const { tools, repairToolCall, prepareStep } = this;
    return { tools, repairToolCall, experimental_repairToolCall: repairToolCall, prepareStep, stopWhen: [this.stopWhen, ...this.#ends] };
  }

  /** Why the loop should end, if it should. */
  get stopped(): RunStopped | undefined {
    return this.agentRun.stopped;
  }

  /** Messages that the framework and the provider accept; the same array where there is nothing to mend. */
  repair(messages: ModelMessage[]): ModelMessage[] {
    return this.#seam.reliable.repair({ messages }, 'ai-sdk', this.agentRun).messages;
  }
}
