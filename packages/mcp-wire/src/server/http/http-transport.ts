/**
 * Owns the life cycle of the HTTP transport: dispatching requests by verb and era, the timer, and closing.
 *
 * Invariants
 * 1. Every request is answered; a body that cannot be parsed is refused before anything else happens.
 * 2. On close, running requests are answered first, then streams and sessions end.
 */
import { checkOptions, type OptionKinds } from '../../check-options.ts';
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { legacyVersions } from '../../era.ts';
import { type JsonObject, type RequestId, rpcCodes } from '../../message.ts';
import { RequestRegistry } from '../request-registry.ts';
import type { ConnectedClient, TransportStatus, ServerHandler } from '../handler.ts';
import { largeJsonChars } from '../large-json.ts';
import { parseLargeMessage } from '../parse-large-message.ts';
import { type Incoming, parseMessage } from '../parse-message.ts';
import { listChanges } from '../legacy-client.ts';
import { isModern } from '../modern-requests.ts';
import { errorBody, errorText, notificationText } from '../serialize-message.ts';
import { type AcceptedTypes, acceptedTypes, isJsonBody } from './content-negotiation.ts';
import { refuse, sendError, sendNothing } from './responses.ts';
import { dropBody, readBody } from './read-body.ts';
import { EventStreamWriter } from './event-stream-writer.ts';
import { LegacyPost, sessionOf } from './legacy-post.ts';
import { ModernPost } from './modern-post.ts';
import {
  defaultHttpTransportLimits,
  type HttpCaller,
  type HttpTransport,
  type HttpTransportLimits,
  type HttpTransportOptions,
} from './http-options.ts';
import { readEventId } from './session-stream.ts';
import { SessionIds } from './session-ids.ts';
import { Sessions } from './sessions.ts';

const maxTickMs = 5000;

const frontKinds: OptionKinds<HttpTransportOptions> = { limits: 'object', onFault: 'function', sessionKey: 'key' };

const limitKinds: OptionKinds<Partial<HttpTransportLimits>> = {
  bodyBytes: 'amount',
  depth: 'amount',
  sessions: 'amount',
  sessionIdleMs: 'amount',
  subscriptions: 'amount',
  inFlight: 'amount',
  keepAliveMs: 'amount',
  streamBytes: 'amount',
  replayBytes: 'amount',
};

/** Serves a handler over Streamable HTTP, in both eras at one endpoint. */
export function httpTransport(handler: ServerHandler, options: HttpTransportOptions = {}): HttpTransport {
  checkOptions(frontKinds, options, 'httpTransport');
  if (options.limits !== undefined) checkOptions(limitKinds, options.limits, 'httpTransport.limits');
  const transport = new StreamableHttp(handler, options);
  return {
    handle: (request, response, caller) => transport.handle(request, response, caller),
    publish: (method, params, isFor) => transport.publish(method, params, isFor),
    retain: (isKnown) => transport.retain(isKnown),
    status: () => transport.status(),
    close: (limitMs) => transport.close(limitMs),
  };
}

class StreamableHttp implements HttpTransport {
  readonly #limits: HttpTransportLimits;
  readonly #registry: RequestRegistry;
  readonly #sessions: Sessions;
  readonly #legacy: LegacyPost;
  readonly #modern: ModernPost;
  readonly #ticker: NodeJS.Timeout;
  #closing: Promise<void> | undefined;

  constructor(handler: ServerHandler, options: HttpTransportOptions) {
    const given = Object.entries(options.limits ?? {}).filter(([, limit]) => limit !== undefined);
    const limits: HttpTransportLimits = { ...defaultHttpTransportLimits, ...Object.fromEntries(given) };
    this.#limits = limits;
    this.#registry = new RequestRegistry(handler, limits.inFlight, options.onFault);
    this.#sessions = new Sessions(this.#registry, limits, new SessionIds(options.sessionKey));
    this.#legacy = new LegacyPost(this.#registry, this.#sessions, limits);
    this.#modern = new ModernPost(this.#registry, limits);
    const tickMs = Math.max(10, Math.min(maxTickMs, limits.keepAliveMs / 3, limits.sessionIdleMs / 3));
    this.#ticker = setInterval(() => this.#tick(), tickMs);
    this.#ticker.unref();
  }

  handle(request: IncomingMessage, response: ServerResponse, caller: HttpCaller): void {
    const exchange: HttpExchange = { request, response, caller };
    if (request.method === 'POST') return this.#post(exchange);
    if (request.method === 'GET' && !isModernHeader(request)) return this.#listen(exchange);
    if (request.method === 'DELETE' && !isModernHeader(request)) return this.#endSession(exchange);
    refuse(response, 405, 'Method not allowed', ['allow', isModernHeader(request) ? 'POST' : 'GET, POST, DELETE']);
  }

