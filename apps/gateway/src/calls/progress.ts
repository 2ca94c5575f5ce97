/**
 * Owns the progress notifications to a client: the server's progress, and a heartbeat when there is none.
 *
 * Invariants
 * 1. Progress only increases, also across retries.
 * 2. The heartbeat is sent when nothing else was sent for its interval.
 */
import type { System, TimerHandle } from '@holdfast/core';
import type { ClientRequest, JsonObject } from '@holdfast/mcp-wire/server';

/** Smaller than any step of a server. */
const smallStep = 1e-6;

export interface ProgressOptions {
  readonly request: ClientRequest;
  readonly system: System;
  /** `false`: no heartbeat. */
  readonly heartbeatMs: number | false;
}

export class ProgressRelay {
  readonly #request: ClientRequest;
  readonly #system: System;
  readonly #heartbeatMs: number | false;
  readonly #startedAt: number;
  #timer: TimerHandle | undefined;
  #last = -Infinity;
  #total: unknown;
  #isClosed = false;

  constructor({ request, system, heartbeatMs }: ProgressOptions) {
    this.#request = request;
    this.#system = system;
    this.#heartbeatMs = heartbeatMs;
    this.#startedAt = system.now();
    this.#restart();
  }

  relay(progress: JsonObject): void {
    if (this.#isClosed) return;
    const value = progress['progress'];
    const isGrowing = typeof value === 'number' && value > this.#last;
    this.#last = isGrowing ? value : Math.max(this.#last, 0) + smallStep;
    this.#total = progress['total'];
    this.#request.reportProgress(isGrowing ? progress : { ...progress, progress: this.#last });
    this.#restart();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== undefined) this.#system.clearTimer(this.#timer);
  }

  #restart(): void {
    if (this.#heartbeatMs === false) return;
    if (this.#timer !== undefined) this.#system.clearTimer(this.#timer);
    this.#timer = this.#system.setTimer(this.#heartbeatMs, () => this.#sendHeartbeat(), true);
  }

  #sendHeartbeat(): void {
    this.#last = Math.max(this.#last, 0) + smallStep;
    const seconds = Math.round((this.#system.now() - this.#startedAt) / 1000);
    const total = typeof this.#total === 'number' ? { total: this.#total } : {};
    this.#request.reportProgress({ progress: this.#last, ...total, message: `Still running after ${seconds} s` });
    this.#restart();
  }
}
