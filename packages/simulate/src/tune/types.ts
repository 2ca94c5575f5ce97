/** Owns what a search for better settings of one tool is asked with, and what it answers. Plain JSON data, but for the functions in `TuneOptions`. */
import type { ToolPolicy } from '@holdfast/core';
import type { Range, RecordedTurn, LeftOut } from '@holdfast/what-if';

/** Which tool is tuned, from which traces, and how long the search may take. */
export interface TuneOptions {
  /** Whose settings. */
  readonly tool: string;
  /** Recorded turns. Those that cannot be read are listed in `leftOut`; those without a call of the tool are ignored. */
  readonly traces: readonly RecordedTurn[];
  /** Draws nothing but the lab's worlds: the same seed gives the same answer. @default 'tune' */
  readonly seed?: string | undefined;
  /** Worlds of the lab per candidate and round. @default 2 */
  readonly seeds?: number | undefined;
  /** Candidates that are tried at most. @default 40 */
  readonly mostCandidates?: number | undefined;
  /** The latest traces that are asked by what-if. @default 1000 */
  readonly mostTurns?: number | undefined;
  /** Receives the progress after each candidate. */
  readonly onProgress?: ((progress: TuneProgress) => void) | undefined;
  /** Asked now and then; `true` ends the search with what it has found so far. */
  readonly isCancelled?: (() => boolean) | undefined;
  /** Done between candidates, where others have to get their turn. */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** How far a search is. */
export interface TuneProgress {
  /** `lab`: candidates are tried in simulated worlds. `history`: the best are checked against the recorded turns. */
  readonly stage: 'history' | 'lab';
  /** Candidates of this stage that are finished. */
  readonly done: number;
  /** In the stage `lab` the limit `mostCandidates`; in `history` the exact number of candidates. */
  readonly total: number;
}

/** What a candidate came to in the worlds fitted to the tool. */
export interface LabFigures {
  /** Share of the calls that succeeded. */
  readonly success: number;
  /** Requests sent per call. */
  readonly requestsPerCall: number;
  /** Against one attempt in a world without faults: what is added to the mean, where calls succeed. */
  readonly addedLatencyMs: number;
  /** 99th percentile of the duration of turns that succeeded, in the slowest run. */
  readonly p99Ms: number;
}

/** What a candidate would have come to on the recorded turns. */
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
  /** Settings that differ from the current ones; empty for these. */
  readonly changes: ToolPolicy;
  /** The changes in words: `retry.maxAttempts 3 → 5`. */
  readonly words: readonly string[];
  /** What it reached in the worlds fitted to the tool. */
  readonly lab: LabFigures;
  /** For the current settings and those on the front. */
  readonly history?: HistoryFigures;
  /** No other point is better in one figure of the lab and no worse in the others, nor comes to the same with fewer changes. */
  readonly onFront: boolean;
}

/** How sure a recommendation is, from the amount of recorded calls and failures and the share that was observed. */
export type Confidence = 'low' | 'medium' | 'high';

/** The candidate that is recommended over the current settings. */
export interface Recommendation {
  /** The recommended candidate. */
  readonly point: TunePoint;
  /** Sentences: why this one, against the current settings. */
  readonly reason: string;
  /** How sure the recommendation is. */
  readonly confidence: Confidence;
  /** What the confidence rests on. */
  readonly because: readonly string[];
}

/** What the lab's worlds were made of. */
export interface FittedTool {
  /** Names of the worlds. */
  readonly worlds: readonly string[];
  /** Recorded calls that were planned for the tool. */
  readonly calls: number;
  /** Recorded attempts of the tool. */
  readonly attempts: number;
  /** Calls per second of the time in which the tool was in use. */
  readonly callsPerSecond: number;
  /** Of the attempts outside outages. */
  readonly failureShare: number;
  /** Of all attempts. */
  readonly timeoutShare: number;
  /** Of all attempts: turned away for the number of requests. */
  readonly throttledShare: number;
  /** Median duration of attempts that succeeded. */
  readonly p50Ms: number;
  /** 95th percentile of the duration of attempts that succeeded. */
  readonly p95Ms: number;
  /** 99th percentile of the duration of attempts that succeeded. */
  readonly p99Ms: number;
  /** The longest time in which hardly anything succeeded; 0 where there was none. */
  readonly longestOutageMs: number;
}

/** What a search for better settings has found. */
export interface Tuned {
  /** Name of the tool whose settings were tuned. */
  readonly tool: string;
  /** What the record shows of the tool. */
  readonly fitted: FittedTool;
  /** The current settings: those of the newest recorded turn. */
  readonly current: TunePoint;
  /** By requests per call, the current settings among them. */
  readonly points: readonly TunePoint[];
  /** `undefined` where the current settings are as good as any, or too little is known. */
  readonly recommended?: Recommendation;
  /** Traces that could not be used, with the reason. */
  readonly leftOut: readonly LeftOut[];
  /** The search was ended before its time. */
  readonly cancelled: boolean;
}
