/**
 * Owns the stream of a turn's events to one client.
 *
 * Invariants
 * 1. Every event after the given one is sent exactly once, in order; a disconnected client continues after the last event it was sent.
 * 2. A reader is a position in the shared log; it ends with the turn.
 */
import type { StreamEnd } from '../../contract.ts';
import type { ApiLimits } from '../parts.ts';
import type { TurnLog } from '../turns/turn-log.ts';
import type { StreamFormat } from './format.ts';
import { type OpenStream, Reader } from './reader.ts';

export interface EventStreamOptions {
  readonly log: TurnLog;
  /** Continues after this event. */
  readonly after: number;
  readonly format: StreamFormat;
  readonly limits: Pick<ApiLimits, 'slowReaderMs' | 'heartbeatMs'>;
  /** Called once, whatever ended the stream. */
  readonly onClose: () => void;
}

/** Size of one chunk, in characters. */
const chunkChars = 64 * 1024;

export function eventStream({ log, after, format, limits, onClose }: EventStreamOptions): OpenStream {
  let place = log.placeAfter(after);
  let lastSeq = after;
  let opening = format.opening;
  const end = (reason?: StreamEnd['reason']): StreamEnd => ({
    turn_id: log.turnId,
    last_seq: lastSeq,
    ...(reason !== undefined || log.outcome === undefined ? {} : { outcome: log.outcome }),
    ...(reason === undefined ? {} : { reason }),
  });
  return new Reader({
    limits,
    heartbeat: format.heartbeat,
    next() {
      let text = opening;
      opening = '';
      while (place < log.events.length && text.length < chunkChars) {
        const event = log.events[place];
        if (event === undefined) break;
        text += format.event(event);
        place += 1;
        lastSeq = event.seq;
      }
      const isEnd = log.ended && place >= log.events.length;
      return { content: isEnd ? text + format.ending('end', end()) : text, isEnd };
    },
    onMore: (listener) => log.onChange(listener),
    closingMessage: (reason) => format.ending('resume', end(reason)),
    onClose,
  });
}
