/**
 * Owns running work with a deadline.
 *
 * Invariant: settles at the latest at the limit or with the signal, even if the work hangs.
 */

/** Code of the error at the limit. */
export const deadlineCode = 'RELAY_DEADLINE';

/** Excludes time from the limit, such as that of a question to a user. */
export interface Clock {
  /** Runs a part of the work while the clock is stopped. */
  pauseDuring<Value>(part: () => Promise<Value>): Promise<Value>;
}

/**
 * Runs work under a signal that is aborted at the limit, or with the caller's.
 * Rejects with an error of `code` RELAY_DEADLINE at the limit, and with the caller's reason when it is aborted.
 */
export async function withDeadline<Value>(
  limitMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal, clock: Clock) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  let stop = (_reason: unknown): void => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = (reason) => {
      controller.abort(reason);
      reject(reason);
    };
  });
  const onAbort = (): void => stop(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = pausableTimer(limitMs, () => stop(deadlineError(limitMs)));
  try {
    if (signal?.aborted === true) onAbort();
    return await Promise.race([stopped, work(controller.signal, timer)]);
  } finally {
    timer.stop();
    signal?.removeEventListener('abort', onAbort);
  }
}

function pausableTimer(limitMs: number, onEnd: () => void): Clock & { readonly stop: () => void } {
  let leftMs = limitMs;
  let startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined = setTimeout(onEnd, leftMs);
  let pauses = 0;
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    clearTimeout(timer);
  };
  return {
    stop,
    async pauseDuring(part) {
      if (pauses++ === 0) {
        clearTimeout(timer);
        leftMs -= performance.now() - startedAt;
      }
      try {
        return await part();
      } finally {
        if (--pauses === 0 && !isOver) {
          startedAt = performance.now();
          timer = setTimeout(onEnd, Math.max(leftMs, 0));
        }
      }
    },
  };
}

function deadlineError(limitMs: number): Error {
  return Object.assign(new Error(`no answer within ${limitMs} ms`), { code: deadlineCode });
}
