/**
 * Owns whether a call that a framework passes belongs to the same answer of the model as the previous calls.
 *
 * Invariants
 * 1. While a call of the answer is running, every new call belongs to it.
 * 2. If a framework reuses an object for several answers, later answers do not inherit the time limit or the attempts of the first.
 */
import type { System } from '../../engine/ports/system.ts';

/** Sequential calls of one answer have shorter gaps, and no model answers faster. */
const GAP_MS = 100;

export class AnswerGrouping {
  readonly #system: System;
  readonly #deadlineAt: number | undefined;
  /** Ids of the calls so far. */
  readonly #seen = new Set<string>();
  #announced: Set<string> | undefined;
  #latest: readonly string[] | undefined;
  #running = 0;
  #idleSince = 0;

  /** @param deadlineAt on the monotonic clock */
  constructor(system: System, deadlineAt: number | undefined) {
    this.#system = system;
    this.#deadlineAt = deadlineAt;
  }

  /** @param callId the id from the model, if there is one */
  includes(callId: string | undefined, siblings: readonly string[] | undefined): boolean {
    if (this.#running > 0) return true;
    if (callId !== undefined && this.#seen.has(callId)) return false;
    const now = this.#system.now();
    const paused = now - this.#idleSince > GAP_MS;
    if (paused && this.#deadlineAt !== undefined && now >= this.#deadlineAt) return false;
    if (siblings) return siblings.some((sibling) => this.#knows(sibling));
    return !paused || (callId !== undefined && this.#announced?.has(callId) === true);
  }

  /** Adds ids of the answer that the framework has listed. */
  announce(callIds: readonly string[]): void {
    if (callIds === this.#latest) return;
    this.#latest = callIds;
    this.#announced ??= new Set();
    for (const callId of callIds) this.#announced.add(callId);
  }

  begin(callId: string | undefined): void {
    this.#running += 1;
    if (callId !== undefined) this.#seen.add(callId);
  }

  end(): void {
    this.#running -= 1;
    this.#idleSince = this.#system.now();
  }

  /** Whether a call with this id has come or may still come. */
  mayArrive(callId: string): boolean {
    return this.#announced === undefined || this.#knows(callId);
  }

  #knows(callId: string): boolean {
    return this.#seen.has(callId) || this.#announced?.has(callId) === true;
  }
}
