/**
 * Owns the URL of requests and their common headers.
 *
 * Invariants
 * 1. A redirect is followed only if it keeps method and body and stays on the same host, and never from https to http.
 * 2. Callers cannot set headers of the protocol.
 * 3. With an authorizer, a redirect is followed only if it adds or removes the slash at the end of the path: a credential is sent nowhere else.
 */
import { checkOptions, type OptionKinds } from '../../check-options.ts';
import type { Dispatcher } from 'undici';
import type { Era } from '../../era.ts';
import { type RequestAuthorizer, sendAuthorized } from './authorization.ts';
import { Exchange, type ExchangeListener, type ResponseHeaders } from './exchange.ts';

/** Settings of a link over Streamable HTTP. */
export interface HttpLinkOptions {
  /** Address of the MCP endpoint. */
  readonly url: URL;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undici dispatcher, such as an `Agent` without timeouts. The link does not close it. */
  readonly dispatcher: Dispatcher;
  /** Maximum size of one message. */
  readonly maxMessageBytes: number;
  /** Time limit for ending the session at the server. */
  readonly graceMs: number;
  /** Adds credentials to each request. @default none */
  readonly authorizer?: RequestAuthorizer | undefined;
}

export interface Endpoint {
  /** `version` is `undefined` until the server has chosen one. */
  readonly setVersion: (era: Era, version: string | undefined) => void;
  readonly era: () => Era;
  /** The session id that a legacy server has assigned. */
  readonly session: () => string | undefined;
  readonly keepSession: (headers: ResponseHeaders) => void;
  /** Returns the function that aborts it. */
  readonly post: (body: string, headers: readonly string[] | undefined, listener: ExchangeListener) => () => void;
  /** Opens a stream of events, after the event with the given id. */
  readonly get: (lastEventId: string | undefined, listener: ExchangeListener) => () => void;
  readonly delete: (listener: ExchangeListener) => () => void;
}

type Method = 'GET' | 'POST' | 'DELETE';

const own = /^(?:accept|content-type|content-length|transfer-encoding|connection|last-event-id|mcp-.*)$/i;
const maxRedirects = 3;

const linkKinds: OptionKinds<HttpLinkOptions> = {
  url: 'object',
  headers: 'object',
  dispatcher: 'object',
  maxMessageBytes: 'amount',
  graceMs: 'amount',
  authorizer: 'object',
};

export function httpEndpoint(options: HttpLinkOptions): Endpoint {
  checkOptions(linkKinds, options, 'httpLink', ['url', 'headers', 'dispatcher', 'maxMessageBytes', 'graceMs']);
  const { url, headers, dispatcher, maxMessageBytes, authorizer } = options;
  const isOwn = (name: string): boolean => own.test(name) || (authorizer !== undefined && /^authorization$/i.test(name));
  const given = Object.entries(headers).flatMap(([name, value]) => (isOwn(name) ? [] : [name, value]));
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

  const dispatch = (method: Method, headers: readonly string[], body: string | undefined, listener: ExchangeListener): (() => void) =>
    authorizer === undefined
      ? exchange(method, headers, body, listener)
      : sendAuthorized(authorizer, { method, url: target }, listener, (own, each) => exchange(method, [...headers, ...own], body, each));

  const exchange = (method: Method, headers: readonly string[], body: string | undefined, listener: ExchangeListener): (() => void) => {
    const send = (to: URL, exchange: Exchange): void => {
      target = to;
      const options: Dispatcher.DispatchOptions = {
        origin: to.origin,
        path: to.pathname + to.search,
        method,
        headers: headers as string[],
        ...(body === undefined ? {} : { body }),
      };
      dispatcher.dispatch(options, exchange);
    };
    return followRedirects({ from: target, listener, maxMessageBytes, isAuthorized: authorizer !== undefined }, send);
  };

  return {
    setVersion(nextEra, nextVersion) {
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
      const resume = lastEventId === undefined ? [] : ['last-event-id', lastEventId];
      return dispatch('GET', [...common, 'accept', 'text/event-stream', ...resume], undefined, listener);
    },
    delete: (listener) => dispatch('DELETE', common, undefined, listener),
  };
}

interface Following {
  readonly from: URL;
  readonly listener: ExchangeListener;
  readonly maxMessageBytes: number;
  readonly isAuthorized: boolean;
}

/** Sends an exchange, and another one after each redirect. Returns the function that aborts the current one. */
function followRedirects(
  { from, listener, maxMessageBytes, isAuthorized }: Following,
  send: (to: URL, exchange: Exchange) => void,
): () => void {
  let redirects = 0;
  let current: Exchange;
  const began: ExchangeListener['began'] = (status, answered) => {
    if (!isRedirect(status)) listener.began(status, answered);
  };
  const start = (url: URL): void => {
    const end: ExchangeListener['end'] = (response, error) => {
      const next = isRedirect(response.status) && redirects++ < maxRedirects ? redirectOf(url, response.headers, isAuthorized) : undefined;
      if (next === undefined) listener.end(response, error);
      else start(next);
    };
    current = new Exchange({ ...listener, began, end }, maxMessageBytes);
    send(url, current);
  };
  start(from);
  return () => current.abort();
}

const isRedirect = (status: number): boolean => status === 307 || status === 308;

function redirectOf(from: URL, headers: ResponseHeaders, isAuthorized: boolean): URL | undefined {
  const location = headers['location'];
  if (typeof location !== 'string' || !URL.canParse(location, from.href)) return undefined;
  const next = new URL(location, from);
  if (isAuthorized && !(next.search === from.search && withoutSlash(next) === withoutSlash(from))) return undefined;
  const isSafer = from.protocol === 'http:' && next.protocol === 'https:' && next.host === from.host;
  return next.origin === from.origin || isSafer ? next : undefined;
}

const withoutSlash = ({ pathname }: URL): string => pathname.replace(/\/$/, '');
