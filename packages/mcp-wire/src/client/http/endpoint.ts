/**
 * Owns where requests go and the headers that all of them carry.
 *
 * Invariants
 * 1. A redirect is followed only where it keeps method and body, to the same host, and never from https to http.
 * 2. The protocol's own headers cannot be set from outside.
 */
import type { Dispatcher } from 'undici';
import type { Era } from '../../era.ts';
import { type EndedResponse, Exchange, type ExchangeListener, type ResponseHeaders } from './exchange.ts';

export interface HttpLinkOptions {
  readonly url: URL;
  /** Of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Such as an `Agent` of undici, with its time limits off. It is not closed here. */
  readonly dispatcher: Dispatcher;
  /** The most that one message may have. */
  readonly maxMessageBytes: number;
  /** How long telling the server of the end of the session may take. */
  readonly graceMs: number;
}

export interface Endpoint {
  /** `version` is `undefined` until the server has chosen one. */
  readonly speak: (era: Era, version: string | undefined) => void;
  readonly era: () => Era;
  /** The session that a legacy server has given, if any. */
  readonly session: () => string | undefined;
  readonly keepSession: (headers: ResponseHeaders) => void;
  /** Returns the way to abort it. */
  readonly post: (body: string, headers: readonly string[] | undefined, listener: ExchangeListener) => () => void;
  /** A stream of events, from the place given on. */
  readonly get: (lastEventId: string | undefined, listener: ExchangeListener) => () => void;
  readonly delete: (listener: ExchangeListener) => () => void;
}

type Method = 'GET' | 'POST' | 'DELETE';

const own = /^(?:accept|content-type|content-length|transfer-encoding|connection|last-event-id|mcp-.*)$/i;
const mostRedirects = 3;

export function httpEndpoint({ url, headers, dispatcher, maxMessageBytes }: HttpLinkOptions): Endpoint {
  const given = Object.entries(headers).flatMap(([name, value]) => (own.test(name) ? [] : [name, value]));
  let target = url;
  let era: Era = 'legacy';
  let version: string | undefined;
  let session: string | undefined;
  let common: readonly string[] = given;
  let posted: readonly string[] = [];

  const refresh = (): void => {
    common = [
      ...given,
      ...(version === undefined ? [] : ['mcp-protocol-version', version]),
      ...(session === undefined ? [] : ['mcp-session-id', session]),
    ];
    posted = [...common, 'content-type', 'application/json', 'accept', 'application/json, text/event-stream'];
  };

  /** The first exchange, and after a redirect the next. */
  const dispatch = (method: Method, headers: readonly string[], body: string | undefined, listener: ExchangeListener): (() => void) => {
    let redirects = 0;
    let current: Exchange;
    const start = (): void => {
      current = new Exchange({ ...listener, began, end }, maxMessageBytes);
      const options: Dispatcher.DispatchOptions = {
        origin: target.origin,
        path: target.pathname + target.search,
        method,
        headers: headers as string[],
        ...(body === undefined ? {} : { body }),
      };
      dispatcher.dispatch(options, current);
    };
    const began: ExchangeListener['began'] = (status, answered) => {
      if (!isRedirect(status)) listener.began(status, answered);
    };
    const end = (response: EndedResponse, error: Error | undefined): void => {
      const next = isRedirect(response.status) && redirects++ < mostRedirects ? redirectOf(target, response.headers) : undefined;
      if (next === undefined) return listener.end(response, error);
      target = next;
      start();
    };
    start();
    return () => current.abort();
  };

  return {
    speak(nextEra, nextVersion) {
      era = nextEra;
      version = nextVersion;
      if (nextVersion === undefined || nextEra === 'modern') session = undefined;
      refresh();
    },
    era: () => era,
    session: () => session,
    keepSession(answered) {
      const given = answered['mcp-session-id'];
      if (typeof given !== 'string' || given === '') return;
      session = given;
      refresh();
    },
    post: (body, headers, listener) => dispatch('POST', headers === undefined ? posted : [...posted, ...headers], body, listener),
    get: (lastEventId, listener) => {
      const place = lastEventId === undefined ? [] : ['last-event-id', lastEventId];
      return dispatch('GET', [...common, 'accept', 'text/event-stream', ...place], undefined, listener);
    },
    delete: (listener) => dispatch('DELETE', common, undefined, listener),
  };
}

const isRedirect = (status: number): boolean => status === 307 || status === 308;

function redirectOf(from: URL, headers: ResponseHeaders): URL | undefined {
  const location = headers['location'];
  if (typeof location !== 'string' || !URL.canParse(location, from.href)) return undefined;
  const next = new URL(location, from);
  const isSafer = from.protocol === 'http:' && next.protocol === 'https:' && next.host === from.host;
  return next.origin === from.origin || isSafer ? next : undefined;
}
