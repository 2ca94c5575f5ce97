/**
 * Owns messages over Streamable HTTP: each is a POST, and its answer is in the HTTP response.
 *
 * Invariants
 * 1. A request whose response ends without an answer fails at once, unless its stream can be resumed.
 * 2. After `close`, there are no timers and no streams, and the server was asked to end the session.
 */
import type { JsonObject } from '../../message.ts';
import type { LinkListener, MessageLink, OwnRequest } from '../link.ts';
import { wireError } from '../wire-error.ts';
import { type Endpoint, type HttpLinkOptions, httpEndpoint } from './endpoint.ts';
import type { ExchangeListener } from './exchange.ts';
import { headerValue } from './header-value.ts';
import { RequestStream } from './request-stream.ts';
import { standaloneStream } from './standalone-stream.ts';
import { statusError } from './status-error.ts';

/** Creates a link over Streamable HTTP. Sends nothing yet. */
export function httpLink(options: HttpLinkOptions): MessageLink {
  const endpoint = httpEndpoint(options);
  const streams = new Map<number, RequestStream>();
  const sending = new Set<() => void>();
  let listener: LinkListener | undefined;
  let endListening = (): void => {};
  let closed: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    endListening();
    await endSession(endpoint, options.graceMs);
    for (const stream of streams.values()) stream.abort();
    for (const stop of sending) stop();
    listener?.ended();
  };
  return {
    hasStreams: true,
    start(given) {
      listener = given;
    },
    setVersion: endpoint.setVersion,
    request(message, headers) {
      const { id } = message;
      if (listener === undefined || closed !== undefined) throw wireError('NOT_CONNECTED', 'Not connected: the link is closed');
      const own = endpoint.era() === 'modern' ? modernHeaders(message, headers) : headers;
      const stream = new RequestStream({ endpoint, request: message, headers: own, listener, onEnd: () => void streams.delete(id) });
      // A request that cannot be sent has ended already.
      if (!stream.hasEnded) streams.set(id, stream);
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        // The status shows whether it was accepted; the body is not read.
        const began: ExchangeListener['began'] = (status) => {
          if (status < 300) resolve();
        };
        const end: ExchangeListener['end'] = (response, error) => {
          sending.delete(stop);
          if (response.status >= 200 && response.status < 300) resolve();
          else reject(error ?? statusError(response));
        };
        const stop = (): void => {
          abort();
          reject(wireError('CONNECTION_CLOSED', 'The connection was closed'));
        };
        sending.add(stop);
        const abort = endpoint.post(JSON.stringify(message), undefined, { ...noListener, began, end });
      }),
    abandon: (id) => streams.get(id)?.abort(),
    listen: () =>
      new Promise((resolve) => {
        endListening();
        endListening = standaloneStream(endpoint, (message) => listener?.message(message, undefined), resolve);
      }),
    close() {
      closed ??= close();
      return closed;
    },
  };
}

const noListener: ExchangeListener = { began() {}, message() {}, eventId() {}, retry() {}, end() {} };

/** The param of each method that is also sent as a header. */
const nameParams: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

function modernHeaders({ method, params }: OwnRequest, headers: readonly string[] = []): readonly string[] {
  const name = (params as JsonObject | undefined)?.[nameParams[method] ?? ''];
  return ['mcp-method', headerValue(method), ...(typeof name === 'string' ? ['mcp-name', headerValue(name)] : []), ...headers];
}

function endSession(endpoint: Endpoint, graceMs: number): Promise<void> {
  if (endpoint.session() === undefined || endpoint.era() === 'modern') return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      abort();
      resolve();
    }, graceMs);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const abort = endpoint.delete({ ...noListener, end });
  });
}
