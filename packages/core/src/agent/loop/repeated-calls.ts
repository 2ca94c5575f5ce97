/**
 * Owns the guard against a model that repeats the same failing call: same tool, same arguments, same failure.
 *
 * Invariants
 * 1. The last of `limit` identical failures is answered with advice; the same call is not run again.
 * 2. A success of the call clears its failures. A success of another tool that may have changed something allows one more attempt of every call.
 * 3. A transient failure allows one more attempt after a cool-down.
 * 4. Bounded: only the latest calls are kept.
 */
import type { ToolFailure } from '../../engine/call/result.ts';

interface Repeat {
  readonly bySignature: Map<string, number>;
  /** The largest of the counts. */
  failures: number;
  lastAt: number;
  transient: boolean;
  message: string;
}

/** The failures of a call that must not be run again. */
export interface KnownFailure {
  readonly failures: number;
  readonly message: string;
}

const MAX_CALLS = 1_000;

export class Repeats {
  readonly #limit: number;
  readonly #coolDownMs: number;
  readonly #calls = new Map<string, Repeat>();

  constructor(limit: number, coolDownMs: number) {
    this.#limit = limit;
    this.#coolDownMs = coolDownMs;
  }

  /** Whether no call has failed, so that no key is needed. */
  get isEmpty(): boolean {
    return this.#calls.size === 0;
  }

  /** Returns why the call must not be run; `undefined` when it may. */
  refusal(key: string, now: number): KnownFailure | undefined {
    const known = this.#calls.get(key);
    if (!known || known.failures < this.#limit) return undefined;
    if (known.transient && now - known.lastAt >= this.#coolDownMs) return undefined;
    return { failures: known.failures, message: known.message };
  }

  /** Counts a failure and returns how often the call has failed in this way. */
  countFailure(key: string, { code, message, classification }: ToolFailure, now: number): number {
    const known: Repeat = this.#calls.get(key) ?? { bySignature: new Map(), failures: 0, lastAt: now, transient: false, message };
    const signature = `${code} ${withoutNumbers(message)}`;
    const count = (known.bySignature.get(signature) ?? 0) + 1;
    if (known.bySignature.size < 16 || count > 1) known.bySignature.set(signature, count);
    known.failures = Math.max(known.failures, count);
    known.lastAt = now;
    known.transient = classification === 'transient';
    known.message = message;
    this.#calls.delete(key);
    this.#calls.set(key, known);
    if (this.#calls.size > MAX_CALLS) this.#forgetOldest();
    return count;
  }

  /** @param mayHaveSideEffects whether the tool may have side effects */
  noteSuccess(key: string, mayHaveSideEffects: boolean): void {
    this.#calls.delete(key);
    if (mayHaveSideEffects) for (const known of this.#calls.values()) this.#allowOneMore(known);
  }

  clear(): void {
    this.#calls.clear();
  }

  #allowOneMore(known: Repeat): void {
    if (known.failures < this.#limit) return;
    for (const [signature, count] of known.bySignature) known.bySignature.set(signature, Math.min(count, this.#limit - 1));
    known.failures = this.#limit - 1;
  }

  #forgetOldest(): void {
    const oldest = this.#calls.keys().next();
    if (!oldest.done) this.#calls.delete(oldest.value);
  }
}

/** Replaces ids and numbers, which differ between failures of the same kind. */
function withoutNumbers(message: string): string {
  return message
    .slice(0, 500)
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b[0-9a-f]{12,}\b/gi, '#')
    .replaceAll(/\d+(?:\.\d+)?/g, '#');
}
