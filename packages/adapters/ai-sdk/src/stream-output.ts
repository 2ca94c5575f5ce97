/** Owns streaming the values a tool yields while its call is still being answered. */
import type { CallOptions } from './run-binding.ts';

/**
 * Yields the values `run` emits as they arrive, then the value it resolves with unless that was already the last one.
 * Stopping the iteration cancels the run.
 */
export async function* streamOutput<Options extends CallOptions>(
  run: (input: unknown, options: Options, emit: (value: unknown) => void) => Promise<unknown>,
  input: unknown,
  options: Options,
): AsyncGenerator<unknown> {
  const abandoned = new AbortController();
  const waiting: unknown[] = [];
  let wake = (): void => undefined;
  const push = (entry: unknown): void => {
    waiting.push(entry);
    wake();
  };
  const abortSignal = AbortSignal.any([abandoned.signal, ...(options.abortSignal ? [options.abortSignal] : [])]);
  const running = run(input, { ...options, abortSignal }, push).finally(() => push(end));
  // It is awaited below, unless the iteration was stopped.
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
    abandoned.abort();
  }
}

const end = Symbol('end');
