/**
 * Owns reconnecting a server that should be connected. The delay is the backoff of the server.
 *
 * Invariants
 * 1. At most one attempt, or one wait for it, is in progress.
 * 2. A failure is reported once, until a different one or a success.
 * 3. The wait does not keep the process alive.
 */
import type { McpServer } from '@holdfast/runners';

/** Minimum delay between a failure and the next attempt. */
const minWaitMs = 250;
/** How often a missing login is looked for; nothing is sent to the server. */
const loginWaitMs = 2_000;

export interface ConnectionKeeper {
  /** To be called when the state of the server has changed. */
  check(): void;
  stop(): void;
}

export function keepConnected(server: McpServer, onFault: (error: unknown) => void): ConnectionKeeper {
  let isTrying = false;
  let isStopped = false;
  let waiting: NodeJS.Timeout | undefined;
  let reported: string | undefined;

  const logFailure = (error: unknown): void => {
    // The same failure, whether or not the next start has a time already.
    const text = String((error as { readonly message?: unknown } | undefined)?.message ?? error).replace(/; next start in \d+ ms$/, '');
    if (text !== reported) onFault(error);
    reported = text;
  };
  const attempt = async (): Promise<void> => {
    waiting = undefined;
    isTrying = true;
    try {
      await server.connect();
      reported = undefined;
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
    const waitMs = state === 'down' && retryAfterMs === undefined ? loginWaitMs : Math.max(minWaitMs, retryAfterMs ?? 0);
    waiting = setTimeout(() => void attempt(), failures === 0 ? 0 : waitMs);
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
