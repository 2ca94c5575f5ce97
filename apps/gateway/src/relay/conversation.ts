/**
 * Owns one request of a modern client to a legacy server: the server asks in the middle of the request, the client gets the
 * question as the result of its request and answers with the next one.
 *
 * Invariant: the waiting request gets the next event: questions, or the end.
 */
import { type ClientRequest, isJsonObject, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { canAnswer } from './client-capabilities.ts';
import { Questions } from './questions.ts';

export interface Conversation {
  readonly client: ClientRequest['client'];
  /** Resolves with the result, or with questions under the handle that `wait` returns. */
  advance(request: ClientRequest, answers: unknown, wait: () => string): Promise<JsonObject>;
  drop(reason: unknown): void;
}

/** The options for the request to the server. */
export interface ConversationOptions {
  readonly signal: AbortSignal;
  readonly onRequest: (method: string, params: JsonObject) => Promise<JsonObject>;
  /** Returns the client's current request, or its last one. */
  readonly current: () => ClientRequest;
}

export function beginConversation(first: ClientRequest, send: (options: ConversationOptions) => Promise<JsonObject>): Conversation {
  const controller = new AbortController();
  const questions = new Questions();
  let current = first;

  const onRequest = (method: string, params: JsonObject): Promise<JsonObject> =>
    canAnswer(first.client, method, params)
      ? questions.ask(method, params)
      : Promise.reject(rpcError(rpcCodes.methodNotFound, `The client cannot answer ${method}`));
  const drop = (reason: unknown): void => {
    questions.drop('The client did not answer');
    controller.abort(reason);
  };
  const answer = (answers: unknown): void => {
    if (!isJsonObject(answers)) return;
    questions.answer((key) => {
      const given = Object.hasOwn(answers, key) ? answers[key] : undefined;
      return isJsonObject(given) ? { result: given } : undefined;
    });
  };

  const ended = send({ signal: controller.signal, onRequest, current: () => current });
  // It may end while it is suspended.
  ended.catch(() => {});

  return {
    client: first.client,
    drop,
    async advance(request, answers, wait) {
      current = request;
      answer(answers);
      const { signal } = request;
      const onAbort = (): void => drop(signal.reason);
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        const result = await Promise.race([ended, questions.arrival().then(() => undefined)]);
        return result ?? { resultType: 'input_required', inputRequests: questions.inputRequests, requestState: wait() };
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}
