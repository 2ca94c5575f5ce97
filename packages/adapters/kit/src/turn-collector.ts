/** Owns telling which calls are one turn, where a framework hands over calls one by one and starts all calls of an answer in one go. */
import type { ModelCall } from '@holdfast/core/agent';

/** Finds out which calls belong to one answer, for frameworks that hand over calls one by one and start all of an answer at once. */
export class TurnCollector {
  #turn: ModelCall[] | undefined;

  /** The calls that start with this one: the same list for each of them. Answers when all are known. */
  async turnOf(call: ModelCall): Promise<readonly ModelCall[]> {
    const turn = (this.#turn ??= []);
    turn.push(call);
    await Promise.resolve();
    if (this.#turn === turn) this.#turn = undefined;
    return turn;
  }
}
