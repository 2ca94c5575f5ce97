/** Owns the one line that says how far a long piece of work is. It stands on standard error, only where somebody looks, and is gone when the work is done. */
import { clean } from '../view/index.ts';
import type { Console } from './console.ts';

export interface Progress {
  readonly show: (text: string) => void;
  readonly done: () => void;
}

const leastBetweenMs = 100;

export function createProgress({ err, terminalOf }: Console): Progress {
  if (terminalOf(err).mode !== 'live') return { show: () => undefined, done: () => undefined };
  let shownAt = -Infinity;
  let open = false;
  return {
    show(text) {
      const now = performance.now();
      if (now - shownAt < leastBetweenMs) return;
      shownAt = now;
      open = true;
      err.write(`\r\u{1B}[K${clean(text).slice(0, (err.columns() ?? 80) - 1)}`);
    },
    done() {
      if (open) err.write('\r\u{1B}[K');
      open = false;
    },
  };
}
