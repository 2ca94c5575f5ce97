/** Owns the state that a gate keeps where its calls wait for their tool to recover (profile `adaptive`). The parts are beside this file. */
import { createFailedCalls, type FailedCalls } from './failed-calls.ts';
import { createPace, type Pace } from './pace.ts';
import { createTimeoutLimit, type TimeoutLimit } from './timeout-limit.ts';
import { createDurations, type Durations } from './usual-duration.ts';

export interface Adaptive {
  readonly pace: Pace;
  readonly durations: Durations;
  readonly failed: FailedCalls;
  readonly limit: TimeoutLimit;
  /** A waiter was woken to be the probe and has not come back yet. */
  probeKept: boolean;
  /** Probes that are running. Those that hang are no load that the tool carries. */
  probesRunning: number;
  /** No waiter is woken to probe before this time: the fleet is asked first. */
  notBefore: number;
  /** Recent share of failed attempts. Read by people, by hedging and the choice among alternatives, and where a retry may be hopeless; it holds no call. */
  failureShare: number;
  /** The share of recent attempts that succeeded among those that were paid for. */
  paidShare: number;
  /** The latest answers, one bit each: 1 where the tool rejected a call as one too many. */
  rejections: number;
  /** When the latest of them came. */
  rejectedAt: number;
}

export function createAdaptive(): Adaptive {
  return {
    pace: createPace(),
    durations: createDurations(),
    failed: createFailedCalls(),
    limit: createTimeoutLimit(),
    probeKept: false,
    probesRunning: 0,
    notBefore: -Infinity,
    failureShare: 0,
    paidShare: 1,
    rejections: 0,
    rejectedAt: -Infinity,
  };
}
