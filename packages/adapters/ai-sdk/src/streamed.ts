/** Owns passing on what a tool yields while its call is still being answered. */

/**
 * What `run` emits, as it comes, then what it resolves with where that has not been the last already.
 * Whoever stops listening cancels the run.
 */
export async function* streamed(
  run: (emit: (value: unknown) => void, signal: AbortSignal) => Promise<unknown>,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown> {
  const left = new AbortController();
  const waiting: unknown[] = [];
  let wake: () => void = ignore;
  let ended = false;
  const emit = (value: unknown): void => {
    waiting.push(value);
    wake();
  };
  const running = run(emit, signal ? AbortSignal.any([signal, left.signal]) : left.signal).finally(() => {
    ended = true;
    wake();
  });
  // It is awaited below, unless nobody listens any more.
  running.catch(ignore);
  let last: unknown;
  try {
    while (!ended || waiting.length > 0) {
      while (waiting.length > 0) yield (last = waiting.shift());
      // eslint-disable-next-line -- `ended` changes while this waits.
      if (!ended) await new Promise<void>((resolve) => void (wake = resolve));
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
