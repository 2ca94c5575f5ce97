/**
 * Owns the answers that are kept for clients that repeat a request: texts by key, with the fingerprint of the request.
 *
 * Invariants
 * 1. Never more characters than the limit: the client with the most makes room, the oldest first, and an answer that is larger than the limit is not kept.
 * 2. No answer older than the limit is returned.
 */
import { SharedSpace } from '../../plain/shared-space.ts';
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
  readonly #answers = new SharedSpace<KeptAnswer>();

  /** `now`: monotonic milliseconds. */
  constructor(limits: Pick<ApiLimits, 'keptAnswerChars' | 'keptAnswerMs'>, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** `owner`: the client whose answer it is. */
  keep(key: string, owner: string | undefined, { fingerprint, text }: Omit<KeptAnswer, 'keptAt'>): void {
    for (const [oldest, { value }] of this.#answers.entries()) {
      if (!this.#isOld(value.keptAt)) break;
      this.#answers.delete(oldest);
    }
    const value = { fingerprint, text, keptAt: this.#now() };
    this.#answers.put(key, { owner, size: text.length + overheadChars, value }, this.#limits.keptAnswerChars);
  }

  get(key: string): KeptAnswer | undefined {
    const answer = this.#answers.get(key);
    if (answer === undefined || !this.#isOld(answer.keptAt)) return answer;
    this.#answers.delete(key);
    return undefined;
  }

  get size(): number {
    return this.#answers.count;
  }

  #isOld(keptAt: number): boolean {
    return this.#now() - keptAt >= this.#limits.keptAnswerMs;
  }
}