  publish(method: string, params: JsonObject, isFor?: (client: ConnectedClient) => boolean): void {
    this.#modern.publish(method, params, isFor);
    let text: string | undefined;
    const isListChange = listChanges.has(method);
    for (const session of this.#sessions.values())
      if (session.legacy.wants(method, params, isFor !== undefined) && (isFor?.(session.legacy.client) ?? true))
        session.publish((text ??= notificationText(method, params)), isListChange);
  }

  status(): TransportStatus {
    return {
      sessions: this.#sessions.size,
      subscriptions: this.#modern.subscriptions,
      requestsInFlight: this.#registry.running.size,
    };
  }

  retain(isKnown: (principal: string | undefined) => boolean): void {
    this.#sessions.endAll('The access of the client has ended', ({ principal }) => !isKnown(principal));
  }

  close(limitMs: number): Promise<void> {
    return (this.#closing ??= this.#close(limitMs));
  }

  async #close(limitMs: number): Promise<void> {
    await this.#registry.close(limitMs);
    this.#modern.finishListeners();
    this.#sessions.endAll('The server is closing');
    clearInterval(this.#ticker);
  }

  #tick(): void {
    const nowMs = performance.now();
    for (const request of this.#registry.running) request.tick(nowMs);
    this.#modern.tick(nowMs);
    this.#sessions.tick(nowMs);
  }

  #post(exchange: HttpExchange): void {
    const { request, response } = exchange;
    const { bodyBytes } = this.#limits;
    const { headers } = request;
    const accepted = acceptedTypes(headers.accept);
    const refuseBody = (status: number, message: string): void => {
      dropBody(request, bodyBytes);
      refuse(response, status, message);
    };
    if (!isJsonBody(headers['content-type'])) return refuseBody(415, 'Unsupported media type: the body must be application/json');
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') return refuseBody(415, 'Unsupported content encoding');
    if (!accepted.json && !accepted.events) return refuseBody(406, 'Not acceptable: answers are application/json or text/event-stream');
    readBody(request, bodyBytes, (body) => {
      if (body === undefined) return refuse(response, 413, `Too large: a body may have at most ${bodyBytes} bytes`);
      const text = isUtf8(body) ? body.toString() : undefined;
      const { depth } = this.#limits;
      if (text === undefined || text.length < largeJsonChars)
        this.#takeSafely(text === undefined ? notUtf8 : parseMessage(text, depth), exchange, accepted);
      else void parseLargeMessage(text, depth).then((incoming) => this.#takeSafely(incoming, exchange, accepted));
    });
  }

  #takeSafely(incoming: Incoming, exchange: HttpExchange, accepted: AcceptedTypes): void {
    // The client may have disconnected while its message was parsed.
    if (exchange.response.destroyed) return;
    try {
      this.#take(incoming, exchange, accepted);
    } catch (error) {
      sendError(exchange.response, 500, errorBody(error, this.#registry.onFault));
    }
  }

  #take(incoming: Incoming, { request, response, caller }: HttpExchange, accepted: AcceptedTypes): void {
    if (incoming.kind === 'fault') return sendError(response, 400, incoming.error, incoming.id);
    if (!isModernPost(incoming, request)) return this.#legacy.take(incoming, request, response, caller, accepted);
    if (incoming.kind === 'request') return this.#modern.take(incoming, request, response, caller, accepted);
    if (incoming.kind === 'notification') return sendNothing(response, 202);
    refuse(response, 400, 'Invalid request: the body must be one request or one notification');
  }

  #listen({ request, response, caller }: HttpExchange): void {
    if (!acceptedTypes(request.headers.accept).events) return refuse(response, 406, 'Not acceptable: the answer is text/event-stream');
    if (request.headers['mcp-session-id'] === undefined)
      return refuse(response, 405, 'Method not allowed: a stream requires a session; send initialize first', ['allow', 'POST']);
    const session = sessionOf(this.#sessions, request, response, caller);
    if (session === undefined) return;
    if (this.#registry.isClosing) return refuse(response, 503, 'The server is closing');
    session.use(caller);
    const lastEventId = request.headers['last-event-id'];
    const place = typeof lastEventId === 'string' ? readEventId(lastEventId) : undefined;
    const isForeign = place !== undefined && place.epoch !== session.epoch;
    if (isForeign && place.requestId !== undefined) return endLostStream(response, place.requestId);
    const from = isForeign ? undefined : place;
    const stream = from === undefined ? session.standalone : session.stream(from.stream);
    if (stream === undefined || (isForeign && place.stream !== 0))
      return refuse(response, 400, 'Invalid request: the events of this stream are no longer available');
    const connection = new EventStreamWriter(response, []);
    response.flushHeaders();
    response.on('close', () => {
      stream.disconnect(connection);
      session.use();
    });
    stream.connect(connection, from?.event);
  }

  #endSession({ request, response, caller }: HttpExchange): void {
    const session = sessionOf(this.#sessions, request, response, caller);
    if (session === undefined) return;
    this.#sessions.endByClient(session);
    sendNothing(response, 204);
  }
}

interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: HttpCaller;
}

/** The request ran in another process, which may be gone: its client would wait for the answer until its own time limit. */
function endLostStream(response: ServerResponse, requestId: RequestId): void {
  const stream = new EventStreamWriter(response, []);
  stream.send(
    errorText(requestId, {
      code: rpcCodes.internalError,
      message:
        'The answer to this request was lost: the server was restarted, or another one took over. The request may have taken effect.',
    }),
  );
  stream.end();
}

const notUtf8: Incoming = { kind: 'fault', id: null, error: { code: rpcCodes.parseError, message: 'Parse error: not UTF-8' } };

function isModernHeader({ headers }: IncomingMessage): boolean {
  const version = headers['mcp-protocol-version'];
  return version !== undefined && !legacyVersions.includes(version as string) && headers['mcp-session-id'] === undefined;
}

function isModernPost(incoming: Incoming, request: IncomingMessage): boolean {
  if (incoming.kind !== 'request') return isModernHeader(request);
  return isModern(incoming.params) || incoming.method === 'server/discover' || isModernHeader(request);
}
