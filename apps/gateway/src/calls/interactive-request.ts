/**
 * Owns one request to a server that may ask the client questions. It can outlive the request of the client.
 *
 * Invariants
 * 1. An attempt waits for it, or it is suspended; the attempt gets the next event: questions or the end.
 * 2. A question is answered once: by the client, or with an error when the request is dropped.
 */
import type { AttemptContext } from '@holdfast/core';
import { type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { canAnswer, neededCapability } from '../relay/client-capabilities.ts';
import type { Exchange, InputAnswer } from './exchange.ts';

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

export type InteractiveEvent = { readonly type: 'ended'; readonly result: JsonObject } | { readonly type: 'asked' };

export class InteractiveRequest {
  readonly #controller = new AbortController();
  readonly #questions = new Map<string, Question>();
  #wake: (() => void) | undefined;
  #ended: Promise<JsonObject> | undefined;
  #asked = 0;
  /** The client's request that waits for this one now. */
  exchange: Exchange;
  context: AttemptContext;

  constructor(exchange: Exchange, context: AttemptContext) {
    this.exchange = exchange;
    this.context = context;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  start(send: () => Promise<JsonObject>): void {
    this.#ended = send();
    // It may end while it is suspended.
    this.#ended.catch(() => undefined).finally(() => this.#questions.clear());
  }

  /** Handles a question of the server. */
  readonly ask = (method: string, params: JsonObject): Promise<JsonObject> => {
    const { client } = this.exchange.request;
    if (!canAnswer(client, method, params)) {
      if (client.era === 'modern') this.exchange.missing = neededCapability(method);
      return Promise.reject(rpcError(rpcCodes.methodNotFound, `The client cannot answer ${method}`));
    }
    return new Promise((resolve, reject) => {
      this.#questions.set(`question-${++this.#asked}`, { method, params, resolve, reject });
      this.#wake?.();
    });
  };

  /** Waits for the end or a question. Aborting cancels the request at the server. */
  async next(signal: AbortSignal): Promise<InteractiveEvent> {
    const abort = (): void => this.cancel(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (this.#questions.size > 0) return { type: 'asked' };
      const asked = new Promise<InteractiveEvent>((resolve) => {
        this.#wake = () => resolve({ type: 'asked' });
      });
      const ended = (this.#ended ?? Promise.reject(new Error('not started'))).then((result): InteractiveEvent => ({
        type: 'ended',
        result,
      }));
      return await Promise.race([ended, asked]);
    } finally {
      this.#wake = undefined;
      signal.removeEventListener('abort', abort);
    }
  }

  /** The server's questions, in the form of the modern era. */
  get inputRequests(): JsonObject {
    return Object.fromEntries([...this.#questions].map(([key, { method, params }]) => [key, { method, params }]));
  }

  /** Ignores answers to unknown questions. */
  answer(answers: Readonly<Record<string, InputAnswer>>): void {
    for (const [key, question] of this.#questions) {
      const answer = Object.hasOwn(answers, key) ? answers[key] : undefined;
      if (answer === undefined) continue;
      this.#questions.delete(key);
      if ('result' in answer) question.resolve(answer.result);
      else question.reject(answer.refusal);
    }
  }

  cancel(reason: unknown): void {
    for (const { reject } of this.#questions.values()) reject(rpcError(rpcCodes.internalError, 'The client has disconnected'));
    this.#questions.clear();
    this.#controller.abort(reason);
  }
}
