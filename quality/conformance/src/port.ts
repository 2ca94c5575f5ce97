/**
 * Owns the suite's interface to a library: the parts to build a guarded call from, and the types of its results.
 * Does not own any library: each has one adapter in `contenders/`, and a behaviour uses only this file.
 */

export type Feature =
  | 'retry'
  | 'breaker'
  | 'rate breaker'
  | 'timeout'
  | 'bulkhead'
  | 'signal'
  | 'listeners'
  | 'plain functions'
  | 'seed'
  | 'saved state';

/** The parts of a set-up, outermost first. A library with a fixed order uses its own. */
export type Part = RetryPart | BreakerPart | RateBreakerPart | TimeoutPart | BulkheadPart;

export interface RetryPart {
  readonly part: 'retry';
  /** Attempts after the first. */
  readonly retries: number;
  readonly delayMs: number;
  /** Adds the library's own jitter to the delays. */
  readonly jitter?: true;
}

/** A breaker for consecutive failures, or the closest alternative. */
export interface BreakerPart {
  readonly part: 'breaker';
  readonly openMs: number;
  /** Consecutive failures, or calls of which all failed, that open it. @default 1 */
  readonly failures?: number;
  /** The time limit of a probe, if the breaker itself has such a limit. */
  readonly probeMs?: number;
}

/** Opens when half of the calls in a time window failed, five calls at least. */
interface RateBreakerPart {
  readonly part: 'rate breaker';
  readonly windowMs: number;
}

export interface TimeoutPart {
  readonly part: 'timeout';
  readonly ms: number;
  /** Wait for the work to stop by itself, if the library offers that choice. */
  readonly cooperative?: true;
}

export interface BulkheadPart {
  readonly part: 'bulkhead';
  readonly limit: number;
  readonly queue: number;
  /** Hold the slot until the work has settled, by the best means of the library. */
  readonly untilSettled?: true;
}

export interface BuildOptions {
  readonly seed?: string;
  /** `save` will be called. */
  readonly saves?: true;
  /** The result of `save`. */
  readonly saved?: unknown;
  /** Use timers that do not keep the process alive, if the library offers that choice. */
  readonly unref?: boolean;
}

/** The guarded work. It may throw, and need not return a promise. */
export type Work = (signal: AbortSignal) => unknown;

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Identifies the call, for libraries that can seed it. */
  readonly id?: string;
}

export type Circuit = 'closed' | 'open' | 'half-open';

/** The answer to the caller; `message` is the library's own text. */
export type Answer =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'timed out'; readonly message: string }
  | { readonly kind: 'cancelled'; readonly message: string }
  | { readonly kind: 'refused'; readonly by: 'circuit' | 'bulkhead'; readonly retryAfterMs: number | undefined; readonly message: string };

/** Work guarded by one library. */
export interface Guarded {
  /** Never rejects. */
  call(work: Work, options?: CallOptions): Promise<Answer>;
  circuit(): Circuit;
  /** Calls the listener with every delay before a retry, when the delay begins. */
  onRetry(listener: (delayMs: number) => void): void;
  /** Number of timeout events that the library has emitted. */
  timeoutEvents(): number;
  /** The events that can be subscribed to. */
  readonly events: readonly string[];
  listen(event: string, listener: () => void): void;
  /** Everything that `BuildOptions.saved` needs, serialisable as JSON. */
  save(): Promise<unknown>;
}

export interface Contender {
  readonly name: ContenderName;
  build(parts: readonly Part[], options?: BuildOptions): Promise<Guarded> | Guarded;
}

export type ContenderName = 'holdfast' | 'cockatiel' | 'opossum' | 'mollitia' | 'p-retry' | 'effect';

/** The facts about a library that are known without loading it. */
export interface ContenderNotes {
  readonly name: ContenderName;
  /** The title in tables. */
  readonly title: string;
  /** How it was set up, and why. */
  readonly setUp: string;
  /** The features it lacks, each with its alternative. */
  readonly lacks: Readonly<Partial<Record<Feature, string>>>;
}

export interface Observation {
  readonly ok: boolean;
  /** What was observed, the same in every run. */
  readonly seen: string;
}

export interface Behaviour {
  readonly id: string;
  readonly title: string;
  /** Without one of these, the cell is `n/a`. */
  readonly needs: readonly Feature[];
  /** What the suite does. */
  readonly done: string;
  readonly expected: string;
  observe(contender: Contender, notes: ContenderNotes): Promise<Observation>;
}

export type Verdict = 'pass' | 'fail' | 'n/a';

export interface Cell {
  readonly verdict: Verdict;
  readonly seen: string;
}
