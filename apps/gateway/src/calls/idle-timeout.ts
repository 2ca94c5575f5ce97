/** Owns ending an attempt that makes no progress. */
import type { System, TimerHandle } from '@holdfast/core';

export interface IdleWatch {
  /** Restarts the time limit. */
  touch(): void;
  stop(): void;
}

export function watchIdle(limitMs: number, system: System, onIdle: (error: Error) => void): IdleWatch {
  let timer: TimerHandle | undefined;
  const restart = (): void => {
    if (timer !== undefined) system.clearTimer(timer);
    timer = system.setTimer(limitMs, () => onIdle(idleError(limitMs)), true);
  };
  restart();
  return {
    touch: restart,
    stop() {
      if (timer !== undefined) system.clearTimer(timer);
    },
  };
}

function idleError(limitMs: number): Error {
  const error = new Error(`No progress and no answer for ${limitMs} ms`);
  return Object.assign(error, { name: 'TimeoutError', code: 'IDLE_TIMEOUT' });
}
