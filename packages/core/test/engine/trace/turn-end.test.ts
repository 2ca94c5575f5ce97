import { expect, it } from 'vitest';
import type { TraceEvent } from '../../../src/engine/trace/events.ts';
import { turnEndOf } from '../../../src/engine/trace/turn-end.ts';

type CallCompleted = Extract<TraceEvent, { event_type: 'CallCompleted' }>;

const stamp = { turn_id: 'turn', seq: 9, timestamp: '2025-11-05T10:30:45.000Z', elapsed_ms: 12, call_id: 'call', tool_id: 'flight_search' };
const single: CallCompleted = {
  ...stamp,
  event_type: 'CallCompleted',
  status: 'success',
  served_by: 'flight_search',
  attempts: 1,
  execution_time_ms: 12,
  ends_turn: true,
};

it('a turn ends with the values of its last event', () => {
  const { call_id: _call, tool_id: _tool, ...ofTurn } = stamp;
  const end = { outcome: 'partial', summary: 'Completed a, but b failed' } as const;
  expect(
    turnEndOf({ ...ofTurn, event_type: 'TurnCompleted', ...end, escalated: false, duration_ms: 12, critical_path: [], message: '' }),
  ).toEqual(end);
});

it('a call of several does not end a turn, nor does any other event', () => {
  const { ends_turn: _ends, ...among } = single;
  expect(turnEndOf(among)).toBeUndefined();
  expect(turnEndOf({ ...stamp, event_type: 'ToolTimeout', attempt: 1, timeout_ms: 30_000 })).toBeUndefined();
});

it.each<readonly [string, Partial<CallCompleted>, ReturnType<typeof turnEndOf>]>([
  ['succeeded', {}, { outcome: 'success', summary: 'Completed flight search' }],
  ['failed', { status: 'error', code: 'E', error: 'Tool error: down' }, { outcome: 'failed', summary: 'Tool error: down' }],
  ['failed without a message', { status: 'error' }, { outcome: 'failed', summary: 'The flight search tool failed' }],
  ['was cancelled', { status: 'error', code: 'CANCELLED', error: 'Cancelled' }, { outcome: 'cancelled', summary: 'Cancelled' }],
])('a single call that %s ends its turn', (_name, more, expected) => {
  expect(turnEndOf({ ...single, ...more })).toEqual(expected);
});
