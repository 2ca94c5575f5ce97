/** Owns the options of one call, batch or turn. */
import type { CancelSignal } from '../../engine/ports/signal.ts';

/** Options of one call, batch or turn. */
export interface ExecuteOptions {
  /** Cancels the call, batch or turn; answered at once. */
  readonly signal?: CancelSignal | undefined;
  /** Time limit of the whole. @default for a single call only its tool's limit; for a batch or turn that of the turn settings */
  readonly timeoutMs?: number | undefined;
}

/** The caller's own time limit, if valid. */
export function readLimit(options: ExecuteOptions | undefined): number | undefined {
  const timeoutMs = options?.timeoutMs;
  return typeof timeoutMs === 'number' && timeoutMs > 0 ? timeoutMs : undefined;
}
