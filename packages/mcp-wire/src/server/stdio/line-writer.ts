/**
 * Owns writing lines to a stream that may be slow or closed.
 *
 * Invariants
 * 1. Answers are always written; notifications are dropped while the reader is far behind.
 * 2. Nothing is written to a stream after it has failed; the failure is reported once and never thrown.
 */
import type { Writable } from 'node:stream';

/** Maximum number of bytes buffered for a slow reader before notifications are dropped. */
const maxBufferedBytes = 1_048_576;

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

  /** Whether reading should pause until the reader has caught up. */
  get isFull(): boolean {
    return this.#output.writableNeedDrain;
  }

  whenDrained(listener: () => void): void {
    this.#output.once('drain', listener);
  }

  write(text: string): void {
    if (!this.#isGone) this.#output.write(`${text}\n`);
  }

  /** Returns whether the text was written. */
  writeIfRead(text: string): boolean {
    if (this.#isGone || this.#output.writableLength > maxBufferedBytes) return false;
    this.#output.write(`${text}\n`);
    return true;
  }

  /** Resolves when everything written has been flushed, or the stream has closed. */
  async flush(): Promise<void> {
    if (this.#isGone || this.#output.writableLength === 0) return;
    await new Promise<void>((resolve) => {
      this.#output.once('close', resolve);
      this.#output.write('', () => resolve());
    });
  }
}
