/**
 * Owns the open requests to a legacy client.
 *
 * Invariants
 * 1. Every request settles: with the answer, with a signal (then the client is notified), or at the end of the client.
 */
import { type JsonObject, type RequestId, rpcCodes, rpcError } from '../message.ts';
import type { IncomingResponse } from './parse-message.ts';
import { notificationText, requestText } from './serialize-message.ts';

interface PendingClientRequest {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (reason: unknown) => void;
  readonly removeListeners: () => void;
}

export class ClientRequests {
  readonly #questions = new Map<RequestId, PendingClientRequest>();
  readonly #prefix: string | undefined;
  #lastId = 0;
  #isOver = false;

  /** @param prefix of the ids; without it they are numbers */
  constructor(prefix?: string) {
    this.#prefix = prefix;
  }

  ask(send: (text: string) => void, method: string, params: JsonObject, signals: readonly AbortSignal[]): Promise<JsonObject> {
    if (this.#isOver) return Promise.reject(clientDisconnected());
    const aborted = signals.find((signal) => signal.aborted);
    if (aborted !== undefined) return Promise.reject(aborted.reason as Error);
    const number = ++this.#lastId;
    const id = this.#prefix === undefined ? number : `${this.#prefix}-${number}`;
    return new Promise((resolve, reject) => {
      const onAbort = (event: Event): void => {
        this.#take(id)?.reject((event.target as AbortSignal).reason);
        send(notificationText('notifications/cancelled', { requestId: id }));
      };
      const removeListeners = (): void => signals.forEach((signal) => signal.removeEventListener('abort', onAbort));
      signals.forEach((signal) => signal.addEventListener('abort', onAbort));
      this.#questions.set(id, { resolve, reject, removeListeners });
      send(requestText(id, method, params));
    });
  }

  /** Ignores an answer to an unknown request: it may have been cancelled. */
  answer({ id, result, error }: IncomingResponse): void {
    const question = this.#take(id);
    if (error !== undefined) question?.reject(rpcError(error.code, error.message, error.data));
    else if (result !== undefined) question?.resolve(result);
  }

  end(): void {
    this.#isOver = true;
    for (const id of this.#questions.keys()) this.#take(id)?.reject(clientDisconnected());
  }

  #take(id: RequestId): PendingClientRequest | undefined {
    const question = this.#questions.get(id);
    this.#questions.delete(id);
    question?.removeListeners();
    return question;
  }
}

const clientDisconnected = (): Error => rpcError(rpcCodes.internalError, 'The client has disconnected');
