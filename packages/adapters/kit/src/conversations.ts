/**
 * Owns finding the run of a conversation, for frameworks that do not identify conversations: a run is recognized by the objects it
 * has seen, such as the model's answers, which stay the same while a loop runs.
 *
 * Invariant: a run is released when its objects are garbage-collected.
 */
import { checkRule } from '@holdfast/core/internal/plain';
import type { AgentRun } from '@holdfast/core/agent';

/** Finds the run of a conversation by objects that were seen in it, for frameworks that do not name the conversation. */
export class Conversations {
  readonly #start: () => AgentRun;
  readonly #runs = new WeakMap<object, AgentRun>();

  /** @param start Begins the run of a conversation that is not known yet. */
  constructor(start: () => AgentRun) {
    checkRule('function', start, 'Conversations: start');
    this.#start = start;
  }

  /** Returns the run of the first object that has one, or a new run, and associates the first object with it. */
  runOf(seen: readonly object[]): AgentRun {
    const known = seen.find((object) => this.#runs.has(object));
    const run = (known && this.#runs.get(known)) ?? this.#start();
    if (seen[0]) this.remember(seen[0], run);
    return run;
  }

  /** Returns the run of an object; `undefined` if it has none. */
  find(object: object): AgentRun | undefined {
    return this.#runs.get(object);
  }

  /** Associates an object with a run. */
  remember(object: object, run: AgentRun): void {
    this.#runs.set(object, run);
  }
}
