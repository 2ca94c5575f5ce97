/**
 * Owns the arguments that were executed where they differ from those the model wrote: the transcript sent back must show what was executed.
 * A call is known by its id and its original arguments, because some backends reuse ids.
 */
import type { ModelCall, ToolAnswer } from '@holdfast/core/agent';

/** Remembers which arguments were executed in place of those that the model wrote, for the transcript that is sent back. */
export class ExecutedArguments {
  readonly #byCall = new Map<string, unknown>();

  /** `true` if every call was executed with the arguments that the model wrote. */
  get isEmpty(): boolean {
    return this.#byCall.size === 0;
  }

  /** Remembers the arguments of a call that had to be repaired. */
  remember({ callId, arguments: written }: ModelCall, { repairs, arguments: executed }: ToolAnswer): void {
    if (repairs.length > 0) this.#byCall.set(callKey(callId, written), executed);
  }

  /** What was executed in place of these arguments; `undefined` when they were executed as they are. */
  get(callId: unknown, written: unknown): unknown {
    return this.#byCall.get(callKey(callId, written));
  }
}

function callKey(callId: unknown, written: unknown): string {
  try {
    return JSON.stringify([callId, written]);
  } catch {
    return String(callId);
  }
}
