/** A progress line on standard error. Shown only on a terminal, and cleared at the end. */
import { clean } from '../view/text/clean.ts';
import type { Console } from './console.ts';

export interface Progress {
  readonly show: (text: string) => void;
  readonly clear: () => void;
}

const minIntervalMs = 100;

export function createProgress({ err, terminalOf }: Console): Progress {
  if (terminalOf(err).mode !== 'live') return { show: () => undefined, clear: () => undefined };
  let shownAt = -Infinity;
  let open = false;
  return {
    show(text) {
      const now = performance.now();
      if (now - shownAt < minIntervalMs) return;
      shownAt = now;
      open = true;
      err.write(`\r\u{1B}[K${clean(text).slice(0, (err.columns() ?? 80) - 1)}`);
    },
    clear() {
      if (open) err.write('\r\u{1B}[K');
      open = false;
    },
  };
}
