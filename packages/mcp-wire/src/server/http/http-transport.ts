/**
 * Owns the life of the HTTP front: which verb and which era a request is of, its clock, and its end.
 *
 * Invariants
 * 1. Every request is answered, whatever it is: what cannot be read is refused before it is looked at further.
 * 2. When closing, what runs is answered first, then streams and sessions end.
 */
import { type Buffer, isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { legacyVersions } from '../../era.ts';
import { rpcCodes } from '../../message.ts';
import { RequestRegistry } from '../request-registry.ts';
import type { ServerFace } from '../handler.ts';
import { type Incoming, parseMessage } from '../parse-message.ts';
import { listChanges } from '../legacy-client.ts';
import { isModern } from '../modern-requests.ts';
import { errorBody, notificationText } from '../serialize-message.ts';
import { type AcceptedTypes, acceptedTypes, isJsonBody } from './content-negotiation.ts';
import { refuse, sendError, sendNothing } from './responses.ts';
import { dropBody, readBody } from './read-body.ts';
import { EventStreamWriter } from './event-stream-writer.ts';
import { LegacyPost, sessionOf } from './legacy-post.ts';
import { ModernPost } from './modern-post.ts';
import { defaultHttpFrontLimits, type HttpCaller, type HttpFront, type HttpFrontLimits, type HttpFrontOptions } from './http-options.ts';
import { readEventId } from './session-stream.ts';
import { Sessions } from './sessions.ts';

const longestTickMs = 5000;

/** Speaks Streamable HTTP for a face, in both eras at one endpoint. */
export function httpFront(face: ServerFace, options: HttpFrontOptions = {}): HttpFront {
  const limits: HttpFrontLimits = { ...defaultHttpFrontLimits, ...options.limits };
  const desk = new RequestRegistry(face, limits.inFlight, options.onFault);
  const sessions = new Sessions(desk, limits);
  const legacy = new LegacyPost(desk, sessions, limits);
  const modern = new ModernPost(desk, limits);

  const clock = setInterval(
    () => {
      const nowMs = Date.now();
      for (const request of desk.running) request.tick(nowMs);
      modern.tick(nowMs);
      sessions.tick(nowMs);
    },
    Math.max(10, Math.min(longestTickMs, limits.keepAliveMs / 3, limits.sessionIdleMs / 3)),
  );
  clock.unref();

  function post(request: IncomingMessage, response: ServerResponse, principal: string | undefined): void {
    const { headers } = request;
    const accepted = acceptedTypes(headers.accept);
    const refused = (status: number, message: string): void => {
      dropBody(request, limits.bodyBytes);
      refuse(response, status, message);
    };
    if (!isJsonBody(headers['content-type'])) return refused(415, 'Unsupported media type: the body is application/json');
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') return refused(415, 'Unsupported content encoding');
    if (!accepted.json && !accepted.events) return refused(406, 'Not acceptable: answers are application/json or text/event-stream');
    readBody(request, limits.bodyBytes, (body) => {
      if (body === undefined) return refuse(response, 413, `Too large: a body has at most ${limits.bodyBytes} bytes`);
      try {
        take(body, request, response, principal, accepted);
      } catch (error) {
        sendError(response, 500, errorBody(error, desk.onFault));
      }
    });
  }

  function take(
    body: Buffer,
    request: IncomingMessage,
    response: ServerResponse,
    principal: string | undefined,
    accepted: AcceptedTypes,
  ): void {
    const incoming = isUtf8(body) ? parseMessage(body.toString(), limits.depth) : notUtf8;
    if (incoming.kind === 'fault') return sendError(response, 400, incoming.error, incoming.id);
    if (!isModernPost(incoming, request)) return legacy.take(incoming, request, response, principal, accepted);
    if (incoming.kind === 'request') return modern.take(incoming, request, response, principal, accepted);
    if (incoming.kind === 'notification') return sendNothing(response, 202);
    refuse(response, 400, 'Invalid request: a body is one request or one notification');
  }

  function listen(request: IncomingMessage, response: ServerResponse, principal: string | undefined): void {
    if (!acceptedTypes(request.headers.accept).events)
      return refuse(response, 406, 'Not acceptable: the answer is a stream of text/event-stream');
    const session = sessionOf(sessions, request, response, principal);
    if (session === undefined) return;
    if (desk.isClosing) return refuse(response, 503, 'The server is closing');
    session.use();
    const lastEventId = request.headers['last-event-id'];
    const from = typeof lastEventId === 'string' ? readEventId(lastEventId) : undefined;
    const stream = from === undefined ? session.standalone : session.stream(from.stream);
    if (stream === undefined) return refuse(response, 400, 'Invalid request: the events of this stream are not kept any more');
    const connection = new EventStreamWriter(response, []);
    response.flushHeaders();
    response.on('close', () => {
      stream.disconnect(connection);
      session.use();
    });
    stream.connect(connection, from?.event);
  }

  function end(request: IncomingMessage, response: ServerResponse, principal: string | undefined): void {
    const session = sessionOf(sessions, request, response, principal);
    if (session === undefined) return;
    sessions.end(session, 'The client has ended the session');
    sendNothing(response, 204);
  }

  let closing: Promise<void> | undefined;
  async function close(limitMs: number): Promise<void> {
    await desk.close(limitMs);
    modern.finishListeners();
    sessions.endAll('The server is closing');
    clearInterval(clock);
  }

  return {
    handle(request: IncomingMessage, response: ServerResponse, { principal }: HttpCaller): void {
      if (request.method === 'POST') return post(request, response, principal);
      if (request.method === 'GET' && !isModernHeader(request)) return listen(request, response, principal);
      if (request.method === 'DELETE' && !isModernHeader(request)) return end(request, response, principal);
      refuse(response, 405, 'Method not allowed', ['allow', isModernHeader(request) ? 'POST' : 'GET, POST, DELETE']);
    },
    publish(method, params): void {
      modern.publish(method, params);
      let text: string | undefined;
      const isListChange = listChanges.has(method);
      for (const session of sessions.values())
        if (session.legacy.wants(method, params)) session.publish((text ??= notificationText(method, params)), isListChange);
    },
    status: () => ({ sessions: sessions.size, subscriptions: modern.subscriptions, requestsInFlight: desk.running.size }),
    close: (limitMs) => (closing ??= close(limitMs)),
  };
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
