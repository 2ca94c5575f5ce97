/** Owns the streams that are open: how many there may be, and sending their readers away at the end. */
import type { ApiLimits } from '../parts.ts';
import { notNow, type Refusal } from '../problem.ts';
import type { OpenStream } from './reader.ts';

export type StreamLimits = Pick<ApiLimits, 'streams' | 'slowReaderMs' | 'heartbeatMs'>;

/** What a stream is made of: the limits it has to keep, and whom to tell when it has closed. */
export interface StreamStart {
  readonly limits: StreamLimits;
  readonly onClose: () => void;
}

export class OpenStreams {
  readonly #limits: StreamLimits;
  readonly #open = new Set<OpenStream>();

  constructor(limits: StreamLimits) {
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

  /** `release`: called once it has closed. */
  open(make: (start: StreamStart) => OpenStream, release: () => void): ReadableStream<Uint8Array> {
    const stream = make({
      limits: this.#limits,
      onClose: () => {
        this.#open.delete(stream);
        release();
      },
    });
    this.#open.add(stream);
    return stream.body;
  }

  endAll(): void {
    for (const stream of this.#open) stream.sendAway('draining');
  }
}
