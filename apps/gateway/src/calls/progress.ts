/**
 * Owns what a client that wants progress is told: the server's progress, and a sign of life when there is none.
 *
 * Invariants
 * 1. Progress only grows, also when a call is tried again.
 * 2. The sign of life is sent when nothing else was for as long as the period.
 */
import type { System, TimerHandle } from '@holdfast/core';
import type { FaceRequest, JsonObject } from '@holdfast/mcp-wire/server';

/** Smaller than any step a server takes on purpose. */
const smallStep = 1e-6;

export interface ProgressOptions {
  readonly request: FaceRequest;
  readonly system: System;
  /** `false`: no sign of life. */
  readonly heartbeatMs: number | false;
}

export class ProgressRelay {
  readonly #request: FaceRequest;
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
    this.#wind();
  }

  relay(progress: JsonObject): void {
    if (this.#isClosed) return;
    const said = progress['progress'];
    const isGrowing = typeof said === 'number' && said > this.#last;
    this.#last = isGrowing ? said : Math.max(this.#last, 0) + smallStep;
    this.#total = progress['total'];
    this.#request.reportProgress(isGrowing ? progress : { ...progress, progress: this.#last });
    this.#wind();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== undefined) this.#system.clearTimer(this.#timer);
  }

  #wind(): void {
    if (this.#heartbeatMs === false) return;
    if (this.#timer !== undefined) this.#system.clearTimer(this.#timer);
    this.#timer = this.#system.setTimer(this.#heartbeatMs, () => this.#beat(), true);
  }

  #beat(): void {
    this.#last = Math.max(this.#last, 0) + smallStep;
    const seconds = Math.round((this.#system.now() - this.#startedAt) / 1000);
    const total = typeof this.#total === 'number' ? { total: this.#total } : {};
    this.#request.reportProgress({ progress: this.#last, ...total, message: `Still running after ${seconds} s` });
    this.#wind();
  }
}
