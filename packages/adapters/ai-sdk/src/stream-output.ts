/** Owns passing on what a tool yields while its call is still being answered. */
import type { CallOptions } from './run-binding.ts';

/**
 * What `run` emits, as it comes, then what it resolves with where that has not been the last already.
 * Anyone who stops listening cancels the run.
 */
export async function* streamOutput<Options extends CallOptions>(
  run: (input: unknown, options: Options, emit: (value: unknown) => void) => Promise<unknown>,
  input: unknown,
  options: Options,
): AsyncGenerator<unknown> {
  const left = new AbortController();
  const waiting: unknown[] = [];
  let wake = (): void => undefined;
  const put = (entry: unknown): void => {
    waiting.push(entry);
    wake();
  };
  const abortSignal = AbortSignal.any([left.signal, ...(options.abortSignal ? [options.abortSignal] : [])]);
  const running = run(input, { ...options, abortSignal }, put).finally(() => put(end));
  // It is awaited below, unless nobody listens any more.
  running.catch(() => undefined);
  let last: unknown;
  try {
    for (;;) {
      if (waiting.length === 0) await new Promise<void>((resolve) => void (wake = resolve));
      const entry = waiting.shift();
      if (entry === end) break;
      yield (last = entry);
    }
    const output = await running;
    if (!Object.is(output, last)) yield output;
  } finally {
    left.abort();
  }
}

const end = Symbol('end');
