/** Owns the open streams: their maximum number, and ending them when the gateway shuts down. */
import type { ApiLimits } from '../parts.ts';
import { notNow, type Refusal } from '../problem.ts';
import type { OpenStream } from './reader.ts';

export type StreamLimits = Pick<ApiLimits, 'streams' | 'slowReaderMs' | 'heartbeatMs'>;

/** What a stream needs: its limits, and a callback for when it has closed. */
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

  /** Returns a refusal if no further stream may be opened. */
  refusalIfFull(): Refusal | undefined {
    const { streams } = this.#limits;
    return this.#open.size < streams ? undefined : notNow(429, 'TOO_MANY_STREAMS', `${streams} event streams are open, which is the limit`);
  }

  /** `release` is called once the stream has closed. */
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
    for (const stream of this.#open) stream.disconnect('draining');
  }
}
