/**
 * Owns one reader of a stream: sending content when the client reads, and releasing everything at the end.
 *
 * Invariants
 * 1. Nothing is queued for a reader: it gets more when it reads, of long content one part at a time.
 * 2. The stream ends after the last content, or when the client reads nothing for `slowReaderMs`; then everything is released.
 */
import { Pauses } from '@holdfast/mcp-wire/client';
import type { StreamEnd } from '../../contract.ts';
import type { ApiLimits } from '../parts.ts';

export type CloseReason = NonNullable<StreamEnd['reason']>;

interface Next {
  readonly content: string | Uint8Array<ArrayBuffer> | undefined;
  readonly isEnd: boolean;
}

export interface ReaderOptions {
  readonly limits: Pick<ApiLimits, 'slowReaderMs' | 'heartbeatMs'>;
  /** Sent when there is no content for a while. */
  readonly heartbeat: string | undefined;
  /** Returns the content that is ready. `isEnd`: there will never be more. */
  readonly next: () => Next;
  /** Calls the listener once when there may be more. Returns a function that stops waiting. */
  readonly onMore: (listener: () => void) => () => void;
  /** The last message to a disconnected client, which may reconnect to another gateway. */
  readonly closingMessage: (reason: CloseReason) => string;
  /** Called once, whatever ended the stream. */
  readonly onClose: () => void;
}

/** An open stream. */
export interface OpenStream {
  readonly body: ReadableStream<Uint8Array>;
  disconnect(reason: CloseReason): void;
}

/** What one read gets, in bytes: many readers of megabytes would hold the event loop. */
const partBytes = 16_384;

export class Reader implements OpenStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #options: ReaderOptions;
  readonly #encoder = new TextEncoder();
  #closed = false;
  /** Of content whose beginning is sent. */
  #rest: Uint8Array<ArrayBuffer> | undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves the pending read. */
  #settle: (() => void) | undefined;
  #stopWaiting: (() => void) | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          this.#watch();
        },
        pull: () => this.#pull(),
        cancel: () => this.#close(),
      },
      { highWaterMark: 0 },
    );
  }

  disconnect(reason: CloseReason): void {
    if (this.#closed) return;
    this.#sendRest();
    const text = this.#options.closingMessage(reason);
    if (text !== '') this.#controller?.enqueue(this.#encoder.encode(text));
    this.#controller?.close();
    this.#close();
  }

  /** The client reads: sends content now, or as soon as there is some. */
  #pull(): Promise<void> | undefined {
    clearTimeout(this.#timer);
    if (this.#rest) return this.#sendPart();
    if (this.#give()) return undefined;
    return new Promise((resolve) => {
      this.#settle = resolve;
      const { heartbeat, limits } = this.#options;
      if (heartbeat !== undefined) this.#timer = setTimeout(() => this.#enqueue(heartbeat), limits.heartbeatMs);
      this.#wait();
    });
  }

  #wait(): void {
    this.#stopWaiting = this.#options.onMore(() => {
      if (!this.#give()) this.#wait();
    });
  }

  /** Returns whether there was content to send. */
  #give(): boolean {
    if (this.#closed) return true;
    const { content, isEnd, error } = this.#next();
    if (error !== undefined) {
      this.#controller?.error(error);
      this.#close();
      return true;
    }
    if (content !== undefined && content.length > 0) this.#enqueue(content);
    if (isEnd) {
      this.#sendRest();
      this.#controller?.close();
      this.#close();
    }
    return isEnd || (content !== undefined && content.length > 0);
  }

  /** An error in `next` ends only the stream of this reader. */
  #next(): Next & { readonly error?: unknown } {
    try {
      return this.#options.next();
    } catch (error) {
      return { content: undefined, isEnd: true, error: error ?? new Error('The stream has failed') };
    }
  }

  #enqueue(content: string | Uint8Array<ArrayBuffer>): void {
    if (this.#closed) return;
    const bytes = typeof content === 'string' ? this.#encoder.encode(content) : content;
    this.#rest = bytes.length > partBytes ? bytes.subarray(partBytes) : undefined;
    this.#controller?.enqueue(this.#rest ? bytes.subarray(0, partBytes) : bytes);
    this.#stopWaiting?.();
    clearTimeout(this.#timer);
    this.#watch();
    this.#settle?.();
    this.#settle = undefined;
  }

  /** A socket takes megabytes at once, without a turn of the event loop. */
  async #sendPart(): Promise<void> {
    const pauses = Pauses.ofTurn();
    if (pauses.isDue) await pauses.pause();
    if (this.#rest) this.#enqueue(this.#rest);
  }

  /** A stream does not end within a message. */
  #sendRest(): void {
    if (this.#rest) this.#controller?.enqueue(this.#rest);
    this.#rest = undefined;
  }

  /** Starts the time limit for the client's next read. */
  #watch(): void {
    this.#timer = setTimeout(() => this.disconnect('slow_reader'), this.#options.limits.slowReaderMs);
    this.#timer.unref();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stopWaiting?.();
    this.#settle?.();
    this.#options.onClose();
  }
}
