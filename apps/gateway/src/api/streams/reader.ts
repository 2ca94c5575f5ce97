/**
 * Owns one reader of a stream: giving it what there is when it asks, and letting go of it.
 *
 * Invariants
 * 1. Nothing is queued for a reader: it is given more when it asks for more.
 * 2. It ends when there is nothing more to come, or when its reader takes nothing for `slowReaderMs`; everything is let go of then.
 */
import type { StreamEnd } from '../../contract.ts';
import type { ApiLimits } from '../parts.ts';

export type FarewellReason = NonNullable<StreamEnd['reason']>;

interface Next {
  readonly content: string | Uint8Array<ArrayBuffer> | undefined;
  readonly isEnd: boolean;
}

export interface ReaderOptions {
  readonly limits: Pick<ApiLimits, 'slowReaderMs' | 'heartbeatMs'>;
  /** Said while nothing happens. */
  readonly heartbeat: string | undefined;
  /** What there is for it now. `isEnd`: and never anything more. */
  readonly next: () => Next;
  /** Calls when there may be more, once. Answers the way to stop waiting. */
  readonly onMore: (listener: () => void) => () => void;
  /** Said to a reader that is sent away: it may come back elsewhere. */
  readonly farewell: (reason: FarewellReason) => string;
  /** Called once, whatever ended it. */
  readonly onClose: () => void;
}

/** A stream that is open. */
export interface OpenStream {
  readonly body: ReadableStream<Uint8Array>;
  sendAway(reason: FarewellReason): void;
}

export class Reader implements OpenStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #options: ReaderOptions;
  readonly #encoder = new TextEncoder();
  #closed = false;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Ends the wait of a reader that asked for more. */
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

  sendAway(reason: FarewellReason): void {
    if (this.#closed) return;
    const text = this.#options.farewell(reason);
    if (text !== '') this.#controller?.enqueue(this.#encoder.encode(text));
    this.#controller?.close();
    this.#close();
  }

  /** The reader wants something: it gets it now, or as soon as there is something. */
  #pull(): Promise<void> | undefined {
    clearTimeout(this.#timer);
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

  /** Answers whether there was something to give. */
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
      this.#controller?.close();
      this.#close();
    }
    return isEnd || (content !== undefined && content.length > 0);
  }

  /** What cannot be told ends this reader's stream, and nothing else. */
  #next(): Next & { readonly error?: unknown } {
    try {
      return this.#options.next();
    } catch (error) {
      return { content: undefined, isEnd: true, error: error ?? new Error('The stream has failed') };
    }
  }

  #enqueue(content: string | Uint8Array<ArrayBuffer>): void {
    if (this.#closed) return;
    this.#controller?.enqueue(typeof content === 'string' ? this.#encoder.encode(content) : content);
    this.#stopWaiting?.();
    clearTimeout(this.#timer);
    this.#watch();
    this.#settle?.();
    this.#settle = undefined;
  }

  /** Given something, a reader has to come for more in time. */
  #watch(): void {
    this.#timer = setTimeout(() => this.sendAway('slow_reader'), this.#options.limits.slowReaderMs);
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
