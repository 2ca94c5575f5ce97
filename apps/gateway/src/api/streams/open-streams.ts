/** Owns the open streams: their maximum number, and ending them when the gateway shuts down. */
import { FairShare } from '@holdfast/mcp-wire/server';
import type { ApiLimits } from '../parts.ts';
import { notNow, type Refusal } from '../problem.ts';
import type { OpenStream } from './reader.ts';

export type StreamLimits = Pick<ApiLimits, 'streams' | 'slowReaderMs' | 'heartbeatMs'>;

/** What a stream needs: its limits, and a callback for when it has closed. */
export interface StreamStart {
  readonly limits: StreamLimits;
  readonly onClose: () => void;
}

interface StreamUser {
  /** Called once the stream has closed. */
  readonly release: () => void;
  readonly principal: string | undefined;
}

export class OpenStreams {
  readonly #limits: StreamLimits;
  readonly #share: FairShare;
  readonly #open = new Set<OpenStream>();

  constructor(limits: StreamLimits) {
    this.#limits = limits;
    this.#share = new FairShare(limits.streams);
  }

  get size(): number {
    return this.#open.size;
  }

  /** Returns a refusal if the client may open no further stream. */
  refusalIfFull(principal: string | undefined): Refusal | undefined {
    if (this.#share.admits(principal)) return undefined;
    const { streams } = this.#limits;
    const isFull = this.#share.total >= streams;
    const message = isFull ? `${streams} event streams are open, which is the limit` : 'This client has too many event streams open';
    return notNow(429, 'TOO_MANY_STREAMS', message);
  }

  open(make: (start: StreamStart) => OpenStream, { release, principal }: StreamUser): ReadableStream<Uint8Array> {
    const stream = make({
      limits: this.#limits,
      onClose: () => {
        this.#open.delete(stream);
        this.#share.release(principal);
        release();
      },
    });
    this.#open.add(stream);
    this.#share.take(principal);
    return stream.body;
  }

  endAll(): void {
    for (const stream of this.#open) stream.disconnect('draining');
  }
}
