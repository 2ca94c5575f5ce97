/** Owns the page's second hand: one timer for everything that says how long ago something was; stands still while the page is hidden. */
import { useSyncExternalStore } from 'react';

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

const tick = (): void => {
  if (document.hidden) return;
  now = Date.now();
  for (const listener of listeners) listener();
};

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

/** Drawn only when the text is another one. */
export const useClockText = (write: (now: number) => string): string => useSyncExternalStore(subscribe, () => write(now));
