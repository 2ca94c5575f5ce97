/** Owns the metrics of a run. Plain JSON data; `null` where there is no value. */

/** Shares are between 0 and 1. */
export interface RunMetrics {
  /** Name of the world. */
  readonly world: string;
  /** Name of the contender. */
  readonly contender: string;
  /** Seed of the run. */
  readonly seed: string;
  /** Turns begun; each ended exactly once. */
  readonly turns: number;
  /** Calls of these turns, whether they were run or not. */
  readonly calls: number;
  /** Requests sent to services, retries and alternatives included. */
  readonly requests: number;
  /** Turns whose required calls all succeeded in time. Turns with a call that can never work are excluded from this and the next two. */
  readonly success: number;
  /** The same for turns begun during a fault. */
  readonly during: number | null;
  /** The same for turns begun in the 30 s after the last fault. */
  readonly after30s: number | null;
  /** Turns that did not succeed, but had a call that did. */
  readonly partialTurns: number;
  /** Share of calls that succeeded, of those that could. */
  readonly callSuccess: number;
  /** Durations of turns that succeeded. */
  readonly meanMs: number | null;
  /** Median, of turns that succeeded. */
  readonly p50Ms: number | null;
  /** 95th percentile, of turns that succeeded. */
  readonly p95Ms: number | null;
  /** 99th percentile, of turns that succeeded. */
  readonly p99Ms: number | null;
  /** Mean duration of turns that did not succeed. */
  readonly failedWaitMs: number | null;
  /** `requests` divided by `calls`; 0 when there were no calls. */
  readonly requestsPerCall: number;
  /** Requests sent during a fault, per call begun meanwhile. */
  readonly requestsPerCallDuring: number | null;
  /** Requests in the busiest second. */
  readonly peakPerSecond: number;
  /** Seconds from the end of the last fault until new turns succeed (95 %) within 2 s, or within four times the mean latency, and continue to do so. */
  readonly recoveryS: number | 'never' | null;
  /** Side effects of unsafe tools beyond the first of each call. */
  readonly duplicates: number;
  /** Requests that were served after their caller had given up. */
  readonly wastedRequests: number;
  /** The fault windows, as drawn. */
  readonly faults: readonly FaultWindow[];
  /** The contender's own figures. */
  readonly notes: Readonly<Record<string, number>>;
  /** The run over time, one value per second. */
  readonly series: RunSeries;
}

/** When one fault lasted, in milliseconds since the run began. */
export interface FaultWindow {
  /** Kind of the fault, such as `outage`. */
  readonly kind: string;
  /** The service, or the host. */
  readonly of: string;
  /** When the fault began. */
  readonly fromMs: number;
  /** When the fault ended, before any gradual recovery. */
  readonly untilMs: number;
}

/** One value per second of simulated time, from 0. */
export interface RunSeries {
  /** Turns begun in the second. */
  readonly begun: readonly number[];
  /** Share of the turns begun in the second that succeeded. */
  readonly success: readonly (number | null)[];
  /** Mean duration of the turns begun in the second that succeeded. */
  readonly latencyMs: readonly (number | null)[];
  /** Requests sent. */
  readonly requests: readonly number[];
  /** Turns open at the end of the second. */
  readonly waiting: readonly number[];
}
