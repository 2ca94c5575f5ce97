/**
 * Owns streaming the values a tool yields while its call is still being answered. The framework detects a stream by the value that `execute` returns, so a tool has to
 * show at once that it returns one: as an async generator function, or by the value that it returns when it is started.
 */
import type { CallOptions } from './run-binding.ts';

/** Receives the values of a tool that yields. */
export interface OutputListener {
  /** The tool has returned a stream. */
  open(): void;
  /** The tool has yielded a value. */
  push(value: unknown): void;
  /** Whether the values are still read. */
  readonly isStopped: boolean;
}

/** Runs a call; resolves with the output. */
export type RunCall<Options extends CallOptions> = (input: unknown, options: Options, listener: OutputListener) => Promise<unknown>;

/** Starts a call. Returns a stream if the tool returned one when it was started, else the promise of its output. */
export function startOutput<Options extends CallOptions>(run: RunCall<Options>, input: unknown, options: Options): unknown {
  const values = new YieldedValues();
  const running = run(input, options, values);
  return values.isOpen ? values.followedBy(running) : running;
}

/**
 * Yields the values of a tool that is known to stream as they arrive, then the value the call resolves with unless that was already the last one.
 * Stopping the iteration cancels the call.
 */
export async function* streamOutput<Options extends CallOptions>(
  run: RunCall<Options>,
  input: unknown,
  options: Options,
): AsyncGenerator<unknown> {
  const abandoned = new AbortController();
  const abortSignal = AbortSignal.any([abandoned.signal, ...(options.abortSignal ? [options.abortSignal] : [])]);
  const values = new YieldedValues();
  try {
    yield* values.followedBy(run(input, { ...options, abortSignal }, values));
  } finally {
    abandoned.abort();
  }
}

const end = Symbol('end');

class YieldedValues implements OutputListener {
  isOpen = false;
  isStopped = false;
  readonly #waiting: unknown[] = [];
  #wake = (): void => undefined;

  open(): void {
    this.isOpen = true;
  }

  push(value: unknown): void {
    this.#waiting.push(value);
    this.#wake();
  }

  async *followedBy(running: Promise<unknown>): AsyncGenerator<unknown> {
    // It is awaited below, unless the iteration was stopped.
    running.catch(() => undefined).finally(() => this.push(end));
    let last: unknown;
    try {
      for (;;) {
        if (this.#waiting.length === 0) await new Promise<void>((resolve) => void (this.#wake = resolve));
        const value = this.#waiting.shift();
        if (value === end) break;
        yield (last = value);
      }
      const output = await running;
      if (!Object.is(output, last)) yield output;
    } finally {
      this.isStopped = true;
    }
  }
}
