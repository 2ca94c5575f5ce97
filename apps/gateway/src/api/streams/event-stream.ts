/**
 * Owns one reader's stream of a turn's events.
 *
 * Invariants
 * 1. Every event behind the given one exactly once, in order; a reader that was sent away goes on behind the last it was given.
 * 2. Nothing is queued for a reader: it has a place in the shared log, and is given more when it asks.
 * 3. It ends with the turn, or when its reader takes nothing for `slowReaderMs`, and lets go of everything then.
 */
import type { StreamEnd } from '../../contract.ts';
import type { ApiLimits } from '../parts.ts';
import type { TurnLog } from '../turns/turn-log.ts';
import type { StreamFormat } from './format.ts';

export interface EventStreamOptions {
  readonly log: TurnLog;
  /** Goes on behind this event. */
  readonly after: number;
  readonly format: StreamFormat;
  readonly limits: Pick<ApiLimits, 'slowReaderMs' | 'heartbeatMs'>;
  /** Called once, whatever ended it. */
  readonly onClose: () => void;
}

/** What is given at once, in characters. */
const chunkChars = 64 * 1024;

export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #options: EventStreamOptions;
  readonly #encoder = new TextEncoder();
  #place: number;
  #lastSeq: number;
  #opened = false;
  #closed = false;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Ends the wait of a reader that asked for more. */
  #settle: (() => void) | undefined;
  #stopWaiting: (() => void) | undefined;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#lastSeq = options.after;
    this.#place = options.log.placeAfter(options.after);
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

  /** Sends the reader away; it may come back elsewhere. */
  sendAway(reason: NonNullable<StreamEnd['reason']>): void {
    if (this.#closed) return;
    this.#finish('resume', reason);
  }

  /** The reader wants something: it gets it now, or as soon as there is something. */
  #pull(): Promise<void> | undefined {
    clearTimeout(this.#timer);
    if (this.#give()) return undefined;
    return new Promise((resolve) => {
      this.#settle = resolve;
      const { heartbeat } = this.#options.format;
      if (heartbeat !== undefined) this.#timer = setTimeout(() => this.#enqueue(heartbeat), this.#options.limits.heartbeatMs);
      this.#stopWaiting = this.#options.log.onChange(() => this.#give());
    });
  }

  /** Answers whether there was something to give. */
  #give(): boolean {
    if (this.#closed) return true;
    const { log, format } = this.#options;
    let text = this.#opened ? '' : format.opening;
    this.#opened = true;
    while (this.#place < log.events.length && text.length < chunkChars) {
      const event = log.events[this.#place];
      if (event === undefined) break;
      text += format.event(event);
      this.#place += 1;
      this.#lastSeq = event.seq;
    }
    const complete = log.ended && this.#place >= log.events.length;
    if (text !== '') this.#enqueue(text);
    if (complete) this.#finish('end');
    return text !== '' || complete;
  }

  #enqueue(text: string): void {
    if (this.#closed) return;
    this.#controller?.enqueue(this.#encoder.encode(text));
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

  #finish(kind: 'end' | 'resume', reason?: StreamEnd['reason']): void {
    const { log, format } = this.#options;
    const end: StreamEnd = {
      turn_id: log.turnId,
      last_seq: this.#lastSeq,
      ...(kind === 'resume' || log.outcome === undefined ? {} : { outcome: log.outcome }),
      ...(reason === undefined ? {} : { reason }),
    };
    const text = format.ending(kind, end);
    if (text !== '') this.#controller?.enqueue(this.#encoder.encode(text));
    this.#controller?.close();
    this.#close();
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
