/** Owns ctrl-C and its relatives: the first one cancels, the second one ends the process at once. */
import { constants } from 'node:os';

const watched = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Watched = (typeof watched)[number];

/** For a command to which SIGHUP means something else, unless it is the window that has been closed. */
export const endingSignals = (): readonly Watched[] => (process.stdin.isTTY === true ? watched : ['SIGINT', 'SIGTERM']);

export interface SignalWatch {
  readonly signal: AbortSignal;
  /** 128 and the number of the signal that came; `undefined` when none did. */
  readonly exitCode: () => number | undefined;
  /** From now on the first signal ends the process as well: nothing is left to be cancelled. */
  readonly disarm: () => void;
  readonly stop: () => void;
}

/** `onCancel` hears of the first signal. */
export function watchSignals(onCancel: (name: Watched) => void, signals: readonly Watched[] = watched): SignalWatch {
  const controller = new AbortController();
  let armed = true;
  let code: number | undefined;
  const listeners = signals.map((name) => {
    const listener = (): void => {
      const own = 128 + constants.signals[name];
      if (!armed || code !== undefined) process.exit(code ?? own);
      code = own;
      onCancel(name);
      controller.abort(new DOMException(`Cancelled by ${name}`, 'AbortError'));
    };
    process.on(name, listener);
    return () => void process.off(name, listener);
  });
  return {
    signal: controller.signal,
    exitCode: () => code,
    disarm: () => {
      armed = false;
    },
    stop: () => {
      for (const off of listeners) off();
    },
  };
}
