/** Owns telling the engine of the workers although one of both may not be there yet. */
import { setTimeout as wait } from 'node:timers/promises';
import { describeError } from '@holdfast/core/internal';
import { isUnavailable } from '../engine/turn-engine.ts';

export interface RegistrationOptions {
  readonly register: () => Promise<unknown>;
  /** Where the engine is told to find them. */
  readonly url: string;
  /** How long the engine may be away. */
  readonly lostMs: number;
  /** How long it may say that it does not reach them. */
  readonly refusedMs: number;
}

const pauseMs = 300;

/** Rejects with a sentence that says what to do. */
export async function untilRegistered({ register, url, lostMs, refusedMs }: RegistrationOptions): Promise<void> {
  const began = performance.now();
  for (;;) {
    try {
      await register();
      return;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      const isRefusal = (error as { readonly trouble?: unknown }).trouble === 'fault';
      if (performance.now() - began + pauseMs > (isRefusal ? refusedMs : lostMs)) throw explained(error, url, isRefusal);
      await wait(pauseMs);
    }
  }
}

function explained(error: unknown, url: string, isRefusal: boolean): Error {
  const hint = isRefusal
    ? `Can the engine reach ${url} (worker.url)? Workers may also be registered by hand, with worker.register: false.`
    : 'Start it, see that engine.restate.admin is right, or register the workers by hand, with worker.register: false.';
  return new Error(`${describeError(error).message} ${hint}`, { cause: error });
}
