/** Owns waiting for a keeper, for a bounded time. */
import { describeError } from '../../engine/classify/describe-error.ts';
import type { System } from '../../engine/ports/system.ts';

export interface Wait<Answer> {
  readonly limitMs: number;
  /** Set where nobody waits for it: it does not keep the process alive. */
  readonly background: boolean;
  /** Hears an answer that came after the limit. */
  readonly onLate?: (answer: Answer) => void;
}

/** Settles as what was asked does, or rejects when that takes too long. */
export function within<Answer>(system: System, ask: () => Promise<Answer>, wait: Wait<Answer>): Promise<Answer> {
  const { limitMs, background, onLate = ignore } = wait;
  return new Promise((resolve, reject) => {
    let isLate = false;
    const expire = (): void => {
      isLate = true;
      reject(new Error(`no answer within ${String(limitMs)} ms`));
    };
    const timer = system.setTimer(limitMs, expire, background);
    const take = (answer: Answer): void => {
      if (isLate) return onLate(answer);
      system.clearTimer(timer);
      resolve(answer);
    };
    const fail = (error: unknown): void => {
      system.clearTimer(timer);
      reject(new Error(describeError(error).message));
    };
    // A keeper may throw instead of rejecting.
    Promise.resolve().then(ask).then(take).then(undefined, fail);
  });
}

function ignore(): void {
  // Nobody waits for it any more.
}
