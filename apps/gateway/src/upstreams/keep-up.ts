/**
 * Owns that a server which should be up is brought up again. How long to wait is the server's own back-off.
 *
 * Invariants
 * 1. At most one attempt, or one wait for it, is under way.
 * 2. A failure is told once, until another one or success.
 * 3. The wait does not keep the process alive.
 */
import type { McpServer } from '@holdfast/runners';

/** Between a failure that says nothing of a wait and the next attempt. */
const shortestWaitMs = 250;

export interface Keeper {
  /** To be called when the state of the server has changed. */
  check(): void;
  stop(): void;
}

export function keepUp(server: McpServer, onFault: (error: unknown) => void): Keeper {
  let isTrying = false;
  let isStopped = false;
  let waiting: NodeJS.Timeout | undefined;
  let told: string | undefined;

  const logFailure = (error: unknown): void => {
    const text = String((error as { readonly message?: unknown } | undefined)?.message ?? error).replaceAll(/\d+ ms/g, '');
    if (text !== told) onFault(error);
    told = text;
  };
  const attempt = async (): Promise<void> => {
    waiting = undefined;
    isTrying = true;
    try {
      await server.connect();
      told = undefined;
    } catch (error) {
      if (!isStopped) logFailure(error);
    }
    isTrying = false;
    check();
  };
  const check = (): void => {
    if (isStopped || isTrying || waiting !== undefined) return;
    const { state, failures, retryAfterMs } = server.status();
    if (state !== 'idle' && state !== 'down') return;
    waiting = setTimeout(() => void attempt(), failures === 0 ? 0 : Math.max(shortestWaitMs, retryAfterMs ?? 0));
    waiting.unref();
  };
  return {
    check,
    stop() {
      isStopped = true;
      clearTimeout(waiting);
    },
  };
}
