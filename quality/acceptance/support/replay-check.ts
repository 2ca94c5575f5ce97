/** Every turn that a test ran is replayed from its record, as another process would read it: the same decisions, the same events call by call. */
import type { TraceEvent } from '@holdfast/core';
import { replayTurn } from '@holdfast/core/replay';
import { expect } from 'vitest';

export function expectReplays(events: readonly TraceEvent[]): void {
  for (const turn of turnsOf(events)) {
    if (!turn.some(({ event_type }) => event_type === 'TurnStarted') || !turn.some(({ event_type }) => event_type === 'TurnCompleted'))
      continue;
    const recorded = throughJson(turn);
    const { trace, differences } = replayTurn(recorded);
    expect(differences).toEqual([]);
    const replayed = throughJson(trace, roundNumbers);
    // Events after the end of the turn are late work, which may not be over when a test is.
    expect(byCall(untilCompleted(replayed))).toEqual(byCall(untilCompleted(throughJson(turn, roundNumbers))));
  }
}

function throughJson(events: readonly TraceEvent[], reviver?: (key: string, value: unknown) => unknown): readonly TraceEvent[] {
  return JSON.parse(JSON.stringify(events), reviver) as readonly TraceEvent[];
}

/** Times are differences of clock readings; the last bits of a double depend on the absolute time. */
function roundNumbers(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value;
}

function turnsOf(events: readonly TraceEvent[]): readonly (readonly TraceEvent[])[] {
  const turns: TraceEvent[][] = [];
  for (const event of events) {
    // A turn id may be used again; its count then starts again.
    const running = event.seq === 1 ? undefined : turns.findLast(([first]) => first?.turn_id === event.turn_id);
    if (running) running.push(event);
    else turns.push([event]);
  }
  return turns;
}

function untilCompleted(events: readonly TraceEvent[]): readonly TraceEvent[] {
  return events.slice(0, events.findIndex(({ event_type }) => event_type === 'TurnCompleted') + 1);
}

/** Per call, in order, without the fields that number the events of the whole turn. */
function byCall(events: readonly TraceEvent[]): Readonly<Record<string, readonly unknown[]>> {
  const calls: Record<string, unknown[]> = {};
  for (const { seq: _seq, ...event } of events) {
    const callId = 'call_id' in event ? (event.call_id ?? '') : '';
    (calls[callId] ??= []).push(event);
  }
  return calls;
}
