/**
 * Owns handing single calls of the framework to an agent run, with what the framework has read of them already.
 *
 * Invariants
 * 1. Arguments that the framework has checked are not read again, and those that it has turned down are never run.
 * 2. Calls that come with the same list of messages are of one answer. A list that has grown, or comes with a call for the second time, stands for another.
 */
import type { Reliable, ReliableOptions } from '@holdfast/adapter-kit';
import type { AgentRun, CallExecutor, ModelCall, ReadArguments, ToolAnswer } from '@holdfast/core/agent';

/** What the framework hands over with every call, read or not. */
export interface CallOptions {
  readonly messages?: readonly unknown[] | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

export interface RunBinding {
  readonly agentRun: AgentRun;
  readonly reliable: Reliable;
  readonly options: ReliableOptions;
  /** By call id: what had to be repaired before the framework could read the arguments. */
  readonly repairs: Map<string, readonly string[]>;
  /** Never rejects. `read` is what is known of the arguments. */
  answer(given: ModelCall, read: ReadArguments, execute: CallExecutor, handed: CallOptions): Promise<ToolAnswer>;
}

export function bindRun(reliable: Reliable, options: ReliableOptions, agentRun: AgentRun): RunBinding {
  const turns = new WeakMap<object, { readonly length: number; readonly calls: Map<string, ModelCall> }>();
  return {
    agentRun,
    reliable,
    options,
    repairs: new Map(),
    async answer(given, read, execute, { messages = [], abortSignal: signal }) {
      const before = turns.get(messages);
      const same = before?.length === messages.length && !before.calls.has(given.callId);
      const turn = same ? before : { length: messages.length, calls: new Map<string, ModelCall>() };
      turns.set(messages, turn);
      turn.calls.set(given.callId, given);
      // The framework begins all calls of an answer at once, and tells nobody how many there are.
      if (options.dependsOn) await new Promise((resolve) => setTimeout(resolve));
      const siblings = options.dependsOn && reliable.withDependencies([...turn.calls.values()]);
      const call = siblings?.find(({ callId }) => callId === given.callId) ?? given;
      return agentRun.answerOne(call, turn, { signal, siblings, execute, read });
    },
  };
}
