/**
 * Owns the messages a legacy client posts: `initialize`, requests, notifications, responses, and batches in the one version that has them.
 *
 * Invariants
 * 1. Without a session, only `initialize` is accepted.
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
import type { HttpTransportLimits } from './http-options.ts';
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
    principal: string | undefined,
    accepted: AcceptedTypes,
  ): void {
    if (incoming.kind === 'request' && incoming.method === 'initialize') return this.#initialize(incoming, response, principal, accepted);
    const session = sessionOf(this.#sessions, request, response, principal);
    if (session === undefined) return;
    session.use();
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

  #initialize(incoming: IncomingRequest, response: ServerResponse, principal: string | undefined, accepted: AcceptedTypes): void {
    const refusal = this.#registry.refusalReason();
    if (refusal !== undefined) return busy(response, refusal, incoming);
    const session = this.#sessions.open(incoming.params, principal);
    const { sessions } = this.#limits;
    if (session === undefined)
      return busy(response, { code: rpcCodes.internalError, message: `The server is busy: ${sessions} sessions are in use` }, incoming);
    const initialized = session.legacy.initializeResult();
    const run = this.#run(session, incoming, response, accepted, [sessionHeader, session.id]);
    run.settleWith(initialized);
    initialized.catch(() => this.#sessions.end(session, 'The handshake failed'));
  }

  #request(session: Session, incoming: IncomingRequest, response: ServerResponse, accepted: AcceptedTypes, headers: HeaderList): void {
    const refusal = this.#registry.refusalReason();
    if (refusal !== undefined) return busy(response, refusal, incoming);
    if (session.legacy.running.has(incoming.id)) return sendError(response, 400, idInUse, incoming.id);
    const run = this.#run(session, incoming, response, accepted, headers);
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
        const refusal = this.#registry.refusalReason() ?? (legacy.running.has(id) ? idInUse : undefined);
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

const idInUse: RpcErrorBody = { code: rpcCodes.invalidRequest, message: 'Invalid request: a request with this id is already running' };

export const busy = (response: ServerResponse, { code, message }: RpcErrorBody, { id }: IncomingRequest): void =>
  sendError(response, 503, { code, message }, id, ['retry-after', '1']);

/** Returns the session a request names, or refuses the request and returns `undefined`. */
export function sessionOf(
  sessions: Sessions,
  request: IncomingMessage,
  response: ServerResponse,
  principal: string | undefined,
): Session | undefined {
  const id = request.headers[sessionHeader];
  const version = request.headers['mcp-protocol-version'];
  if (typeof id !== 'string') {
    refuse(response, 400, 'Invalid request: Mcp-Session-Id is missing; send initialize first');
    return undefined;
  }
  if (version !== undefined && !legacyVersions.includes(version as string)) {
    refuse(response, 400, 'Invalid request: unsupported MCP-Protocol-Version');
    return undefined;
  }
  const session = sessions.find(id, principal);
  if (session === undefined) sendError(response, 404, { code: rpcCodes.sessionNotFound, message: 'Session not found' });
  return session;
}
