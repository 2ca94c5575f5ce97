import type { CancelSignal } from '../../src/engine/ports/signal.ts';
import type { ManualSystem } from '../../src/testing/index.ts';
import { hostileValues } from './hostile-values.ts';

/** A signal, and the number of its remaining listeners. */
export interface WatchedSignal {
  readonly signal: CancelSignal | undefined;
  readonly abort: (reason?: unknown) => void;
  readonly listeners: () => number;
}

/** A platform signal that counts its listeners: those added and neither removed nor fired. */
function watchedSignal(): WatchedSignal {
  const controller = new AbortController();
  const { signal } = controller;
  const added = new Set<() => void>();
  signal.addEventListener('abort', () => added.clear());
  return {
    signal: {
      get aborted() {
        return signal.aborted;
      },
      get reason(): unknown {
        return signal.reason;
      },
      addEventListener(type, listener, options) {
        added.add(listener);
        signal.addEventListener(type, listener, options);
      },
      removeEventListener(type, listener) {
        added.delete(listener);
        signal.removeEventListener(type, listener);
      },
    },
    abort: (reason) => controller.abort(reason),
    listeners: () => added.size,
  };
}

const refuse = (): never => {
  throw Object.create(null);
};

/** Invalid and unusual signals. */
function broken(more: Partial<Record<keyof CancelSignal, unknown>>): WatchedSignal {
  const signal = { aborted: false, reason: undefined, addEventListener: () => undefined, removeEventListener: () => undefined, ...more };
  return { signal: signal as CancelSignal, abort: () => undefined, listeners: () => 0 };
}

export type SignalMaker = (system: ManualSystem, atMs: number) => WatchedSignal;

const aborting = Object.entries(hostileValues).map(([name, make]): readonly [string, SignalMaker] => [
  `aborts with ${name}`,
  (system, atMs) => {
    const watched = watchedSignal();
    if (atMs === 0) watched.abort(make());
    else system.setTimer(atMs, () => watched.abort(make()), true);
    return watched;
  },
]);

export const hostileSignals: Readonly<Record<string, SignalMaker>> = {
  'is none': () => ({ signal: undefined, abort: () => undefined, listeners: () => 0 }),
  'never aborts': watchedSignal,
  ...Object.fromEntries(aborting),
  'cannot be listened to': () => broken({ addEventListener: refuse }),
  'cannot be left': () => broken({ removeEventListener: refuse }),
  'calls back while it is being listened to': () => broken({ addEventListener: (_type: string, listener: () => void) => listener() }),
  'calls back again and again': (system, atMs) =>
    broken({
      addEventListener(_type: string, listener: () => void) {
        for (const delay of [atMs, atMs, atMs + 5, atMs + 5_000]) system.setTimer(delay, listener);
      },
    }),
  'has a reason that cannot be read': (system, atMs) =>
    Object.defineProperty(
      broken({ addEventListener: (_type: string, listener: () => void) => void system.setTimer(atMs, listener) }),
      'signal',
      {
        value: {
          aborted: false,
          get reason() {
            return refuse();
          },
          addEventListener: (_type: string, listener: () => void) => void system.setTimer(atMs, listener),
          removeEventListener: () => undefined,
        },
      },
    ),
};
