/**
 * Owns sending one request with the headers of its authorizer, and sending it again after a refusal that the authorizer has resolved.
 *
 * Invariants
 * 1. Without headers of the authorizer nothing is sent.
 * 2. Only a request that the server has refused (401, 403) is sent again, and only a few times.
 * 3. Nothing is called after `abort`.
 */
import type { EndedResponse, ExchangeListener, ResponseHeaders } from './exchange.ts';

/** The request that is about to be sent. */
export interface AuthorizedRequest {
  /** The HTTP method. */
  readonly method: string;
  /** The address of the request. */
  readonly url: URL;
}

/** A response with status 401 or 403: the server has not carried out the request. */
export interface AuthorizationRefusal extends AuthorizedRequest {
  /** 401 or 403. */
  readonly status: number;
  /** Of the refusal, with `www-authenticate`. */
  readonly headers: ResponseHeaders;
  /** The headers that the authorizer gave for the request. */
  readonly sent: readonly string[];
}

/** Authorizes the requests of a link. */
export interface RequestAuthorizer {
  /** Returns headers for the next request, alternating names and values. Throws or rejects when there is no credential; then the request fails with that error. */
  readonly headers: (request: AuthorizedRequest) => readonly string[] | Promise<readonly string[]>;
  /** Whether the request is to be sent again. Rejects with an error that the request then fails with. */
  readonly refused: (refusal: AuthorizationRefusal) => Promise<boolean>;
  /** Called with the headers of each response. */
  readonly answered?: ((headers: ResponseHeaders) => void) | undefined;
}

const maxRefusals = 3;

const unsent: EndedResponse = { wasSent: false, status: 0, headers: {}, isEventStream: false, body: '' };

/** Returns the function that aborts the request. */
export function sendAuthorized(
  authorizer: RequestAuthorizer,
  request: AuthorizedRequest,
  listener: ExchangeListener,
  send: (headers: readonly string[], listener: ExchangeListener) => () => void,
): () => void {
  let refusals = 0;
  let isAborted = false;
  let abort = (): void => {};
  const fail = (error: unknown): void => {
    if (!isAborted) listener.end(unsent, error instanceof Error ? error : new Error(String(error)));
  };
  const start = (headers: readonly string[]): void => {
    if (isAborted) return;
    const began: ExchangeListener['began'] = (status, answered) => {
      authorizer.answered?.(answered);
      if (!isRefusal(status)) listener.began(status, answered);
    };
    const end: ExchangeListener['end'] = (response, error) => {
      if (!isRefusal(response.status) || ++refusals > maxRefusals) return finish(response, error);
      const { status, headers: answered } = response;
      authorizer.refused({ ...request, status, headers: answered, sent: headers }).then((isAgain) => {
        if (isAborted) return;
        if (isAgain) authorize();
        else finish(response, error);
      }, fail);
    };
    abort = send(headers, { ...listener, began, end });
  };
  const finish: ExchangeListener['end'] = (response, error) => {
    if (isRefusal(response.status)) listener.began(response.status, response.headers);
    listener.end(response, error);
  };
  const authorize = (): void => {
    try {
      const headers = authorizer.headers(request);
      if (headers instanceof Promise) headers.then(start, fail);
      else start(headers);
    } catch (error) {
      fail(error);
    }
  };
  authorize();
  return () => {
    isAborted = true;
    abort();
  };
}

const isRefusal = (status: number): boolean => status === 401 || status === 403;
