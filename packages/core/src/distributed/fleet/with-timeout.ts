/** Owns waiting for a coordinator with a time limit. */
import { describeError } from '../../engine/classify/describe-error.ts';
import type { System } from '../../engine/ports/system.ts';

export interface TimeoutOptions<Answer> {
  readonly limitMs: number;
  /** Whether the timer may not keep the process alive, because no call waits for the answer. */
  readonly background: boolean;
  /** Called with an answer that comes after the limit. */
  readonly onLate?: (answer: Answer) => void;
}

/** Settles like the promise of `request`, or rejects after the time limit. */
export function withTimeout<Answer>(system: System, request: () => Promise<Answer>, options: TimeoutOptions<Answer>): Promise<Answer> {
  const { limitMs, background, onLate = ignore } = options;
  return new Promise((resolve, reject) => {
    let isLate = false;
    const expire = (): void => {
      isLate = true;
      reject(new Error(`no answer within ${String(limitMs)} ms`));
    };
    const timer = system.setTimer(limitMs, expire, background);
    const accept = (answer: Answer): void => {
      if (isLate) return onLate(answer);
      system.clearTimer(timer);
      resolve(answer);
    };
    const fail = (error: unknown): void => {
      system.clearTimer(timer);
      reject(new Error(describeError(error).message));
    };
    // A coordinator may throw instead of rejecting.
    Promise.resolve().then(request).then(accept).then(undefined, fail);
  });
}

function ignore(): void {
  // A late answer is not used.
}
