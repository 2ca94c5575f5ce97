/** Handles Ctrl-C and other signals to end: the first cancels, the second exits at once. */
import { constants } from 'node:os';

const cancelSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type CancelSignal = (typeof cancelSignals)[number];

/** For commands that reload on SIGHUP. On a terminal SIGHUP means that the window was closed, so there it cancels. */
export const shutdownSignals = (): readonly CancelSignal[] => (process.stdin.isTTY === true ? cancelSignals : ['SIGINT', 'SIGTERM']);

export interface SignalWatch {
  readonly signal: AbortSignal;
  /** 128 plus the number of the received signal; `undefined` if there was none. */
  readonly exitCode: () => number | undefined;
  /** From now on the first signal exits too: there is nothing left to cancel. */
  readonly disarm: () => void;
  readonly stop: () => void;
}

/** Calls `onCancel` on the first signal. */
export function watchSignals(onCancel: (name: CancelSignal) => void, signals: readonly CancelSignal[] = cancelSignals): SignalWatch {
  const controller = new AbortController();
  let armed = true;
  let code: number | undefined;
  const removals = signals.map((name) => {
    const listener = (): void => {
      const signalCode = 128 + constants.signals[name];
      if (!armed || code !== undefined) process.exit(code ?? signalCode);
      code = signalCode;
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
      for (const remove of removals) remove();
    },
  };
}
