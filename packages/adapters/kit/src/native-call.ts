/**
 * Owns answering a call that the framework passes together with its own function for running it.
 *
 * Invariants
 * 1. For a successful call, the object returned by the framework's function is returned together with the answer.
 * 2. Errors a framework throws for control flow are rethrown unchanged, not counted as failures and not retried. Apart from these, only the caller's abort is thrown.
 */
import type { AttemptContext } from '@holdfast/core';
import type { AgentRun, ModelCall, ToolAnswer } from '@holdfast/core/agent';
import { ToolValidationError } from '@holdfast/core/agent';
import { CallSignal } from './call-signal.ts';
import { isUnaltered } from './vendor-values.ts';

/** A call, with a framework's own way of running it. */
export interface NativeCall<Native> {
  /** The call as the model made it. */
  readonly call: ModelCall;
  /** An object that identifies the model's answer. */
  readonly turn: object;
  /** All calls of the same answer that are known, this one included. */
  readonly siblings: readonly ModelCall[];
  /** The signal of the caller. */
  readonly signal: AbortSignal | undefined;
  /** Runs the tool once, by the framework's own means. */
  readonly run: (args: unknown, context: AttemptContext) => Native | PromiseLike<Native>;
  /** Extracts the output for the model; throws if the result is a failure. */
  readonly outputOf: (native: Native) => unknown;
  /**
   * Returns whether an error is thrown by the framework to steer itself, such as an interrupt. It is thrown on, not counted as a failure.
   */
  readonly isControlFlowError: (error: unknown) => boolean;
  /** The message of an argument error, which is reported to the model and not a failure of the tool; `undefined` for other errors. */
  readonly argumentErrorOf: (error: unknown, args: unknown) => string | undefined;
}

/** Holdfast's answer to a call, with the framework's own value if the call succeeded. */
export interface NativeAnswer<Native> {
  /** The answer for the model. */
  readonly answer: ToolAnswer;
  /** The framework's own result; absent if the answer differs from it. */
  readonly native?: Native;
}

/**
 * Answers a call by a framework's own way of running it. Rejects only with what the framework throws to steer itself, and with the reason of the
 * caller's abort.
 */
export async function answerNativeCall<Native>(agentRun: AgentRun, nativeCall: NativeCall<Native>): Promise<NativeAnswer<Native>> {
  const { call, turn, siblings, signal, run, outputOf, isControlFlowError, argumentErrorOf } = nativeCall;
  const ending = new CallSignal(signal);
  const controlFlowErrors: unknown[] = [];
  const results: { readonly output: unknown; readonly native: Native }[] = [];
  const answer = await agentRun.answerOne(call, turn, {
    siblings,
    signal: ending,
    async execute(args, context) {
      try {
        const native = await run(args, context);
        const output = outputOf(native);
        results.push({ output, native });
        return output;
      } catch (error) {
        const argumentError = argumentErrorOf(error, args);
        if (argumentError !== undefined) throw new ToolValidationError(argumentError, { cause: error });
        if (isControlFlowError(error)) {
          controlFlowErrors.push(error);
          ending.cancel(error);
        }
        throw error;
      }
    },
  });
  if (controlFlowErrors.length > 0) throw controlFlowErrors[0];
  const { result } = answer;
  if (result.error?.code === 'CANCELLED') signal?.throwIfAborted();
  // An abandoned attempt may still have completed; its output is not the result.
  const own = isUnaltered(result) && results.findLast(({ output }) => output === result.output);
  return own ? { answer, native: own.native } : { answer };
}
