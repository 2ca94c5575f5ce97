/**
 * Owns whether a call that a framework hands over belongs to the same answer of the model as those before it.
 *
 * Invariants
 * 1. While a call of the answer is under way, whatever comes belongs to it.
 * 2. A framework that reuses an object for several answers does not hand on the first one's time limit, nor its count of attempts.
 */
import type { System } from '../../engine/ports/system.ts';

/** Frameworks that run calls one after the other leave no longer gaps between them, and no model answers faster. */
const GAP_MS = 100;

export class Membership {
  readonly #system: System;
  readonly #deadlineAt: number | undefined;
  /** Ids that have come. */
  readonly #come = new Set<string>();
  #announced: Set<string> | undefined;
  #underWay = 0;
  #idleSince = 0;

  /** @param deadlineAt on the monotonic clock */
  constructor(system: System, deadlineAt: number | undefined) {
    this.#system = system;
    this.#deadlineAt = deadlineAt;
  }

  /** @param callId as the model gave it, if it did */
  includes(callId: string | undefined, siblings: readonly string[] | undefined): boolean {
    if (this.#underWay > 0) return true;
    if (callId !== undefined && this.#come.has(callId)) return false;
    const now = this.#system.now();
    const rested = now - this.#idleSince > GAP_MS;
    if (rested && this.#deadlineAt !== undefined && now >= this.#deadlineAt) return false;
    if (siblings) return siblings.some((sibling) => this.#knows(sibling));
    return !rested || (callId !== undefined && this.#announced?.has(callId) === true);
  }

  /** The framework has told ids of the answer. */
  announce(callIds: readonly string[]): void {
    this.#announced ??= new Set();
    for (const callId of callIds) this.#announced.add(callId);
  }

  begin(callId: string | undefined): void {
    this.#underWay += 1;
    if (callId !== undefined) this.#come.add(callId);
  }

  end(): void {
    this.#underWay -= 1;
    this.#idleSince = this.#system.now();
  }

  /** Whether a call may come under this id. */
  mayCome(callId: string): boolean {
    return this.#announced === undefined || this.#knows(callId);
  }

  #knows(callId: string): boolean {
    return this.#come.has(callId) || this.#announced?.has(callId) === true;
  }
}
