/**
 * Owns handing one client's request to one server: progress, notifications and questions on their way back.
 *
 * Invariants
 * 1. What the server sends belongs to this request goes to this client alone.
 * 2. A legacy client is asked what a modern server wants to know, a bounded number of times; a modern one gets the question as the result.
 */
import { type FaceRequest, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import type { Upstream } from '../upstreams/upstream.ts';
import type { Ask, AskOptions } from './ask.ts';
import { askClient } from './ask-client.ts';
import { type AskClient, answerInputs, isInputRequired } from './inputs.ts';
import type { LogNames } from './log-names.ts';

export type Forward = (request: FaceRequest, upstream: Upstream, params: JsonObject, options?: ForwardOptions) => Promise<JsonObject>;

export type ForwardOptions = Pick<AskOptions, 'isRead' | 'limitMs'>;

export interface ForwardSettings {
  readonly ask: Ask;
  readonly logNames: LogNames;
  /** How long a client may take to answer a question. */
  readonly inputMs: () => number;
}

/** A server that still asks after this many answers will not end. */
const mostRounds = 16;

export function createForward({ ask, logNames, inputMs }: ForwardSettings): Forward {
  return async (request, upstream, params, options) => {
    const { client, method } = request;
    const askThis: AskClient = (asked, what) => askClient(request, asked, what, inputMs(), request.signal);
    const askOptions: AskOptions = {
      ...options,
      signal: request.signal,
      clientInfo: client.info,
      clientCapabilities: client.capabilities,
      logLevel: request.logLevel,
      onRequest: askThis,
      onNotification: (name, told) => request.notify(name, logNames.told(upstream, name, told)),
      ...(request.wantsProgress ? { onProgress: (progress: JsonObject) => request.reportProgress(progress) } : {}),
    };
    let result = await ask(upstream, method, params, askOptions);
    for (let round = 1; client.era === 'legacy' && isInputRequired(result); round++) {
      if (round > mostRounds)
        throw rpcError(rpcCodes.internalError, `MCP server ${upstream.name} asked ${mostRounds} times and did not answer`);
      result = await ask(upstream, method, { ...params, ...(await answerInputs(result, askThis)) }, askOptions);
    }
    return result;
  };
}
