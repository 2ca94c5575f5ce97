/**
 * Owns arguments that the SDK rejected and whose call has not been answered. By default the SDK says later neither which call it was nor what was wrong.
 *
 * Invariant: no result has the mistake of another call as its own. Where it could be one of several, it lists all of them.
 */
export interface Rejection {
  /** The arguments as text, by which a rejection is known. */
  readonly text: string;
  readonly value: unknown;
  /** What the schema threw, or its issues. */
  readonly error: unknown;
}

export class Rejections {
  #open: Rejection[] = [];
  #told = 0;

  /** The same arguments are one rejection, also if the SDK checks them twice. */
  add(value: unknown, error: unknown): void {
    const text = JSON.stringify(value);
    if (this.#open.some((other) => other.text === text)) return;
    // The calls of an answer are checked before the first of them is answered.
    if (this.#told >= this.#open.length) this.#forget();
    this.#open.push({ text, value, error });
  }

  /** The rejections that the next call to be answered may have. */
  take(): readonly Rejection[] {
    this.#told += 1;
    return this.#open;
  }

  #forget(): void {
    this.#open = [];
    this.#told = 0;
  }
}
