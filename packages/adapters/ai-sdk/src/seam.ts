/**
 * Owns handing one call of the framework to the agent run, with what the framework has read of it already.
 *
 * Invariant: arguments that the framework has checked are neither read nor checked again, and those that it has turned down are never run.
 */
import type { Reliable, ReliableOptions } from '@holdfast/adapter-kit';
import type { Effect } from '@holdfast/core';
import type { AgentRun, ArgumentReader, CallExecutor, ModelCall, ReadArguments, ToolAnswer } from '@holdfast/core/agent';
import { Turns } from './turns.ts';

/** The reader of all runs: it says what the framework made of the arguments of the call that begins. */
export class ReadBefore {
  #read: ReadArguments | undefined;
  readonly reader: ArgumentReader = ({ raw }) => this.#read ?? { ok: true, value: raw, repairs: [] };

  /** An agent run asks its reader before it first waits. */
  during<Result>(read: ReadArguments | undefined, begin: () => Result): Result {
    this.#read = read;
    try {
      return begin();
    } finally {
      this.#read = undefined;
    }
  }
}

export interface SeamCall extends ModelCall {
  /** What the framework calls the answer's turn. */
  readonly messages: readonly unknown[] | undefined;
  readonly signal: AbortSignal | undefined;
  readonly read: ReadArguments | undefined;
  readonly execute?: CallExecutor | undefined;
}

/** One run, as wrapped tools and repaired calls use it. */
export class Seam {
  readonly agentRun: AgentRun;
  readonly options: ReliableOptions;
  readonly #reliable: Reliable;
  readonly #readBefore: ReadBefore;
  readonly #turns = new Turns();
  /** By tool and call id: what had to be repaired before the framework could read it. */
  readonly #repairs = new Map<string, readonly string[]>();

  constructor(reliable: Reliable, options: ReliableOptions, agentRun: AgentRun, readBefore: ReadBefore) {
    this.#reliable = reliable;
    this.options = options;
    this.agentRun = agentRun;
    this.#readBefore = readBefore;
  }

  /** Never rejects. */
  async answer({ messages = [], signal, read, execute, ...given }: SeamCall): Promise<ToolAnswer> {
    const turn = this.#turns.enter(messages, given);
    let call: ModelCall = given;
    let siblings: readonly ModelCall[] | undefined;
    if (this.options.dependsOn) {
      // The framework begins all calls of an answer at once, and tells nobody how many there are.
      await new Promise((resolve) => setTimeout(resolve));
      siblings = this.#reliable.ordered([...turn.calls.values()]);
      call = siblings.find(({ callId }) => callId === given.callId) ?? given;
    }
    return this.#readBefore.during(read, () => this.agentRun.answerOne(call, turn, { signal, siblings, execute }));
  }

  /** Whether the service has such a tool, offered or not. */
  knows(toolName: string): boolean {
    return this.effectOf(toolName) !== undefined;
  }

  effectOf(toolName: string): Effect | undefined {
    return this.#reliable.service.getToolSettings(toolName)?.effect;
  }

  keepRepairs({ toolName, callId }: ModelCall, repairs: readonly string[]): void {
    if (repairs.length > 0) this.#repairs.set(`${toolName} ${callId}`, repairs);
  }

  takeRepairs({ toolName, callId }: ModelCall): readonly string[] {
    const key = `${toolName} ${callId}`;
    const repairs = this.#repairs.get(key) ?? [];
    this.#repairs.delete(key);
    return repairs;
  }
}
