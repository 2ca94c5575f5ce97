/** Owns passing on what a tool yields while its call is still being answered. */

/** Values put in at one end, and iterated at the other. */
class Channel<Value> {
  readonly #waiting: Value[] = [];
  #closed = false;
  #wake: () => void = ignore;

  push(value: Value): void {
    if (!this.#closed) this.#waiting.push(value);
    this.#wake();
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *values(): AsyncGenerator<Value> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift() as Value;
      if (this.#closed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/**
 * What `run` emits, as it comes, then what it resolves with where that has not been the last already.
 * Whoever stops listening cancels the run.
 */
export async function* streamed(
  run: (emit: (value: unknown) => void, signal: AbortSignal) => Promise<unknown>,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown> {
  const channel = new Channel<unknown>();
  const left = new AbortController();
  const either = signal ? AbortSignal.any([signal, left.signal]) : left.signal;
  const running = run((value) => channel.push(value), either).finally(() => channel.close());
  // It is awaited below, unless nobody listens any more.
  running.catch(ignore);
  let last: unknown;
  try {
    for await (const value of channel.values()) {
      last = value;
      yield value;
    }
    const output = await running;
    if (!Object.is(output, last)) yield output;
  } finally {
    left.abort();
  }
}

function ignore(): void {
  // Nobody waits.
}
