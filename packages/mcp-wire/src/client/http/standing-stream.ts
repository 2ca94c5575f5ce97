/**
 * Owns the stream on which a legacy server says what belongs to no request.
 *
 * Invariants
 * 1. It is opened again when it ends, from the last place on, ever more slowly as long as nothing comes.
 * 2. A server that refuses it is not asked again.
 */
import type { JsonObject } from '../../message.ts';
import type { Endpoint } from './endpoint.ts';
import type { ExchangeListener } from './exchange.ts';

const firstDelayMs = 1000;
const longestDelayMs = 30_000;

/** Returns the way to end it. */
export function standingStream(endpoint: Endpoint, hear: (message: JsonObject) => void): () => void {
  let place: string | undefined;
  let retryMs = firstDelayMs;
  let tries = 0;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let abort = (): void => {};

  const exchange: ExchangeListener = {
    began() {},
    message(message) {
      tries = 0;
      hear(message);
    },
    place: (id) => {
      place = id;
    },
    retry: (ms) => {
      retryMs = ms;
    },
    end({ status }) {
      if (isOver || (status >= 200 && status < 500 && status !== 200 && status !== 429)) return;
      timer = setTimeout(open, Math.min(retryMs * 2 ** tries++, Math.max(retryMs, longestDelayMs)));
    },
  };
  const open = (): void => {
    abort = endpoint.get(place, exchange);
  };
  open();
  return () => {
    isOver = true;
    clearTimeout(timer);
    abort();
  };
}
