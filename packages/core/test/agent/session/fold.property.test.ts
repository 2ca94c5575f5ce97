import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SessionEvent, SessionEventBody } from '../../../src/agent/index.ts';
import { emptyValidationMetrics, foldSession, foldValidationMetrics, Session } from '../../../src/agent/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { hostileValues } from '../../support/hostile-values.ts';

const tool = fc.constantFrom('search', 'weather');
const failed = fc.record({
  attempt: fc.integer({ min: 1, max: 5 }),
  max_attempts: fc.integer({ min: 1, max: 5 }),
  error: fc.string(),
  feedback: fc.boolean(),
  tool_id: tool,
});
const stamp = { source: 'tool' as const, error_type: 'ToolValidationError', retry_scheduled_at: '2025-11-05T10:30:45.000Z' };

const body: fc.Arbitrary<SessionEventBody> = fc.oneof(
  failed.map((some) => ({ event_type: 'ValidationRetryScheduled' as const, ...stamp, ...some, delay_ms: some.attempt * 100 })),
  failed.map((some) => ({
    event_type: 'ValidationRetryExhausted' as const,
    ...stamp,
    ...some,
    stopped_by: 'attempts' as const,
    history: [],
    message: 'over',
  })),
  fc.record({
    event_type: fc.constant('ToolInvoked' as const),
    call_id: fc.string(),
    tool_id: tool,
    status: fc.constantFrom('success' as const, 'error' as const),
    output: fc.jsonValue(),
  }),
  fc.record({
    event_type: fc.constant('Custom' as const),
    name: fc.string(),
    payload: fc.anything(),
  }),
);

/** Throw for some events, depending only on the event. */
const slices = {
  outputs: {
    initial: [] as readonly unknown[],
    reduce: (state: readonly unknown[], event: SessionEvent): readonly unknown[] => {
      if (event.event_type !== 'ToolInvoked') return state;
      if (event.tool_id === 'weather' && event.status === 'error') throw new Error('no weather');
      return [...state, event.output];
    },
  },
  names: {
    initial: '',
    reduce: (state: string, event: SessionEvent): string =>
      event.event_type === 'Custom' ? state + event.name.at(0)!.toUpperCase() : state,
  },
};

it('state is a fold of the events: it is the same when replayed, restored or folded in parts', () => {
  fc.assert(
    fc.property(fc.array(body, { maxLength: 30 }), fc.nat(30), (bodies, cut) => {
      const session = new Session({ system: manualSystem(), correlationId: 'c', slices });
      let atCut: unknown = session.state;
      let eventsAtCut: readonly SessionEvent[] = [];
      for (const [index, one] of bodies.entries()) {
        const { event, reducerErrors } = session.append(one);
        expect(event.event_type).toBe(one.event_type);
        expect(session.reducerErrors.slice(session.reducerErrors.length - reducerErrors.length)).toEqual(reducerErrors);
        if (index === cut) [atCut, eventsAtCut] = [session.state, session.events];
      }
      expect(foldSession(eventsAtCut, slices)).toEqual(atCut);
      expect(foldSession(session.events, slices)).toEqual(session.state);
      expect(session.events.map(({ seq }) => seq)).toEqual(session.events.map((_, index) => index + 1));
      const restored = Session.restore(JSON.parse(JSON.stringify(session.save())) as ReturnType<typeof session.save>, { slices });
      expect(restored.state).toEqual(session.state);
      expect(session.events.reduce(foldValidationMetrics, emptyValidationMetrics)).toEqual(session.metrics);
      expect(session.feedback).toHaveLength(bodies.filter((one) => 'feedback' in one && one.feedback).length);
      expect(session.state.exhausted).toHaveLength(bodies.filter(({ event_type }) => event_type === 'ValidationRetryExhausted').length);
    }),
  );
});

it('accepts any payload, and its saved form is JSON', () => {
  const session = new Session({ system: manualSystem(), slices });
  for (const make of Object.values(hostileValues)) {
    session.append({ event_type: 'Custom', name: 'odd', payload: make() });
    session.append(make() as never);
    session.append({ event_type: 'ToolInvoked', call_id: 'a', tool_id: 'search', status: 'success', output: make() });
  }
  expect(session.events.length).toBeGreaterThanOrEqual(Object.keys(hostileValues).length * 3);
  expect(() => JSON.stringify(session.save())).not.toThrow();
  expect(foldSession(session.events, slices)).toEqual(session.state);
});
