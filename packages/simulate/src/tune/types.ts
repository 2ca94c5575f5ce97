/** Owns the options and the result of a search for better settings of one tool. Plain JSON data, except for the functions in `TuneOptions`. */
import type { ToolPolicy } from '@holdfast/core';
import type { Range, RecordedTurn, LeftOut } from '@holdfast/what-if';

/** Which tool is tuned, from which traces, and how long the search may take. */
export interface TuneOptions {
  /** The tool whose settings are tuned. */
  readonly toolName: string;
  /** Recorded turns. Those that cannot be read are listed in `leftOut`; those without a call of the tool are ignored. */
  readonly traces: readonly RecordedTurn[];
  /** Seed of the lab's worlds: the same seed gives the same result. @default 'tune' */
  readonly seed?: string | undefined;
  /** Lab worlds per candidate and round. @default 2 */
  readonly seeds?: number | undefined;
  /** Maximum number of candidates. @default 40 */
  readonly maxCandidates?: number | undefined;
  /** Maximum number of traces that what-if evaluates, the latest first. @default 1000 */
  readonly maxTurns?: number | undefined;
  /** Receives the progress after each candidate. */
  readonly onProgress?: ((progress: TuneProgress) => void) | undefined;
  /** Called regularly; `true` ends the search with the results so far. */
  readonly isCancelled?: (() => boolean) | undefined;
  /** Called between candidates, to let other work run. */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** How far a search is. */
export interface TuneProgress {
  /** `lab`: candidates are tried in simulated worlds. `history`: the best are checked against the recorded turns. */
  readonly stage: 'history' | 'lab';
  /** Candidates of this stage that are finished. */
  readonly done: number;
  /** In the stage `lab` the limit `maxCandidates`; in `history` the exact number of candidates. */
  readonly total: number;
}

/** The results of a candidate in the worlds fitted to the tool. */
export interface LabFigures {
  /** Share of the calls that succeeded. */
  readonly success: number;
  /** Requests sent per call. */
  readonly requestsPerCall: number;
  /** Mean duration of successful calls, beyond that of one attempt in a world without faults. */
  readonly addedLatencyMs: number;
  /** 99th percentile of the duration of turns that succeeded, in the slowest run. */
  readonly p99Ms: number;
}

/** The results that a candidate would have had on the recorded turns. */
export interface HistoryFigures {
  /** Share of the calls that would have succeeded. */
  readonly success: Range;
  /** Attempts per call. */
  readonly requestsPerCall: Range;
  /** Mean duration of a call. */
  readonly meanMs: Range;
  /** Share of the calls whose figures depend on nothing that was not observed. */
  readonly observedShare: number;
}

/** One candidate with what it reached. */
export interface TunePoint {
  /** Settings that differ from the current ones; empty for the current ones. */
  readonly changes: ToolPolicy;
  /** The changes as text: `retry.maxAttempts 3 → 5`. */
  readonly words: readonly string[];
  /** What it reached in the worlds fitted to the tool. */
  readonly lab: LabFigures;
  /** Set for the current settings and the points on the front. */
  readonly history?: HistoryFigures;
  /** No other point is better in one lab figure and not worse in the others, or equal with fewer changes. */
  readonly onFront: boolean;
}

/** How sure a recommendation is, from the amount of recorded calls and failures and the share that was observed. */
export type Confidence = 'low' | 'medium' | 'high';

/** The candidate that is recommended over the current settings. */
export interface Recommendation {
  /** The recommended candidate. */
  readonly point: TunePoint;
  /** Why this point, compared with the current settings, in sentences. */
  readonly reason: string;
  /** How sure the recommendation is. */
  readonly confidence: Confidence;
  /** The reasons for the confidence. */
  readonly because: readonly string[];
}

/** The parameters of the lab's worlds. */
export interface FittedTool {
  /** Names of the worlds. */
  readonly worlds: readonly string[];
  /** Recorded calls that were planned for the tool. */
  readonly calls: number;
  /** Recorded attempts of the tool. */
  readonly attempts: number;
  /** Calls per second of the time in which the tool was in use. */
  readonly callsPerSecond: number;
  /** Share of failed attempts outside of outages. */
  readonly failureShare: number;
  /** Share of all attempts that timed out. */
  readonly timeoutShare: number;
  /** Share of all attempts that were refused because of the number of requests. */
  readonly throttledShare: number;
  /** Median duration of attempts that succeeded. */
  readonly p50Ms: number;
  /** 95th percentile of the duration of attempts that succeeded. */
  readonly p95Ms: number;
  /** 99th percentile of the duration of attempts that succeeded. */
  readonly p99Ms: number;
  /** The longest time in which hardly anything succeeded; 0 if there was none. */
  readonly longestOutageMs: number;
}

/** What a search for better settings has found. */
export interface Tuned {
  /** Name of the tool whose settings were tuned. */
  readonly toolName: string;
  /** What the record shows of the tool. */
  readonly fitted: FittedTool;
  /** The current settings: those of the newest recorded turn. */
  readonly current: TunePoint;
  /** Sorted by requests per call, the current settings included. */
  readonly points: readonly TunePoint[];
  /** `undefined` if the current settings are as good as any, or too little is known. */
  readonly recommended?: Recommendation;
  /** Traces that could not be used, with the reason. */
  readonly leftOut: readonly LeftOut[];
  /** The search was cancelled before its end. */
  readonly cancelled: boolean;
}
