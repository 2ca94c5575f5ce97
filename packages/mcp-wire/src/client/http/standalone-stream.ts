/**
 * Owns the stream on which a legacy server sends messages outside of requests.
 *
 * Invariants
 * 1. It is reopened when it ends, after the last event, with exponential backoff while there are no messages.
 * 2. It is not reopened after a refusal.
 * 3. `onReady` is called when the stream is open or refused, or after a time limit.
 */
import type { JsonObject } from '../../message.ts';
import type { Endpoint } from './endpoint.ts';
import type { ExchangeListener } from './exchange.ts';

const firstDelayMs = 1000;
const maxDelayMs = 30_000;
const maxReadyDelayMs = 1000;

/** Returns a function that ends the stream. */
export function standaloneStream(endpoint: Endpoint, onMessage: (message: JsonObject) => void, onReady: () => void): () => void {
  const readyTimer = setTimeout(onReady, maxReadyDelayMs);
  const reportOnce = (): void => {
    clearTimeout(readyTimer);
    onReady();
  };
  let lastEventId: string | undefined;
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
      onMessage(message);
    },
    eventId: (id) => {
      lastEventId = id;
    },
    retry: (ms) => {
      retryMs = ms;
    },
    end({ status }) {
      reportOnce();
      if (isOver || (status >= 200 && status < 500 && status !== 200 && status !== 429)) return;
      if (performance.now() - openedAt > maxDelayMs) tries = 0;
      timer = setTimeout(open, Math.min(retryMs * 2 ** tries++, Math.max(retryMs, maxDelayMs)));
    },
  };
  const open = (): void => {
    openedAt = performance.now();
    abort = endpoint.get(lastEventId, exchange);
  };
  open();
  return () => {
    isOver = true;
    clearTimeout(timer);
    reportOnce();
    abort();
  };
}
