/**
 * Owns the answers that are kept for clients that repeat a request: texts by key, with the fingerprint of the request.
 *
 * Invariants
 * 1. Never more characters than the limit: the oldest answers are removed first, and an answer that is larger than the limit is not kept.
 * 2. No answer older than the limit is returned.
 */
import type { ApiLimits } from '../parts.ts';

export interface KeptAnswer {
  /** Fingerprint of the request. */
  readonly fingerprint: string;
  readonly text: string;
  readonly keptAt: number;
}

/** The approximate size of a key and its entry. */
const overheadChars = 300;

export class KeptAnswers {
  readonly #limits: Pick<ApiLimits, 'keptAnswerChars' | 'keptAnswerMs'>;
  readonly #now: () => number;
  readonly #answers = new Map<string, KeptAnswer>();
  #chars = 0;

  /** `now`: monotonic milliseconds. */
  constructor(limits: Pick<ApiLimits, 'keptAnswerChars' | 'keptAnswerMs'>, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  keep(key: string, fingerprint: string, text: string): void {
    this.#forget(key);
    if (text.length + overheadChars > this.#limits.keptAnswerChars) return;
    this.#answers.set(key, { fingerprint, text, keptAt: this.#now() });
    this.#chars += text.length + overheadChars;
    for (const [oldest, { keptAt }] of this.#answers) {
      if (this.#chars <= this.#limits.keptAnswerChars && !this.#isOld(keptAt)) break;
      this.#forget(oldest);
    }
  }

  get(key: string): KeptAnswer | undefined {
    const answer = this.#answers.get(key);
    if (answer === undefined || !this.#isOld(answer.keptAt)) return answer;
    this.#forget(key);
    return undefined;
  }

  get size(): number {
    return this.#answers.size;
  }

  #isOld(keptAt: number): boolean {
    return this.#now() - keptAt >= this.#limits.keptAnswerMs;
  }

  #forget(key: string): void {
    const answer = this.#answers.get(key);
    if (answer === undefined) return;
    this.#answers.delete(key);
    this.#chars -= answer.text.length + overheadChars;
  }
}
