/**
 * Owns the questions that a server asks during one request of a client.
 *
 * Invariant: a question is answered once: by the client, or with an error when the request is dropped.
 */
import { type JsonObject, rpcCodes, rpcError, type RpcError } from '@holdfast/mcp-wire/server';

/** A client's answer to a question of a server. */
export type InputAnswer = { readonly result: JsonObject } | { readonly refusal: RpcError };

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

export class Questions {
  readonly #open = new Map<string, Question>();
  #asked = 0;
  #wake = (): void => {};

  /** Resolves with the answer. */
  ask(method: string, params: JsonObject): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      this.#open.set(`question-${++this.#asked}`, { method, params, resolve, reject });
      this.#wake();
    });
  }

  /** Resolves as soon as there is an open question. */
  arrival(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#open.size > 0) resolve();
      else this.#wake = resolve;
    });
  }

  /** The open questions, in the form of the modern era. */
  get inputRequests(): JsonObject {
    return Object.fromEntries([...this.#open].map(([key, { method, params }]) => [key, { method, params }]));
  }

  /** `answerOf` returns `undefined` for a question that stays open. */
  answer(answerOf: (key: string) => InputAnswer | undefined): void {
    for (const [key, question] of this.#open) {
      const answer = answerOf(key);
      if (answer === undefined) continue;
      this.#open.delete(key);
      if ('result' in answer) question.resolve(answer.result);
      else question.reject(answer.refusal);
    }
  }

  drop(message: string): void {
    for (const { reject } of this.#open.values()) reject(rpcError(rpcCodes.internalError, message));
    this.#open.clear();
  }

  /** Forgets the open questions of a request that has ended. */
  clear(): void {
    this.#open.clear();
  }
}
