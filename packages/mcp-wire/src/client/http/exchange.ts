/**
 * Owns one HTTP request and the messages of its response, which is a JSON document or a stream of events.
 *
 * Invariants
 * 1. `end` is called once, after the last message; nothing is called after `abort`.
 * 2. A body or event over the limit is dropped, and its connection is closed.
 */
import type { Dispatcher } from 'undici';
import type { JsonObject } from '../../message.ts';
import { MessageQueue } from '../message-queue.ts';
import { TextParts } from '../text-parts.ts';
import { tooLarge, wireError } from '../wire-error.ts';
import { eventStreamReader } from './event-stream-reader.ts';

/** Headers of a response by name, in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface ExchangeListener {
  /** Called when the response has started. */
  readonly began: (status: number, headers: ResponseHeaders) => void;
  readonly message: (message: JsonObject) => void;
  readonly eventId: (id: string) => void;
  readonly retry: (ms: number) => void;
  /** `error`: why the response is incomplete or invalid. */
  readonly end: (response: EndedResponse, error: Error | undefined) => void;
}

export interface EndedResponse {
  /** Whether the request has been given to a connection: if not, the server has not seen it. */
  readonly wasSent: boolean;
  /** 0 without a response. */
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly isEventStream: boolean;
  /** Body of a response that is not a stream; truncated for an error status. */
  readonly body: string;
}

/** How much of the body of an error is kept. */
const keptErrorBytes = 64 * 1024;

export class Exchange implements Dispatcher.DispatchHandler {
  readonly #listener: ExchangeListener;
  readonly #maxBytes: number;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #wasSent = false;
  #status = 0;
  #headers: ResponseHeaders = {};
  #body = new TextParts();
  #size = 0;
  #read: ((chunk: Buffer) => void) | undefined;
  readonly #messages = new MessageQueue({
    pause: () => this.#controller?.pause(),
    resume: () => this.#controller?.resume(),
  });

  constructor(listener: ExchangeListener, maxBytes: number) {
    this.#listener = listener;
    this.#maxBytes = maxBytes;
  }

  /** Closes the connection without calling the listener. */
  abort(): void {
    this.#isOver = true;
    this.#body = new TextParts();
    this.#controller?.abort(closed);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) return controller.abort(closed);
    this.#wasSent = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200 || this.#isOver) return;
    this.#status = status;
    this.#headers = headers;
    this.#listener.began(status, headers);
    const isStream =
      status === 200 &&
      String(headers['content-type'] ?? '')
        .trimStart()
        .toLowerCase()
        .startsWith('text/event-stream');
    if (isStream) this.#read = eventStreamReader(this.#maxBytes, this.#events());
    else if (status < 300 && Number(headers['content-length'] ?? 0) > this.#maxBytes) this.#finish(tooLarge(this.#maxBytes));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    this.#messages.begin();
    if (this.#read !== undefined) return this.#read(chunk);
    const isError = this.#status >= 300;
    if (isError && this.#size >= keptErrorBytes) return;
    this.#size += chunk.length;
    if (!isError && this.#size > this.#maxBytes) return this.#finish(tooLarge(this.#maxBytes));
    this.#body.add(chunk);
  }

  onResponseEnd(): void {
    this.#finish(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish(error);
  }

  #events(): Parameters<typeof eventStreamReader>[1] {
    return {
      event: (data, type) => {
        if (type === 'message' && !this.#isOver) this.#messages.add(data, { message: this.#take });
      },
      eventId: (id) => this.#messages.after(() => this.#listener.eventId(id)),
      retry: (ms) => this.#listener.retry(ms),
      tooLong: () => this.#finish(tooLarge(this.#maxBytes)),
    };
  }

  readonly #take = (message: JsonObject): void => {
    if (!this.#isOver) this.#listener.message(message);
  };

  #finish(error: Error | undefined): void {
    if (this.#isOver) return;
    const body = this.#body.end();
    if (error !== undefined) {
      this.#end(body, error);
      return this.abort();
    }
    if (this.#status !== 200 || this.#read !== undefined) return this.#messages.after(() => this.#end(body, undefined));
    const end = (isJson: boolean): void =>
      this.#end(body, isJson || body === '' ? undefined : notJson(body, this.#headers['content-type']));
    this.#messages.add(body, { message: this.#take, end });
  }

  #end(body: string, problem: Error | undefined): void {
    if (this.#isOver) return;
    const isEventStream = this.#read !== undefined;
    const ended: EndedResponse = { wasSent: this.#wasSent, status: this.#status, headers: this.#headers, isEventStream, body };
    this.#isOver = true;
    this.#listener.end(ended, problem);
  }
}

/** Often the page of a login or of a proxy. */
function notJson(body: string, type: string | string[] | undefined): Error {
  const start = body.slice(0, 4096).replaceAll(/\s+/g, ' ').trim().slice(0, 80);
  const isPage = String(type ?? '').includes('html') || /^<(?:!doctype|html)/i.test(start);
  return wireError(
    'INVALID_ANSWER',
    isPage
      ? `The answer is a web page, not MCP: ${start}. The address may lead to a login or to a website: check the url of the server`
      : `The response is not JSON: ${start}`,
  );
}

const closed = new Error('The exchange has ended');
