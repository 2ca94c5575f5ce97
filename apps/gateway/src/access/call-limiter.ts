/**
 * Owns how many calls a client, or a group of clients, may make.
 *
 * Invariants
 * 1. A refused call counts for nothing.
 * 2. The time is monotonic: a change of the machine's clock grants and takes nothing.
 */
import type { GatewayCallLimits } from '@holdfast/manifest';

export interface CallRefusal {
  /** Whose limit it is, and what it is. One sentence. */
  readonly message: string;
  readonly retryAfterMs: number;
}

export type Admission =
  | { readonly release: () => void; readonly refusal?: undefined }
  | { readonly refusal: CallRefusal; readonly release?: undefined };

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** How long to wait for a call that is running. */
const busyRetryMs = 1_000;

export class CallLimiter {
  readonly #who: string;
  readonly #limits: GatewayCallLimits;
  readonly #now: () => number;
  #tokens: number;
  #tokensAt: number;
  #today = 0;
  #dayStartedAt: number;
  #running = 0;

  /** `who`: such as `The client alice`. */
  constructor(who: string, limits: GatewayCallLimits, now: () => number = () => performance.now()) {
    this.#who = who;
    this.#limits = limits;
    this.#now = now;
    this.#tokens = limits.callsPerMinute ?? 0;
    this.#tokensAt = now();
    this.#dayStartedAt = now();
  }

  /** Why no further call may start now. */
  refusal(): CallRefusal | undefined {
    const { callsPerMinute, callsPerDay, inFlight } = this.#limits;
    const now = this.#now();
    if (inFlight !== undefined && this.#running >= inFlight)
      return { message: `${this.#who} has ${inFlight} calls running, which is the limit`, retryAfterMs: busyRetryMs };
    if (callsPerDay !== undefined) {
      if (now - this.#dayStartedAt >= dayMs) {
        this.#dayStartedAt = now;
        this.#today = 0;
      }
      if (this.#today >= callsPerDay)
        return {
          message: `${this.#who} has made ${callsPerDay} calls within a day, which is the limit`,
          retryAfterMs: this.#dayStartedAt + dayMs - now,
        };
    }
    if (callsPerMinute === undefined) return undefined;
    this.#tokens = Math.min(callsPerMinute, this.#tokens + ((now - this.#tokensAt) / minuteMs) * callsPerMinute);
    this.#tokensAt = now;
    if (this.#tokens >= 1) return undefined;
    return {
      message: `${this.#who} has made more than ${callsPerMinute} calls a minute, which is the limit`,
      retryAfterMs: Math.ceil(((1 - this.#tokens) * minuteMs) / callsPerMinute),
    };
  }

  take(): void {
    this.#tokens -= 1;
    this.#today += 1;
    this.#running += 1;
  }

  release(): void {
    this.#running -= 1;
  }
}

/** Counts a call at all limiters, or at none. */
export function admitCall(limiters: readonly CallLimiter[]): Admission {
  for (const limiter of limiters) {
    const refusal = limiter.refusal();
    if (refusal !== undefined) return { refusal };
  }
  for (const limiter of limiters) limiter.take();
  return {
    release: () => {
      for (const limiter of limiters) limiter.release();
    },
  };
}
