/**
 * Owns what the suite asks of a library: parts to build a guarded call from, and the words for what came of it.
 * Does not own any library: each has one adapter in `contenders/`, and a behaviour never sees past this file.
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

/** The parts of a set-up, outermost first. A library with one fixed order takes them in its own. */
export type Part = RetryPart | BreakerPart | RateBreakerPart | TimeoutPart | BulkheadPart;

export interface RetryPart {
  readonly part: 'retry';
  /** Attempts after the first. */
  readonly retries: number;
  readonly delayMs: number;
  /** Spread the delays, with the library's own jitter. */
  readonly jitter?: true;
}

/** A breaker for consecutive failures, or the nearest there is. */
export interface BreakerPart {
  readonly part: 'breaker';
  readonly openMs: number;
  /** Consecutive failures, or calls of which all failed, that open it. @default 1 */
  readonly failures?: number;
  /** The longest a probe may take, where the breaker itself has such a limit. */
  readonly probeMs?: number;
}

/** Opens at half of the calls failed in a window of time, five calls at the least. */
interface RateBreakerPart {
  readonly part: 'rate breaker';
  readonly windowMs: number;
}

export interface TimeoutPart {
  readonly part: 'timeout';
  readonly ms: number;
  /** Wait for the work to stop by itself, where the library offers that choice. */
  readonly cooperative?: true;
}

export interface BulkheadPart {
  readonly part: 'bulkhead';
  readonly limit: number;
  readonly queue: number;
  /** Hold the slot until the work has settled, by the best means the library has. */
  readonly untilSettled?: true;
}

export interface BuildOptions {
  readonly seed?: string;
  /** `save` will be asked for. */
  readonly saves?: true;
  /** What `save` gave. */
  readonly saved?: unknown;
  /** Ask for timers that do not keep the process alive, where that is a choice. */
  readonly unref?: boolean;
}

/** What runs under guard. It may throw, and need not return a promise. */
export type Work = (signal: AbortSignal) => unknown;

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Names the call, for libraries that can seed it. */
  readonly id?: string;
}

export type Circuit = 'closed' | 'open' | 'half-open';

/** What the caller was told; `says` is the library's own text. */
export type Answer =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly says: string }
  | { readonly kind: 'timed out'; readonly says: string }
  | { readonly kind: 'cancelled'; readonly says: string }
  | { readonly kind: 'refused'; readonly by: 'circuit' | 'bulkhead'; readonly retryAfterMs: number | undefined; readonly says: string };

/** Work under guard of one library. */
export interface Guarded {
  /** Never rejects. */
  call(work: Work, options?: CallOptions): Promise<Answer>;
  circuit(): Circuit;
  /** Hears every delay before a retry, when it begins. */
  onRetry(hear: (delayMs: number) => void): void;
  /** Times that the library told its listeners of a timeout. */
  timeoutsTold(): number;
  /** What can be listened to. */
  readonly events: readonly string[];
  listen(event: string, listener: () => void): void;
  /** Everything that `BuildOptions.saved` needs, through JSON. */
  save(): Promise<unknown>;
}

export interface Contender {
  readonly name: ContenderName;
  build(parts: readonly Part[], options?: BuildOptions): Promise<Guarded> | Guarded;
}

export type ContenderName = 'holdfast' | 'cockatiel' | 'opossum' | 'mollitia' | 'p-retry' | 'effect';

/** What is known of a library without loading it. */
export interface ContenderNotes {
  readonly name: ContenderName;
  /** As it stands in tables. */
  readonly title: string;
  /** How it was set up, and why so. */
  readonly setUp: string;
  /** The features it does not have, each with what it has instead. */
  readonly lacks: Readonly<Partial<Record<Feature, string>>>;
}

export interface Observation {
  readonly ok: boolean;
  /** What was seen, the same in every run. */
  readonly seen: string;
}

export interface Behaviour {
  readonly id: string;
  readonly title: string;
  /** Without one of these the cell is `n/a`. */
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
