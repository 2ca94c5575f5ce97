/**
 * Owns writing lines to a stream that may be slow or gone.
 *
 * Invariants
 * 1. Answers are always written; notifications are dropped while the reader is far behind.
 * 2. A stream that fails is written to no more; its failure is told once and never thrown.
 */
import type { Writable } from 'node:stream';

/** What may wait for a slow reader before notifications are dropped. */
const patienceBytes = 1_048_576;

export class LineWriter {
  readonly #output: Writable;
  #isGone = false;

  constructor(output: Writable, onGone: () => void) {
    this.#output = output;
    const end = (): void => {
      if (this.#isGone) return;
      this.#isGone = true;
      onGone();
    };
    output.on('error', end);
    output.on('close', end);
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Whether more should be read before the reader has caught up. */
  get isFull(): boolean {
    return this.#output.writableNeedDrain;
  }

  whenDrained(listener: () => void): void {
    this.#output.once('drain', listener);
  }

  write(text: string): void {
    if (!this.#isGone) this.#output.write(`${text}\n`);
  }

  /** Answers whether it was written. */
  writeIfRead(text: string): boolean {
    if (this.#isGone || this.#output.writableLength > patienceBytes) return false;
    this.#output.write(`${text}\n`);
    return true;
  }

  /** Resolves when what was written has left, or can no more. */
  async flushed(): Promise<void> {
    if (this.#isGone || this.#output.writableLength === 0) return;
    await new Promise<void>((resolve) => {
      this.#output.once('close', resolve);
      this.#output.write('', () => resolve());
    });
  }
}
