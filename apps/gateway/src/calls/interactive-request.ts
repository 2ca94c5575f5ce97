/**
 * Owns one request to a server that may ask the client questions. It can outlive the request of the client.
 *
 * Invariant: an attempt waits for it, or it is suspended; the attempt gets the next event: questions or the end.
 */
import type { AttemptContext } from '@holdfast/core';
import { type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { canAnswer, neededCapability } from '../relay/client-capabilities.ts';
import { type InputAnswer, Questions } from '../relay/questions.ts';
import type { Exchange } from './exchange.ts';

export type InteractiveEvent = { readonly type: 'ended'; readonly result: JsonObject } | { readonly type: 'asked' };

export class InteractiveRequest {
  readonly #controller = new AbortController();
  readonly #questions = new Questions();
  #ended: Promise<JsonObject> | undefined;
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
    return this.#questions.ask(method, params);
  };

  /** Waits for the end or a question. Aborting cancels the request at the server. */
  async next(signal: AbortSignal): Promise<InteractiveEvent> {
    const abort = (): void => this.cancel(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      const asked = this.#questions.arrival().then((): InteractiveEvent => ({ type: 'asked' }));
      const ended = (this.#ended ?? Promise.reject(new Error('not started'))).then((result): InteractiveEvent => ({
        type: 'ended',
        result,
      }));
      return await Promise.race([asked, ended]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** The server's questions, in the form of the modern era. */
  get inputRequests(): JsonObject {
    return this.#questions.inputRequests;
  }

  /** Ignores answers to unknown questions. */
  answer(answers: Readonly<Record<string, InputAnswer>>): void {
    this.#questions.answer((key) => (Object.hasOwn(answers, key) ? answers[key] : undefined));
  }

  cancel(reason: unknown): void {
    this.#questions.drop('The client has disconnected');
    this.#controller.abort(reason);
  }
}
