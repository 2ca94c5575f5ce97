/**
 * Owns the stream on which a legacy server says what belongs to no request.
 *
 * Invariants
 * 1. It is opened again when it ends, from the last place on, ever more slowly as long as nothing comes.
 * 2. A server that refuses it is not asked again.
 * 3. `begun` is called at the first sign that it is there or will not be, and when the server takes its time.
 */
import type { JsonObject } from '../../message.ts';
import type { Endpoint } from './endpoint.ts';
import type { ExchangeListener } from './exchange.ts';

const firstDelayMs = 1000;
const longestDelayMs = 30_000;
const patienceMs = 1000;

/** Returns the way to end it. */
export function standaloneStream(endpoint: Endpoint, hear: (message: JsonObject) => void, begun: () => void): () => void {
  const patience = setTimeout(begun, patienceMs);
  const reportOnce = (): void => {
    clearTimeout(patience);
    begun();
  };
  let place: string | undefined;
  let retryMs = firstDelayMs;
  let tries = 0;
  let openedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let abort = (): void => {};

  const exchange: ExchangeListener = {
    began: reportOnce,
    message(message) {
      tries = 0;
      hear(message);
    },
    eventId: (id) => {
      place = id;
    },
    retry: (ms) => {
      retryMs = ms;
    },
    end({ status }) {
      reportOnce();
      if (isOver || (status >= 200 && status < 500 && status !== 200 && status !== 429)) return;
      if (performance.now() - openedAt > longestDelayMs) tries = 0;
      timer = setTimeout(open, Math.min(retryMs * 2 ** tries++, Math.max(retryMs, longestDelayMs)));
    },
  };
  const open = (): void => {
    openedAt = performance.now();
    abort = endpoint.get(place, exchange);
  };
  open();
  return () => {
    isOver = true;
    clearTimeout(timer);
    reportOnce();
    abort();
  };
}
