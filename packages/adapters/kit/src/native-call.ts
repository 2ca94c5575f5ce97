/**
 * Owns answering a call that its framework hands over together with its own way of running it.
 *
 * Invariants
 * 1. Of a call that succeeds, the very object that the framework's way made is handed back beside the answer.
 * 2. What a framework throws to steer itself goes out as it is: not counted as a failure, not retried. Nothing else is thrown but the caller's abort.
 */
import type { AttemptContext } from '@holdfast/core';
import type { AgentRun, ModelCall, ToolAnswer } from '@holdfast/core/agent';
import { ToolValidationError } from '@holdfast/core/agent';
import { isUnaltered } from './vendor-values.ts';

/** A call, with a framework's own way of running it. */
export interface NativeCall<Native> {
  /** The call as the model made it. */
  readonly call: ModelCall;
  /** Stands for the model's answer. */
  readonly turn: object;
  /** All calls of the same answer that are known, this one included. */
  readonly siblings: readonly ModelCall[];
  /** The caller's. */
  readonly signal: AbortSignal | undefined;
  /** Runs the tool once, by the framework's own means. */
  readonly run: (args: unknown, context: AttemptContext) => Native | PromiseLike<Native>;
  /** What of it is told to the model; throws for one that says that it failed. */
  readonly outputOf: (native: Native) => unknown;
  /**
   * Returns whether an error is thrown by the framework to steer itself, such as an interrupt. It is thrown on, not counted as a failure.
   */
  readonly isSteering: (error: unknown) => boolean;
  /** What was wrong with the arguments, if that is what was thrown: a matter for the model, not a failure of the tool. */
  readonly argumentErrorOf: (error: unknown, args: unknown) => string | undefined;
}

/** Holdfast's answer to a call, with the framework's own value if the call succeeded. */
export interface NativeAnswer<Native> {
  /** The answer for the model. */
  readonly answer: ToolAnswer;
  /** Absent where something else is to be told than what the tool made. */
  readonly native?: Native;
}

/**
 * Answers a call by a framework's own way of running it. Rejects only with what the framework throws to steer itself, and with the reason of the
 * caller's abort.
 */
export async function answerNativeCall<Native>(agentRun: AgentRun, lent: NativeCall<Native>): Promise<NativeAnswer<Native>> {
  const { call, turn, siblings, signal, run, outputOf, isSteering, argumentErrorOf } = lent;
  const cancel = new AbortController();
  const steering: unknown[] = [];
  const made: { readonly output: unknown; readonly native: Native }[] = [];
  const answer = await agentRun.answerOne(call, turn, {
    siblings,
    signal: signal ? AbortSignal.any([signal, cancel.signal]) : cancel.signal,
    async execute(args, context) {
      try {
        const native = await run(args, context);
        const output = outputOf(native);
        made.push({ output, native });
        return output;
      } catch (error) {
        const misfit = argumentErrorOf(error, args);
        if (misfit !== undefined) throw new ToolValidationError(misfit, { cause: error });
        if (isSteering(error)) {
          steering.push(error);
          cancel.abort();
        }
        throw error;
      }
    },
  });
  if (steering.length > 0) throw steering[0];
  const { result } = answer;
  if (result.error?.code === 'CANCELLED') signal?.throwIfAborted();
  // An attempt that was given up may still have ended: its output is not the result's.
  const own = isUnaltered(result) && made.findLast(({ output }) => output === result.output);
  return own ? { answer, native: own.native } : { answer };
}
