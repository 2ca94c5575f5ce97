import { expect, it } from 'vitest';
import type { TraceEvent } from '../../../src/engine/trace/events.ts';
import { StreamedTrace } from '../../../src/engine/trace/streamed-trace.ts';
import { createTimestamps, TurnTrace } from '../../../src/engine/trace/turn-trace.ts';

const succeeded = (): Parameters<StreamedTrace['append']>[0] => ({
  event_type: 'ToolSucceeded',
  call_id: 'call',
  tool_id: 'search',
  attempt: 1,
  duration_ms: 1,
});

it('events of a trace that is not kept are numbered, stamped and published like those of one that is', () => {
  const startedAtEpochMs = Date.parse('2025-11-05T10:30:45.000Z');
  const timestamp = createTimestamps();
  const [published, kept]: [TraceEvent[], TraceEvent[]] = [[], []];
  const streamed = new StreamedTrace(
    { timestamp, sink: (event) => void published.push(event), hasSubscriber: () => true },
    'turn',
    1_000,
    startedAtEpochMs,
  );
  const turn = new TurnTrace({
    turnId: 'turn',
    startedAt: 1_000,
    timestamp: (elapsedMs) => timestamp(startedAtEpochMs + elapsedMs),
    sink: (event) => void kept.push(event),
  });
  for (const now of [1_000, 1_250.5, 1_250.9]) {
    streamed.append(succeeded(), now);
    turn.append(succeeded(), now);
  }
  expect(published).toEqual(kept);
  expect(published).toEqual(turn.events);
  expect(published.map(({ seq, elapsed_ms, timestamp: at }) => [seq, elapsed_ms, at])).toEqual([
    [1, 0, '2025-11-05T10:30:45.000Z'],
    [2, 250.5, '2025-11-05T10:30:45.250Z'],
    [3, 250.9000000000001, '2025-11-05T10:30:45.250Z'],
  ]);
});

it('an event without a subscriber is counted but not published', () => {
  const published: TraceEvent[] = [];
  let heard = false;
  const options = { timestamp: String, sink: (event: TraceEvent) => void published.push(event), hasSubscriber: () => heard };
  const streamed = new StreamedTrace(options, 'turn', 0, 0);
  streamed.append(succeeded(), 1);
  heard = true;
  streamed.append(succeeded(), 2);
  expect(published).toMatchObject([{ seq: 2, elapsed_ms: 2 }]);
});

it('an event without a subscriber need not be made', () => {
  const published: TraceEvent[] = [];
  const options = {
    timestamp: String,
    sink: (event: TraceEvent) => void published.push(event),
    hasSubscriber: (type: string) => type === 'ToolSucceeded',
  };
  const streamed = new StreamedTrace(options, 'turn', 0, 0);
  expect([streamed.skip('TurnStarted'), streamed.skip('ToolSucceeded')]).toEqual([true, false]);
  streamed.append(succeeded(), 1);
  expect(published).toMatchObject([{ seq: 2 }]);
});

it('a trace without a subscriber only stores events', () => {
  const turn = new TurnTrace({ turnId: 'turn', startedAt: 0, timestamp: String });
  turn.append(succeeded(), 5);
  expect(turn.events).toMatchObject([{ turn_id: 'turn', seq: 1, elapsed_ms: 5, timestamp: '5' }]);
});
