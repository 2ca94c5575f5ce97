/**
 * Owns how often a server may say that a list has changed: each time, all of its tools are requested again.
 *
 * Invariant: the first notification is passed on at once, and the last one within a bounded time.
 */

/** Between two notifications that are passed on. Doubles while more arrive. */
const firstGapMs = 250;
const maxGapMs = 10_000;

interface Gap {
  ms: number;
  waiting: (() => void) | undefined;
  timer: NodeJS.Timeout;
}

export class ListChanges {
  readonly #gaps = new Map<string, Gap>();

  /** Calls `pass` now, or after the gap; only the last one that waits is called. */
  receive(key: string, pass: () => void): void {
    const gap = this.#gaps.get(key);
    if (gap) {
      gap.waiting = pass;
      return;
    }
    this.#gaps.set(key, { ms: firstGapMs, waiting: undefined, timer: this.#end(key, firstGapMs) });
    pass();
  }

  close(): void {
    for (const { timer } of this.#gaps.values()) clearTimeout(timer);
    this.#gaps.clear();
  }

  #end(key: string, ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      const gap = this.#gaps.get(key);
      const pass = gap?.waiting;
      if (!gap || !pass) return void this.#gaps.delete(key);
      gap.waiting = undefined;
      gap.ms = Math.min(2 * gap.ms, maxGapMs);
      gap.timer = this.#end(key, gap.ms);
      pass();
    }, ms);
    return timer.unref();
  }
}
