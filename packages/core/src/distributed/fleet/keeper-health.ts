/**
 * Owns whether the keeper is worth asking: a circuit of its own, so that calls do not wait for one that is down.
 *
 * 1. It is down from its first failure to its next answer to a report; meanwhile nobody asks it for a probe.
 * 2. While it is down it is asked again after growing pauses, and its failure is told once.
 */
import { describeError } from '../../engine/classify/describe-error.ts';
import type { System } from '../../engine/ports/system.ts';

export interface KeeperHealthOptions {
  readonly system: System;
  /** The first pause; each is twice the one before. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  readonly failed: (name: string, error: string) => void;
}

export class KeeperHealth {
  readonly #options: KeeperHealthOptions;
  #failures = 0;
  #askAgainAt = -Infinity;

  constructor(options: KeeperHealthOptions) {
    this.#options = options;
  }

  get isDown(): boolean {
    return this.#failures > 0;
  }

  isWorthAsking(now: number): boolean {
    return now >= this.#askAgainAt;
  }

  answered(): void {
    this.#failures = 0;
    this.#askAgainAt = -Infinity;
  }

  failed(name: string, error: unknown): void {
    const { system, firstPauseMs, longestPauseMs, failed } = this.#options;
    this.#failures += 1;
    this.#askAgainAt = system.now() + Math.min(firstPauseMs * 2 ** (this.#failures - 1), longestPauseMs);
    if (this.#failures === 1) failed(name, describeError(error).message);
  }
}
