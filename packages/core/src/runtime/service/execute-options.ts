/** Owns what a caller may say about one call, batch or turn. */
import type { CancelSignal } from '../../engine/ports/signal.ts';

export interface ExecuteOptions {
  /** Cancels the call, batch or turn; answered at once. */
  readonly signal?: CancelSignal | undefined;
  /** All of it may take this long. @default a lone call: no limit but its tool's; a batch or turn: the turn settings' */
  readonly timeoutMs?: number | undefined;
}

/** The caller's own limit, where it is one. */
export function readLimit(options: ExecuteOptions | undefined): number | undefined {
  const timeoutMs = options?.timeoutMs;
  return typeof timeoutMs === 'number' && timeoutMs > 0 ? timeoutMs : undefined;
}
