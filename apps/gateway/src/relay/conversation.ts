/**
 * Owns one request of a modern client to a legacy server: the server asks in the middle of the request, the client gets the
 * question as the result of its request and answers with the next one.
 *
 * Invariants
 * 1. The waiting request gets the next event: questions, or the end.
 * 2. A question is answered once: by the client, or with an error when the conversation is dropped.
 */
import { type ClientRequest, isJsonObject, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { canAnswer } from './client-capabilities.ts';

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

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

export function beginConversation(first: ClientRequest, send: (options: ConversationOptions) => Promise<JsonObject>): Conversation {
  const controller = new AbortController();
  const questions = new Map<string, Question>();
  let current = first;
  let asked = 0;
  let wake = (): void => {};

  const onRequest = (method: string, params: JsonObject): Promise<JsonObject> => {
    if (!canAnswer(first.client, method, params))
      return Promise.reject(rpcError(rpcCodes.methodNotFound, `The client cannot answer ${method}`));
    return new Promise((resolve, reject) => {
      questions.set(`question-${++asked}`, { method, params, resolve, reject });
      wake();
    });
  };
  const drop = (reason: unknown): void => {
    for (const { reject } of questions.values()) reject(rpcError(rpcCodes.internalError, 'The client did not answer'));
    questions.clear();
    controller.abort(reason);
  };
  const answer = (answers: unknown): void => {
    if (!isJsonObject(answers)) return;
    for (const [key, { resolve }] of questions) {
      const given = Object.hasOwn(answers, key) ? answers[key] : undefined;
      if (!isJsonObject(given)) continue;
      questions.delete(key);
      resolve(given);
    }
  };
  const inputRequests = (): JsonObject => Object.fromEntries([...questions].map(([key, { method, params }]) => [key, { method, params }]));

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
        const question = new Promise<undefined>((resolve) => {
          wake = () => resolve(undefined);
        });
        if (questions.size > 0) wake();
        const result = await Promise.race([ended, question]);
        return result ?? { resultType: 'input_required', inputRequests: inputRequests(), requestState: wait() };
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}
