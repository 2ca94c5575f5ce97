/**
 * Owns the health of the coordinator: a circuit breaker, so that calls do not wait for a coordinator that is down.
 *
 * 1. It is down from its first failure until its next answer to a report; meanwhile no probes are requested.
 * 2. While it is down, reports are retried after growing pauses, and its failure is reported once.
 */
import { describeError } from '../../engine/classify/describe-error.ts';
import type { System } from '../../engine/ports/system.ts';

export interface CoordinatorHealthOptions {
  readonly system: System;
  /** The first pause; each further pause is twice as long. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  readonly onFailure: (name: string, error: string) => void;
}

export class CoordinatorHealth {
  readonly #options: CoordinatorHealthOptions;
  #failures = 0;
  #retryAt = -Infinity;

  constructor(options: CoordinatorHealthOptions) {
    this.#options = options;
  }

  get isDown(): boolean {
    return this.#failures > 0;
  }

  mayRequest(now: number): boolean {
    return now >= this.#retryAt;
  }

  recordAnswer(): void {
    this.#failures = 0;
    this.#retryAt = -Infinity;
  }

  recordFailure(name: string, error: unknown): void {
    const { system, firstPauseMs, maxPauseMs, onFailure } = this.#options;
    this.#failures += 1;
    this.#retryAt = system.now() + Math.min(firstPauseMs * 2 ** (this.#failures - 1), maxPauseMs);
    if (this.#failures === 1) onFailure(name, describeError(error).message);
  }
}
