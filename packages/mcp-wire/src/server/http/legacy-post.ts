/**
 * Owns the messages a legacy client posts: `initialize`, requests, notifications, responses, and batches in the one version that has them.
 *
 * Invariants
 * 1. A request without a session is answered, if it needs none: it ends with its connection, and its client cannot be asked.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { legacyVersions } from '../../era.ts';
import { rpcCodes, type RpcErrorBody } from '../../message.ts';
import { batchVersion, maxBatch } from '../batch.ts';
import type { RequestRegistry } from '../request-registry.ts';
import { type Incoming, type IncomingRequest, checkMessage } from '../parse-message.ts';
import { answerText, errorText } from '../serialize-message.ts';
import type { ResponseSink } from '../response-sink.ts';
import { cancelledError, RunningRequest } from '../running-request.ts';
import type { AcceptedTypes } from './content-negotiation.ts';
import { type HeaderList, noHeaders, refuse, sendError, sendJson, sendNothing } from './responses.ts';
import { LegacyExchange } from './legacy-exchange.ts';
import type { HttpCaller, HttpTransportLimits } from './http-options.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

const sessionHeader = 'mcp-session-id';

export class LegacyPost {
  readonly #registry: RequestRegistry;
  readonly #sessions: Sessions;
  readonly #limits: HttpTransportLimits;

  constructor(registry: RequestRegistry, sessions: Sessions, limits: HttpTransportLimits) {
    this.#registry = registry;
    this.#sessions = sessions;
    this.#limits = limits;
  }

  take(
    incoming: Exclude<Incoming, { readonly kind: 'fault' }>,
    request: IncomingMessage,
    response: ServerResponse,
    caller: HttpCaller,
    accepted: AcceptedTypes,
  ): void {
    if (incoming.kind === 'request' && incoming.method === 'initialize') return this.#initialize(incoming, response, caller, accepted);
    if (request.headers[sessionHeader] === undefined && incoming.kind !== 'batch' && incoming.kind !== 'response')
      return this.#takeAlone(incoming, request, response, caller, accepted);
    const session = sessionOf(this.#sessions, request, response, caller);
    if (session === undefined) return;
    session.use(caller);
    const { legacy } = session;
    switch (incoming.kind) {
      case 'notification':
        legacy.handleNotification(incoming.method, incoming.params);
        return sendNothing(response, 202);
      case 'response':
        legacy.clientRequests.answer(incoming);
        return sendNothing(response, 202);
      case 'batch':
        return this.#batch(session, incoming.items, response);
      case 'request':
        return this.#request(session, incoming, response, accepted, noHeaders);
    }
  }

  #initialize(incoming: IncomingRequest, response: ServerResponse, caller: HttpCaller, accepted: AcceptedTypes): void {
    const refusal = this.#registry.refusalReason(caller.principal);
    if (refusal !== undefined) return busy(response, refusal, incoming);
    const session = this.#sessions.open(incoming.params, caller);
    if (session === undefined) return busy(response, noRoom, incoming);
    const initialized = session.legacy.initializeResult();
    const run = this.#run(session, incoming, response, accepted, [sessionHeader, session.id]);
    run.settleWith(initialized);
    initialized.catch(() => this.#sessions.end(session, 'The handshake failed'));
  }

  #request(session: Session, incoming: IncomingRequest, response: ServerResponse, accepted: AcceptedTypes, headers: HeaderList): void {
    const refusal = this.#registry.refusalReason(session.principal);
    if (refusal !== undefined) return busy(response, refusal, incoming);
    if (session.legacy.running.has(incoming.id)) return sendError(response, 400, idInUse, incoming.id);
    const run = this.#run(session, incoming, response, accepted, headers);
    run.settleWith(session.legacy.perform(run));
  }

  /** A message of a client without a session. */
  #takeAlone(
    incoming: Extract<Incoming, { readonly kind: 'request' | 'notification' }>,
    request: IncomingMessage,
    response: ServerResponse,
    caller: HttpCaller,
    accepted: AcceptedTypes,
  ): void {
    const version = request.headers['mcp-protocol-version'];
    if (version !== undefined && !legacyVersions.includes(version as string)) return refuse(response, 400, unsupportedVersion);
    if (incoming.kind === 'notification') return sendNothing(response, 202);
    if (needsSession.has(incoming.method))
      return refuse(response, 400, `Invalid request: ${incoming.method} requires a session; ${initializeFirst}`);
    const refusal = this.#registry.refusalReason(caller.principal);
    if (refusal !== undefined) return busy(response, refusal, incoming);
    const session = this.#sessions.transient(version as string | undefined, caller);
    response.on('close', () => session.end('The client has closed the connection'));
    const run = this.#run(session, incoming, response, accepted, noHeaders);
    run.settleWith(session.legacy.perform(run));
  }

  #run(
    session: Session,
    incoming: IncomingRequest,
    response: ServerResponse,
    accepted: AcceptedTypes,
    headers: HeaderList,
  ): RunningRequest {
    const { keepAliveMs } = this.#limits;
    const { legacy } = session;
    const exchange = new LegacyExchange({
      id: incoming.id,
      response,
      session,
      accepted,
      headers,
      isResumable: session.id !== '',
      keepAliveMs,
      onFault: this.#registry.onFault,
    });
    return new RunningRequest(this.#registry, incoming, legacy.client, legacy.level, exchange, legacy.running);
  }

  /** Answers with one list; messages that precede the answers go to the session's standalone stream. */
  #batch(session: Session, items: readonly unknown[], response: ServerResponse): void {
    const { legacy, standalone } = session;
    if (legacy.client.protocolVersion !== batchVersion)
      return refuse(response, 400, `Invalid request: batches are only supported in version ${batchVersion}`);
    if (items.length === 0 || items.length > maxBatch)
      return refuse(response, 400, `Invalid request: a batch must have 1 to ${maxBatch} messages`);
    const messages = items.map(checkMessage);
    const answers: string[] = [];
    let awaited = messages.filter(({ kind }) => kind === 'request' || kind === 'fault').length;
    if (awaited === 0) sendNothing(response, 202);
    const writeMessage = (text: string): void => {
      answers.push(text);
      if (--awaited === 0) sendJson(response, 200, `[${answers.join(',')}]`);
    };
    for (const message of messages) {
      if (message.kind === 'notification') legacy.handleNotification(message.method, message.params);
      else if (message.kind === 'response') legacy.clientRequests.answer(message);
      else if (message.kind === 'fault') writeMessage(errorText(message.id, message.error));
      else {
        const { id } = message;
        const refusal = this.#registry.refusalReason(session.principal) ?? (legacy.running.has(id) ? idInUse : undefined);
        if (refusal !== undefined) {
          writeMessage(errorText(id, { code: refusal.code, message: refusal.message }));
          continue;
        }
        const sink: ResponseSink = {
          send: (text) => void standalone.send(text),
          ask: (method, params, signals) => legacy.clientRequests.ask((text) => void standalone.send(text), method, params, signals),
          end: (answer) => writeMessage(answerText(id, answer ?? { error: cancelledError() }, this.#registry.onFault)),
        };
        const run = new RunningRequest(this.#registry, message, legacy.client, legacy.level, sink, legacy.running);
        run.settleWith(legacy.perform(run));
      }
    }
  }
}

/** Methods whose effect is on a session. */
const needsSession: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel']);
const initializeFirst = 'send initialize first';
const unsupportedVersion = 'Invalid request: unsupported MCP-Protocol-Version';
const noRoom: RpcErrorBody = { code: rpcCodes.internalError, message: 'The server is busy: too many sessions are in use' };
const idInUse: RpcErrorBody = { code: rpcCodes.invalidRequest, message: 'Invalid request: a request with this id is already running' };

export const busy = (response: ServerResponse, { code, message }: RpcErrorBody, { id }: IncomingRequest): void =>
  sendError(response, 503, { code, message }, id, ['retry-after', '1']);

/** Returns the session a request names, or refuses the request and returns `undefined`. */
export function sessionOf(sessions: Sessions, request: IncomingMessage, response: ServerResponse, caller: HttpCaller): Session | undefined {
  const id = request.headers[sessionHeader];
  const version = request.headers['mcp-protocol-version'];
  if (typeof id !== 'string') {
    refuse(response, 400, `Invalid request: Mcp-Session-Id is missing; ${initializeFirst}`);
    return undefined;
  }
  if (version !== undefined && !legacyVersions.includes(version as string)) {
    refuse(response, 400, unsupportedVersion);
    return undefined;
  }
  const session = sessions.find(id, caller);
  if (session === undefined) sendError(response, 404, { code: rpcCodes.sessionNotFound, message: 'Session not found' });
  else if (session === 'busy') sendError(response, 503, noRoom, null, ['retry-after', '1']);
  else return session;
  return undefined;
}
