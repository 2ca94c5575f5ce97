/** One timer for all relative times on the page. Paused while the page is hidden. */
import { useSyncExternalStore } from 'react';

let now = Date.now();
let offsetMs = 0;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

const tick = (): void => {
  if (document.hidden) return;
  now = gatewayNow();
  for (const listener of listeners) listener();
};

/** Follows the gateway's clock, which differs if it runs on another machine. Ignores small differences, which are network latency. */
export function syncClock(at: string): void {
  const difference = Date.parse(at) - Date.now();
  if (Number.isNaN(difference)) return;
  const before = offsetMs;
  offsetMs = Math.abs(difference) < 3000 ? 0 : difference;
  if (offsetMs !== before) tick();
}

/** The time at the gateway, in milliseconds since 1970. */
export const gatewayNow = (): number => Date.now() + offsetMs;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Rerenders only if the text changes. */
export const useClockText = (write: (now: number) => string): string => useSyncExternalStore(subscribe, () => write(now));
