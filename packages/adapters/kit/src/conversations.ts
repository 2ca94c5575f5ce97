/**
 * Owns which run a conversation is in, for frameworks that name no conversation to what serves all of them at once: a run is known by the objects that
 * it has seen, such as the model's answers, which stay the same as long as a loop runs.
 *
 * Invariant: conversations that are gone are forgotten with their objects.
 */
import type { AgentRun } from '@holdfast/core/agent';

/** Finds the run of a conversation by objects that were seen in it, for frameworks that do not name the conversation. */
export class Conversations {
  readonly #start: () => AgentRun;
  readonly #runs = new WeakMap<object, AgentRun>();

  /** @param start Begins the run of a conversation that is not known yet. */
  constructor(start: () => AgentRun) {
    this.#start = start;
  }

  /** The run of the first of these objects that has one, or a new one; the first object belongs to it from now on. */
  runOf(seen: readonly object[]): AgentRun {
    const known = seen.find((object) => this.#runs.has(object));
    const run = (known && this.#runs.get(known)) ?? this.#start();
    if (seen[0]) this.remember(seen[0], run);
    return run;
  }

  /** This object was seen in this run. */
  remember(object: object, run: AgentRun): void {
    this.#runs.set(object, run);
  }
}
