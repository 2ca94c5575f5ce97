/**
 * The events of a turn, and the view that is folded from them.
 *
 * Ignores events with a known `seq`, so that a resumed stream may overlap.
 */
import { createTurnFold, fields, foldTurn, type TurnView } from '@holdfast/core/turn-view';
import type { TraceEvent } from '@holdfast/gateway/contract';
import { visibleText } from '../../ui/visible-text.ts';

const options = { cleanMessage: visibleText };

export interface TurnEvents {
  /** Returns whether any event was new. */
  append(events: readonly TraceEvent[]): boolean;
  /** A new object after each `append` of new events. Its calls are updated in place, with a new `revision`. */
  view(): TurnView;
  /** All events, in order. */
  events(): readonly TraceEvent[];
  readonly lastSeq: number;
}

export function createTurnEvents(): TurnEvents {
  const fold = createTurnFold(options);
  const events: TraceEvent[] = [];
  let lastSeq = 0;
  return {
    append(more) {
      const before = events.length;
      for (const event of more) {
        if (!fields.isRecord(event)) continue;
        const seq = fields.time(event.seq, lastSeq + 1);
        if (seq <= lastSeq || !fold.observe(event)) continue;
        lastSeq = seq;
        events.push(event);
      }
      return events.length > before;
    },
    view: () => fold.view(),
    events: () => events,
    get lastSeq() {
      return lastSeq;
    },
  };
}

/** The turn after the given number of milliseconds. */
export function viewAt(events: readonly TraceEvent[], atMs: number): TurnView {
  const until = events.filter((event) => event.event_type === 'TurnStarted' || fields.time(event.elapsed_ms) <= atMs);
  return { ...foldTurn(until, options), elapsedMs: atMs };
}
