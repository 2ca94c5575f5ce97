/** Owns registering workers at the engine, with retries because either may not be ready yet. */
import { setTimeout as wait } from 'node:timers/promises';
import { describeError } from '@holdfast/core/internal';
import { isUnavailable } from '../engine/turn-engine.ts';

export interface RegistrationOptions {
  readonly register: () => Promise<unknown>;
  /** Address of the workers for the engine. */
  readonly url: string;
  /** How long to retry while the engine does not answer. */
  readonly lostMs: number;
  /** How long to retry while the engine cannot reach the workers. */
  readonly refusedMs: number;
}

const pauseMs = 300;

/** Rejects with a sentence that contains the fix. */
export async function registerWithRetry({ register, url, lostMs, refusedMs }: RegistrationOptions): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    try {
      await register();
      return;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      const isRefusal = (error as { readonly trouble?: unknown }).trouble === 'fault';
      if (performance.now() - startedAt + pauseMs > (isRefusal ? refusedMs : lostMs)) throw withHint(error, url, isRefusal);
      await wait(pauseMs);
    }
  }
}

function withHint(error: unknown, url: string, isRefusal: boolean): Error {
  const hint = isRefusal
    ? `Check that the engine can reach ${url} (worker.url), or set worker.register: false and register the workers manually.`
    : 'Start it, check engine.restate.admin, or set worker.register: false and register the workers manually.';
  return new Error(`${describeError(error).message} ${hint}`, { cause: error });
}
