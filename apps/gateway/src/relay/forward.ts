/**
 * Owns forwarding one client's request to one server, and relaying progress, notifications and questions to the client.
 *
 * Invariants
 * 1. Messages of the server about this request are sent to this client only.
 * 2. A legacy client gets a question as a request, a modern client as the result, whatever the era of the server. The number of rounds is limited.
 */
import { type ClientRequest, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { onBehalfOf } from '../access/on-behalf.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { askClient } from './ask-client.ts';
import type { Ask, AskOptions } from './ask.ts';
import { canAnswer, canBeAsked } from './client-capabilities.ts';
import { beginConversation } from './conversation.ts';
import type { ServerInfo } from './server-info.ts';
import { type AskClient, answerInputs, isInputRequired } from './ask-legacy-client.ts';
import type { LogSenderNames } from './log-sender-names.ts';
import type { RequestLogs } from './request-logs.ts';
import { forwardedParams } from './params.ts';
import { isHandle, type WaitingConversations } from './waiting-conversations.ts';

export type Forward = (request: ClientRequest, upstream: Upstream, params: JsonObject, options?: ForwardOptions) => Promise<JsonObject>;

type ForwardOptions = Pick<AskOptions, 'isRead' | 'limitMs'>;

export interface ForwardSettings {
  readonly ask: Ask;
  readonly serverInfo: ServerInfo;
  readonly logNames: LogSenderNames;
  readonly requestLogs: RequestLogs;
  readonly waiting: WaitingConversations;
  /** How long a client may take to answer a question. */
  readonly inputMs: () => number;
}

/** Maximum rounds of questions in one request. */
const maxRounds = 16;

export function createForward({ ask, serverInfo, logNames, requestLogs, waiting, inputMs }: ForwardSettings): Forward {
  const optionsFor = (current: () => ClientRequest, upstream: Upstream, options: ForwardOptions | undefined): AskOptions => {
    const { client, logLevel, wantsProgress } = current();
    return {
      ...options,
      who: onBehalfOf(client),
      clientInfo: client.info,
      clientCapabilities: client.capabilities,
      logLevel,
      onNotification: (name, sent) => current().notify(name, logNames.withServerName(upstream, name, forwardedParams(sent))),
      ...(wantsProgress ? { onProgress: (progress: JsonObject) => current().reportProgress(progress) } : {}),
    };
  };

  const forLegacy: Forward = async (request, upstream, params, options) => {
    const { client, method, signal } = request;
    const askThis: AskClient = (asked, what) => {
      if (canAnswer(client, asked, what)) return askClient(request, asked, what, inputMs(), signal);
      return Promise.reject(rpcError(rpcCodes.methodNotFound, `The client cannot answer ${asked}`));
    };
    const askOptions: AskOptions = { ...optionsFor(() => request, upstream, options), signal, onRequest: askThis };
    let result = await ask(upstream, method, params, askOptions);
    for (let round = 1; isInputRequired(result); round++) {
      if (round > maxRounds)
        throw rpcError(rpcCodes.internalError, `MCP server ${upstream.name} asked ${maxRounds} times, which is the limit`);
      result = await ask(upstream, method, { ...params, ...(await answerInputs(result, askThis)) }, askOptions);
    }
    return result;
  };

  const forwardInConversation: Forward = (first, upstream, params, options) => {
    const conversation = beginConversation(first, ({ current, ...talk }) =>
      ask(upstream, first.method, params, { ...optionsFor(current, upstream, options), ...talk }),
    );
    return conversation.advance(first, undefined, () => waiting.add(conversation));
  };

  const forModern: Forward = (request, upstream, params, options) => {
    const { client, method, signal } = request;
    const { requestState, inputResponses } = params;
    if (isHandle(requestState)) {
      const conversation = waiting.take(requestState, client.principal);
      if (conversation === undefined)
        return Promise.reject(
          rpcError(rpcCodes.invalidParams, 'The question is no longer open: send the request again without requestState'),
        );
      return conversation.advance(request, inputResponses, () => waiting.add(conversation));
    }
    if (serverInfo.known(upstream)?.era !== 'modern' && canBeAsked(client))
      return forwardInConversation(request, upstream, params, options);
    return ask(upstream, method, params, { ...optionsFor(() => request, upstream, options), signal });
  };

  return (request, upstream, params, options) =>
    requestLogs.during(upstream.name, request, () =>
      request.client.era === 'legacy' ? forLegacy(request, upstream, params, options) : forModern(request, upstream, params, options),
    );
}
