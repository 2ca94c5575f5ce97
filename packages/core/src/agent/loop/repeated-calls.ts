/**
 * Owns the guard against a model that repeats the same failing call: same tool, same arguments, same failure.
 *
 * Invariants
 * 1. The last of `limit` identical failures is answered with advice. After it, the same call is run again only after a pause, an eighth of the time for which
 *    it has failed in this way: a model that polls loses at most that share of its time, and one that loops makes few requests.
 * 2. A failure that no time changes, because nothing was run, is final: the same call is not run again.
 * 3. A success of the call clears its failures, and a failure of another kind is counted anew. A success of another tool that may have changed something allows
 *    one more attempt of every call.
 * 4. Refusals count toward the end of the run only in a row: a call that was run, and any success, clears them.
 * 5. Bounded: only the latest calls are kept.
 */
import type { ToolFailure } from '../../engine/call/result.ts';

interface Repeat {
  readonly bySignature: Map<string, SameFailure>;
  /** How often the call has failed like the last time. */
  failures: number;
  /** When the same call may be run again. */
  until: number;
  message: string;
  /** Refusals in a row, by weight. */
  refusals: number;
  /** When it was run or refused last. */
  seenAt: number;
}

interface SameFailure {
  count: number;
  readonly firstAt: number;
}

/** The failures of a call that must not be run now. */
export interface KnownFailure {
  readonly failures: number;
  readonly message: string;
  /** `Infinity` for a final failure. */
  readonly waitMs: number;
}

/** The share of the time for which a call has failed. */
const PAUSE_SHARE = 1 / 8;
const MIN_PAUSE_MS = 1_000;
/** A refusal that comes sooner counts in full. A later one weighs less: its model may be waiting for something. */
const LOOP_MS = 1_000;
const LATER_REFUSAL = 1 / 8;

const MAX_CALLS = 1_000;

export class Repeats {
  readonly #limit: number;
  readonly #maxPauseMs: number;
  readonly #calls = new Map<string, Repeat>();

  constructor(limit: number, maxPauseMs: number) {
    this.#limit = limit;
    this.#maxPauseMs = maxPauseMs;
  }

  /** Whether no call has failed, so that no key is needed. */
  get isEmpty(): boolean {
    return this.#calls.size === 0;
  }

  /** Returns why the call must not be run; `undefined` when it may. */
  refusal(key: string, now: number): KnownFailure | undefined {
    const known = this.#calls.get(key);
    if (!known || known.failures < this.#limit) return undefined;
    const waitMs = known.until - now;
    return waitMs > 0 ? { failures: known.failures, message: known.message, waitMs } : undefined;
  }

  /** Counts a failure, and returns it with the pause before the call may be run again. @param isFinal whether no time can change it */
  countFailure(key: string, { code, message }: ToolFailure, now: number, isFinal: boolean): KnownFailure {
    const known = this.#known(key, now);
    const signature = `${code} ${withoutNumbers(message)}`;
    const same = known.bySignature.get(signature) ?? { count: 0, firstAt: now };
    same.count += 1;
    if (known.bySignature.size < 16) known.bySignature.set(signature, same);
    const waitMs = isFinal ? Infinity : Math.min(this.#maxPauseMs, Math.max(MIN_PAUSE_MS, (now - same.firstAt) * PAUSE_SHARE));
    const failures = same.count;
    Object.assign(known, { failures, until: now + waitMs, message, seenAt: now });
    if (!isFinal) known.refusals = 0;
    return { failures, message, waitMs };
  }

  /** Counts a refusal of the call, and returns the weight of those in a row. */
  countRefusal(key: string, now: number, isFinal: boolean): number {
    const known = this.#known(key, now);
    known.refusals += isFinal || now - known.seenAt < LOOP_MS ? 1 : LATER_REFUSAL;
    known.seenAt = now;
    return known.refusals;
  }

  /** @param mayHaveSideEffects whether the tool may have side effects */
  noteSuccess(key: string, mayHaveSideEffects: boolean): void {
    this.#calls.delete(key);
    for (const known of this.#calls.values()) {
      known.refusals = 0;
      if (mayHaveSideEffects && known.failures >= this.#limit) this.#allowOneMore(known);
    }
  }

  clear(): void {
    this.#calls.clear();
  }

  #allowOneMore(known: Repeat): void {
    for (const same of known.bySignature.values()) same.count = Math.min(same.count, this.#limit - 1);
    known.failures = this.#limit - 1;
  }

  /** What is known about a call, which is now the latest. */
  #known(key: string, now: number): Repeat {
    const known: Repeat = this.#calls.get(key) ?? {
      bySignature: new Map(),
      failures: 0,
      until: now,
      message: '',
      refusals: 0,
      seenAt: now,
    };
    this.#calls.delete(key);
    this.#calls.set(key, known);
    if (this.#calls.size > MAX_CALLS) this.#calls.delete(this.#calls.keys().next().value as string);
    return known;
  }
}

/** Replaces ids and numbers, which differ between failures of the same kind. */
function withoutNumbers(message: string): string {
  return message
    .slice(0, 500)
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b[0-9a-f]{12,}\b/gi, '#')
    .replaceAll(/\d+(?:\.\d+)?/g, '#');
}
