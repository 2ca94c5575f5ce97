/** Owns the streams that are open: how many there may be, and sending their readers away at the end. */
import type { ApiLimits } from '../parts.ts';
import { notNow, type Refusal } from '../problem.ts';
import type { TurnLog } from '../turns/turn-log.ts';
import { EventStream } from './event-stream.ts';
import type { StreamFormat } from './format.ts';

export interface StreamRequest {
  readonly log: TurnLog;
  readonly after: number;
  readonly format: StreamFormat;
  readonly release: () => void;
}

export class OpenStreams {
  readonly #limits: Pick<ApiLimits, 'streams' | 'slowReaderMs' | 'heartbeatMs'>;
  readonly #open = new Set<EventStream>();

  constructor(limits: Pick<ApiLimits, 'streams' | 'slowReaderMs' | 'heartbeatMs'>) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Why there can be no more of them; `undefined` when there can. */
  full(): Refusal | undefined {
    const { streams } = this.#limits;
    return this.#open.size < streams
      ? undefined
      : notNow(429, 'TOO_MANY_STREAMS', `${streams} streams of events are open; there are no more`);
  }

  open({ log, after, format, release }: StreamRequest): ReadableStream<Uint8Array> {
    const stream = new EventStream({
      log,
      after,
      format,
      limits: this.#limits,
      onClose: () => {
        this.#open.delete(stream);
        release();
      },
    });
    this.#open.add(stream);
    return stream.body;
  }

  sendAllAway(): void {
    for (const stream of this.#open) stream.sendAway('draining');
  }
}
