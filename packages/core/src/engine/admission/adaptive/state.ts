/** Owns the state that a gate keeps where its calls wait for their tool to recover (profile `adaptive`). The parts are beside this file. */
import { FailedCalls } from './failed-calls.ts';
import { Pace } from './pace.ts';
import { TimeoutLimit } from './timeout-limit.ts';
import { Durations } from './usual-duration.ts';

export class Adaptive {
  readonly pace: Pace = new Pace();
  readonly durations: Durations = new Durations();
  readonly failed: FailedCalls = new FailedCalls();
  readonly limit: TimeoutLimit = new TimeoutLimit();
  /** A waiter was woken to be the probe and has not come back yet. */
  probeKept = false;
  /** Probes that are running. Those that hang are no load that the tool carries. */
  probesRunning = 0;
  /** No waiter is woken to probe before this time: the fleet is asked first. */
  notBefore: number = -Infinity;
  /** Recent share of failed attempts. Read by people, by hedging and the choice among alternatives, and where a retry may be hopeless; it holds no call. */
  failureShare = 0;
  /** The share of recent attempts that succeeded among those that were paid for. */
  paidShare = 1;
  /** The latest answers, one bit each: 1 where the tool rejected a call as one too many. */
  rejections = 0;
  /** When the latest of them came. */
  rejectedAt: number = -Infinity;
}
