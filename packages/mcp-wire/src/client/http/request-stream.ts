/**
 * Owns one request over HTTP: its POST, and where a legacy server lets go of the stream before the answer, taking it up again.
 *
 * Invariants
 * 1. A stream is taken up again only from a place that the server has named, and as long as that brings something new.
 * 2. After the answer the stream may stay open for a moment only.
 */
import type { JsonObject } from '../../message.ts';
import type { LinkListener, OwnRequest } from '../link.ts';
import { wireError } from '../wire-error.ts';
import type { Endpoint } from './endpoint.ts';
import type { EndedResponse, ExchangeListener } from './exchange.ts';
import { answerIn, statusError, unansweredError } from './status-error.ts';

export interface RequestStream {
  readonly isOver: () => boolean;
  readonly abort: () => void;
}

/** Tries in a row that bring nothing new. */
const mostIdleTries = 3;
const firstDelayMs = 200;
/** For the end of a stream after its answer. */
const lingerMs = 1000;

export function requestStream(
  endpoint: Endpoint,
  request: OwnRequest,
  headers: readonly string[] | undefined,
  listener: LinkListener,
  over: () => void,
): RequestStream {
  const { id } = request;
  let isAnswered = false;
  let place: string | undefined;
  let retryMs: number | undefined;
  let idleTries = 0;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  const finish = (): void => {
    isOver = true;
    clearTimeout(timer);
    over();
  };
  const stop = (): void => {
    if (isOver) return;
    abortExchange();
    finish();
  };
  const lose = (error: Error): void => {
    finish();
    listener.lost(id, error);
  };

  const end = (response: EndedResponse, error: Error | undefined): void => {
    if (isAnswered) return finish();
    const { status } = response;
    if (status >= 300) return lose(answerIn(response, endpoint.era(), id) ?? statusError(response));
    if (canResume(response)) return resumeLater();
    // Some servers take a request like a notification, and never answer.
    lose(status === 202 ? wireError('ANSWER_LOST', 'The server took the request without answering it') : unansweredError(response, error));
  };
  const canResume = ({ isEventStream }: EndedResponse): boolean =>
    isEventStream && place !== undefined && endpoint.era() === 'legacy' && idleTries < mostIdleTries;
  const resumeLater = (): void => {
    timer = setTimeout(resume, retryMs ?? firstDelayMs * 2 ** idleTries);
    idleTries++;
  };
  const resume = (): void => {
    abortExchange = endpoint.get(place, { ...exchange, began: () => {}, end: endResumed });
  };
  const endResumed = (response: EndedResponse, error: Error | undefined): void => {
    if (isAnswered) return finish();
    const isUnreachable = response.status === 0 || response.status >= 500;
    if (canResume(response) || (isUnreachable && idleTries < mostIdleTries)) return resumeLater();
    const cause = error ?? (response.status === 200 ? undefined : statusError(response));
    lose(wireError('ANSWER_LOST', 'The stream ended before the answer came', cause === undefined ? {} : { cause }));
  };

  const exchange: ExchangeListener = {
    began(status, answered) {
      if (request.method === 'initialize' && status === 200) endpoint.keepSession(answered);
    },
    message(message: JsonObject) {
      idleTries = 0;
      if (message['method'] === undefined && (message['id'] === id || Number(message['id']) === id || message['id'] === null)) {
        isAnswered = true;
        timer = setTimeout(stop, lingerMs);
      }
      listener.message(message, id);
    },
    eventId(named) {
      if (named !== place) idleTries = 0;
      place = named;
    },
    retry(ms) {
      retryMs = ms;
    },
    end,
  };
  let abortExchange = endpoint.post(JSON.stringify(request), headers, exchange);
  return { abort: stop, isOver: () => isOver };
}
