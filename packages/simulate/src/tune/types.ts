/** Owns what a search for better settings of one tool is asked with, and what it answers. Plain JSON data, but for the functions in `TuneOptions`. */
import type { ToolPolicy } from '@holdfast/core';
import type { Range, RecordedTurn, LeftOut } from '@holdfast/what-if';

export interface TuneOptions {
  /** Whose settings. */
  readonly toolName: string;
  readonly traces: readonly RecordedTurn[];
  /** Draws nothing but the lab's worlds: the same seed gives the same answer. @default 'tune' */
  readonly seed?: string | undefined;
  /** Worlds of the lab per candidate and round. @default 2 */
  readonly seeds?: number | undefined;
  /** Candidates that are tried at most. @default 40 */
  readonly mostCandidates?: number | undefined;
  /** The latest traces that are asked by what-if. @default 1000 */
  readonly mostTurns?: number | undefined;
  readonly onProgress?: ((progress: TuneProgress) => void) | undefined;
  /** Asked now and then; `true` ends the search with what it has found so far. */
  readonly isCancelled?: (() => boolean) | undefined;
  /** Done between candidates, where others have to get their turn. */
  readonly pause?: (() => Promise<void>) | undefined;
}

export interface TuneProgress {
  readonly stage: 'history' | 'lab';
  readonly done: number;
  readonly total: number;
}

/** What a candidate came to in the worlds fitted to the tool. */
export interface LabFigures {
  /** Share of the calls that succeeded. */
  readonly success: number;
  readonly requestsPerCall: number;
  /** Against one attempt in a world without faults: what is added to the mean, where calls succeed. */
  readonly addedLatencyMs: number;
  readonly p99Ms: number;
}

/** What a candidate would have come to on the recorded turns. */
export interface HistoryFigures {
  readonly success: Range;
  readonly requestsPerCall: Range;
  readonly meanMs: Range;
  readonly observedShare: number;
}

export interface TunePoint {
  /** Settings that differ from the current ones; empty for these. */
  readonly changes: ToolPolicy;
  /** The changes in words: `retry.maxAttempts 3 → 5`. */
  readonly words: readonly string[];
  readonly lab: LabFigures;
  /** For the current settings and those on the front. */
  readonly history?: HistoryFigures;
  /** No other point is better in one figure of the lab and no worse in the others, nor comes to the same with fewer changes. */
  readonly onFront: boolean;
}

export type Confidence = 'low' | 'medium' | 'high';

export interface Recommendation {
  readonly point: TunePoint;
  /** Sentences: why this one, against the current settings. */
  readonly reason: string;
  readonly confidence: Confidence;
  /** What the confidence rests on. */
  readonly because: readonly string[];
}

/** What the lab's worlds were made of. */
export interface FittedTool {
  /** Names of the worlds. */
  readonly worlds: readonly string[];
  readonly calls: number;
  readonly attempts: number;
  readonly callsPerSecond: number;
  /** Of the attempts outside outages. */
  readonly failureShare: number;
  /** Of all attempts. */
  readonly timeoutShare: number;
  /** Of all attempts: turned away for the number of requests. */
  readonly throttledShare: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** The longest time in which hardly anything succeeded; 0 where there was none. */
  readonly longestOutageMs: number;
}

export interface Tuned {
  readonly toolName: string;
  readonly fitted: FittedTool;
  readonly current: TunePoint;
  /** By requests per call, the current settings among them. */
  readonly points: readonly TunePoint[];
  /** `undefined` where the current settings are as good as any, or too little is known. */
  readonly recommended?: Recommendation;
  readonly leftOut: readonly LeftOut[];
  /** The search was ended before its time. */
  readonly cancelled: boolean;
}
