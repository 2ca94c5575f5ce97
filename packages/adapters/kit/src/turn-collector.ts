/** Owns grouping calls into turns, for frameworks that pass calls one by one and start all calls of an answer at once. */
import type { ModelCall } from '@holdfast/core/agent';

/** Finds out which calls belong to one answer, for frameworks that hand over calls one by one and start all of an answer at once. */
export class TurnCollector {
  #turn: ModelCall[] | undefined;

  /** Returns the calls that start together with this one, as the same list for each of them. Resolves when all are known. */
  async turnOf(call: ModelCall): Promise<readonly ModelCall[]> {
    const turn = (this.#turn ??= []);
    turn.push(call);
    await Promise.resolve();
    if (this.#turn === turn) this.#turn = undefined;
    return turn;
  }
}
