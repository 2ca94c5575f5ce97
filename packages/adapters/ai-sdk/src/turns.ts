/**
 * Owns which calls are of one answer of the model: the framework hands all of them the same list of messages.
 *
 * Invariant: a list that goes on growing, or is handed over with a call for the second time, stands for another answer.
 */
import type { ModelCall } from '@holdfast/core/agent';

/** Stands for one answer. */
export interface AnswerTurn {
  readonly length: number;
  /** Those that were heard of. */
  readonly calls: Map<string, ModelCall>;
}

export class Turns {
  readonly #turns = new WeakMap<object, AnswerTurn>();

  /** The answer that a call belongs to. */
  enter(messages: readonly unknown[], call: ModelCall): AnswerTurn {
    const known = this.#turns.get(messages);
    const same = known && known.length === messages.length && !known.calls.has(call.callId);
    const turn = same ? known : { length: messages.length, calls: new Map<string, ModelCall>() };
    turn.calls.set(call.callId, call);
    this.#turns.set(messages, turn);
    return turn;
  }
}
