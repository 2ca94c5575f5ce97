/** Owns the two formats of an event stream: server-sent events, and one JSON text per line. */
import type { TraceEvent } from '@holdfast/core';
import type { StreamEnd } from '../../contract.ts';
import { readWeighted, type Weighted } from '../../http/weighted.ts';

export interface StreamFormat {
  readonly contentType: string;
  /** Sent first. */
  readonly opening: string;
  readonly event: (event: TraceEvent) => string;
  /** Sent when there are no events for a while. */
  readonly heartbeat: string | undefined;
  readonly ending: (kind: 'end' | 'resume', end: StreamEnd) => string;
}

/** Random, so that clients whose streams ended together do not reconnect together. */
export const reconnectDelayMs = (): number => 1_000 + Math.floor(Math.random() * 2_000);

function serverSentEvents(): StreamFormat {
  return {
    contentType: 'text/event-stream; charset=utf-8',
    opening: `retry: ${reconnectDelayMs()}\n\n`,
    event: (event) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`,
    heartbeat: ': heartbeat\n\n',
    ending: (kind, end) => `event: ${kind}\ndata: ${JSON.stringify(end)}\n\n`,
  };
}

/** Contains only events: the last one is the end of the turn, and a stream that ends without it is to be resumed. */
export const jsonLines: StreamFormat = {
  contentType: 'application/x-ndjson; charset=utf-8',
  opening: '',
  event: (event) => `${JSON.stringify(event)}\n`,
  heartbeat: undefined,
  ending: () => '',
};

/** Returns the format that the client accepts; `undefined` when it accepts neither. */
export function formatFor(accept: string | null): StreamFormat | undefined {
  const ranges = (accept ?? '*/*').split(',').map(readWeighted);
  const lines = Math.max(weightOf(ranges, 'application/x-ndjson'), weightOf(ranges, 'application/jsonl'));
  const sent = Math.max(weightOf(ranges, 'text/event-stream'), weightOf(ranges, 'text/*'), weightOf(ranges, '*/*'));
  if (lines > 0 && lines >= sent) return jsonLines;
  return sent > 0 ? serverSentEvents() : undefined;
}

const weightOf = (ranges: readonly Weighted[], type: string): number =>
  Math.max(0, ...ranges.filter(({ name }) => name === type).map(({ weight }) => weight));
