/** Owns the page's second hand: one timer for everything that says how long ago something was; stands still while the page is hidden. */
import { useSyncExternalStore } from 'react';

let now = Date.now();
let ahead = 0;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

const tick = (): void => {
  if (document.hidden) return;
  now = Date.now() + ahead;
  for (const listener of listeners) listener();
};

/** The gateway's clock is another one where it runs on another machine: times are said by its own. Small differences are the way here. */
export function takeTime(at: string): void {
  const difference = Date.parse(at) - Date.now();
  if (Number.isNaN(difference)) return;
  const before = ahead;
  ahead = Math.abs(difference) < 3000 ? 0 : difference;
  if (ahead !== before) tick();
}

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
