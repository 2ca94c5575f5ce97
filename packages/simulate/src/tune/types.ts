/** Owns the options and the result of a search for better settings of one tool. Plain JSON data, except for the functions in `TuneOptions`. */
import type { ToolPolicy } from '@holdfast/core';
import type { Range, RecordedTurn, LeftOut } from '@holdfast/what-if';

export interface TuneOptions {
  /** The tool whose settings are tuned. */
  readonly tool: string;
  readonly traces: readonly RecordedTurn[];
  /** Seed of the lab's worlds: the same seed gives the same result. @default 'tune' */
  readonly seed?: string | undefined;
  /** Lab worlds per candidate and round. @default 2 */
  readonly seeds?: number | undefined;
  /** Maximum number of candidates. @default 40 */
  readonly mostCandidates?: number | undefined;
  /** Maximum number of traces that what-if evaluates, the latest first. @default 1000 */
  readonly mostTurns?: number | undefined;
  readonly onProgress?: ((progress: TuneProgress) => void) | undefined;
  /** Called regularly; `true` ends the search with the results so far. */
  readonly isCancelled?: (() => boolean) | undefined;
  /** Called between candidates, to let other work run. */
  readonly pause?: (() => Promise<void>) | undefined;
}

export interface TuneProgress {
  readonly stage: 'history' | 'lab';
  readonly done: number;
  readonly total: number;
}

/** The results of a candidate in the worlds fitted to the tool. */
export interface LabFigures {
  /** Share of the calls that succeeded. */
  readonly success: number;
  readonly requestsPerCall: number;
  /** Mean duration of successful calls, beyond that of one attempt in a world without faults. */
  readonly addedLatencyMs: number;
  readonly p99Ms: number;
}

/** The results that a candidate would have had on the recorded turns. */
export interface HistoryFigures {
  readonly success: Range;
  readonly requestsPerCall: Range;
  readonly meanMs: Range;
  readonly observedShare: number;
}

export interface TunePoint {
  /** Settings that differ from the current ones; empty for the current ones. */
  readonly changes: ToolPolicy;
  /** The changes as text: `retry.maxAttempts 3 → 5`. */
  readonly words: readonly string[];
  readonly lab: LabFigures;
  /** Set for the current settings and the points on the front. */
  readonly history?: HistoryFigures;
  /** No other point is better in one lab figure and not worse in the others, or equal with fewer changes. */
  readonly onFront: boolean;
}

export type Confidence = 'low' | 'medium' | 'high';

export interface Recommendation {
  readonly point: TunePoint;
  /** Why this point, compared with the current settings, in sentences. */
  readonly reason: string;
  readonly confidence: Confidence;
  /** The reasons for the confidence. */
  readonly because: readonly string[];
}

/** The parameters of the lab's worlds. */
export interface FittedTool {
  /** Names of the worlds. */
  readonly worlds: readonly string[];
  readonly calls: number;
  readonly attempts: number;
  readonly callsPerSecond: number;
  /** Share of failed attempts outside of outages. */
  readonly failureShare: number;
  /** Share of all attempts that timed out. */
  readonly timeoutShare: number;
  /** Share of all attempts that were refused because of the number of requests. */
  readonly throttledShare: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** The longest time in which hardly anything succeeded; 0 if there was none. */
  readonly longestOutageMs: number;
}

export interface Tuned {
  readonly tool: string;
  readonly fitted: FittedTool;
  readonly current: TunePoint;
  /** Sorted by requests per call, the current settings included. */
  readonly points: readonly TunePoint[];
  /** `undefined` if the current settings are as good as any, or too little is known. */
  readonly recommended?: Recommendation;
  readonly leftOut: readonly LeftOut[];
  /** The search was cancelled before its end. */
  readonly cancelled: boolean;
}
