/**
 * Owns passing single calls of the framework to an agent run, with their arguments as parsed by the framework.
 *
 * Invariants
 * 1. Arguments validated by the framework are not read again, and rejected ones are never run.
 * 2. Calls with the same list of messages belong to one answer. A list that has grown, or that repeats a call, belongs to another answer.
 */
import type { ParsedReliable, ReliableOptions } from '@holdfast/adapter-kit';
import type { AttemptContext } from '@holdfast/core';
import type { AgentRun, CallExecutor, ModelCall, ReadArguments, ToolAnswer } from '@holdfast/core/agent';

/** The options the framework passes with every call. */
export interface CallOptions {
  readonly messages?: readonly unknown[] | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

export interface RunBinding {
  readonly agentRun: AgentRun;
  readonly reliable: ParsedReliable;
  readonly options: ReliableOptions;
  /** By call id: the repairs made before the framework could parse the arguments. */
  readonly repairs: Map<string, readonly string[]>;
  /** Never rejects. `read` contains the parsed arguments, or why they could not be parsed. */
  answer(given: ModelCall, read: ReadArguments, execute: CallExecutor, options: CallOptions): Promise<ToolAnswer>;
  /** The signal for an attempt: the framework's, if there is one, unless an attempt may have to end before. */
  signalOf(toolName: string, options: CallOptions, context: AttemptContext): AbortSignal | undefined;
}

export function bindRun(reliable: ParsedReliable, options: ReliableOptions, agentRun: AgentRun): RunBinding {
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
      // The framework starts all calls of an answer at once, without reporting their number.
      if (options.dependsOn) await new Promise((resolve) => setTimeout(resolve));
      const siblings = options.dependsOn && reliable.withDependencies([...turn.calls.values()]);
      const call = siblings?.find(({ callId }) => callId === given.callId) ?? given;
      return agentRun.answerOne(call, turn, { signal, siblings, execute, read });
    },
    signalOf: (toolName, { abortSignal }, context) => (reliable.endsAttempts(toolName) ? (context.signal as AbortSignal) : abortSignal),
  };
}
