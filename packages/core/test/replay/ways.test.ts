import { describe, expect, it } from 'vitest';
import { replayTurn } from '../../src/replay/index.ts';
import type { TraceEvent } from '../../src/trace/events.ts';
import { ways as waysOfCalls } from '../call/ways.ts';
import { ways as waysOfTurns } from '../turn/ways.ts';

/** By call, in order; two events of different calls at one moment may be told in either order. */
const byCall = (events: readonly TraceEvent[]): Readonly<Record<string, readonly unknown[]>> => {
  const calls: Record<string, unknown[]> = {};
  for (const { seq: _seq, ...event } of events) (calls['call_id' in event ? (event.call_id ?? '') : ''] ??= []).push(event);
  return calls;
};

/** An advisor that fails is asked outside the engine: its failure, and the time it took, are in the record and not in the replay. */
const notToldAgain: ReadonlySet<string> = new Set(['an advisor that breaks', 'an advisor that does not answer']);

/** Captured arguments are for people; the replay needs none and tells none. */
const withoutArguments = (events: readonly TraceEvent[]): readonly TraceEvent[] =>
  (JSON.parse(JSON.stringify(events)) as (TraceEvent & { arguments?: unknown })[]).map(
    ({ arguments: _arguments, ...event }) => event as TraceEvent,
  );

const ways = [...waysOfCalls, ...waysOfTurns.filter(({ name }) => !name.startsWith('a plan '))].filter(
  ({ name }) => !notToldAgain.has(name),
);

describe('replayed, it goes the same way again', () => {
  it.each(ways)('$name', async ({ go }) => {
    const recorded = withoutArguments((await go()).trace);
    const { trace, differences, assumptions, interrupted, report } = replayTurn(recorded);
    expect({ differences, assumptions, interrupted }).toEqual({ differences: [], assumptions: [], interrupted: false });
    expect(byCall(withoutArguments(trace))).toEqual(byCall(recorded));
    const end = recorded.find((event) => event.event_type === 'TurnCompleted');
    expect([report.outcome, report.executionTime]).toEqual([end?.outcome, end?.duration_ms]);
  });
});
