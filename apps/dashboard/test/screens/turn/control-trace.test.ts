import { expect, test } from 'vitest';
import { isControlTrace, viewsOf } from '../../../src/screens/turn/control-trace.model.ts';
import { createTurnEvents } from '../../../src/screens/turn/turn-events.model.ts';
import { troubled } from './recorded-turns.ts';
import type { TraceEvent } from '@holdfast/core';

const tabs = ['waterfall', 'cascade', 'ledger', 'repairs', 'events'] as const;

function viewOf(events: readonly TraceEvent[]): ReturnType<ReturnType<typeof createTurnEvents>['view']> {
  const turn = createTurnEvents();
  turn.append(events);
  return turn.view();
}

test('the trace of what happens outside of turns has only repairs and events', () => {
  const opened = { event_type: 'CircuitStateChanged', tool_id: 'search', from: 'closed', to: 'open', reason: 'manual' };
  const stamp = { turn_id: '0123abcd-control', seq: 1, timestamp: '2026-01-01T00:00:00.000Z', elapsed_ms: 1 };
  const view = viewOf([{ ...stamp, ...opened } as unknown as TraceEvent]);
  expect(isControlTrace(view)).toBe(true);
  expect(viewsOf(view, tabs, 'waterfall')).toEqual({ shown: ['repairs', 'events'], selected: 'events' });
  expect(viewsOf(view, tabs, 'repairs').selected).toBe('repairs');
});

test('a turn has all views, whatever its id', async () => {
  const view = viewOf(await troubled());
  expect(isControlTrace(view)).toBe(false);
  expect(isControlTrace({ ...view, turnId: '0123abcd-control' })).toBe(false);
  expect(viewsOf(view, tabs, 'ledger')).toEqual({ shown: tabs, selected: 'ledger' });
});
