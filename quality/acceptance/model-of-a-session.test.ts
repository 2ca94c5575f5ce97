/** Random events and reducers that fail: states, errors, callbacks and logs of a session are those of a plain fold (S2). */
import { Session, type ReducerError, type SessionEvent } from '@holdfast/core/agent';
import { manualSystem } from '@holdfast/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listLogger } from './support/agent.ts';
import { propertyRuns } from './support/property-runs.ts';

interface Payload {
  readonly amount: number;
}
const amountOf = (event: SessionEvent): number =>
  event.event_type === 'Custom' ? ((event.payload as Partial<Payload> | undefined)?.amount ?? 0) : 0;

class Overdrawn extends Error {
  override readonly name = 'Overdrawn';
}

const limit = 20;
/** A consistency error, a validation error, and one that never fails. */
const slices = {
  balance: {
    initial: 0,
    reduce: (state: number, event: SessionEvent): number => {
      if (state + amountOf(event) > limit) throw new Overdrawn(`${state + amountOf(event)} is above ${limit}`);
      return state + amountOf(event);
    },
  },
  digits: {
    initial: [] as readonly number[],
    reduce: (state: readonly number[], event: SessionEvent): readonly number[] => {
      if (amountOf(event) < 0 || amountOf(event) > 9) throw new RangeError('The amount is no digit');
      return event.event_type === 'Custom' ? [...state, amountOf(event)] : state;
    },
  },
  names: {
    initial: '',
    reduce: (state: string, event: SessionEvent): string => (event.event_type === 'Custom' ? `${state}${event.name} ` : state),
  },
};

/** The same states, without sessions. */
function plainFold(steps: readonly { readonly name: string; readonly amount: number }[]) {
  let balance = 0;
  let names = '';
  const digits: number[] = [];
  const errors: { reducer: string; errorType: string; message: string; amount: number }[] = [];
  for (const { name, amount } of steps) {
    if (balance + amount > limit)
      errors.push({ reducer: 'balance', errorType: 'Overdrawn', message: `${balance + amount} is above ${limit}`, amount });
    else balance += amount;
    if (amount < 0 || amount > 9) errors.push({ reducer: 'digits', errorType: 'RangeError', message: 'The amount is no digit', amount });
    else digits.push(amount);
    names += `${name} `;
  }
  return { balance, digits, names, errors };
}

const steps = fc.array(
  fc.record({ name: fc.constantFrom('paid', 'refunded'), amount: fc.integer({ min: -3, max: 12 }), pauseMs: fc.constantFrom(0, 1, 1_500) }),
  { minLength: 1, maxLength: 15 },
);
const tags = ['S2-reducers', 'S2-reducer-error', 'S2-principle-reducers', 'S2-nothing-swallowed', 'S2-correlation', 'S2-logs'];

test('events in any order, with reducers that fail', { tags }, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const system = manualSystem();
      const { logger, entries } = listLogger();
      const heard: ReducerError[] = [];
      const once: ReducerError[] = [];
      const session = new Session({ slices, system, correlationId: 'c-1', logger, onReducerError: (error) => void heard.push(error) });
      session.onReducerError(() => {
        throw new Error('A listener fails');
      });
      const stop = session.onReducerError((error) => {
        once.push(error);
        stop();
      });
      for (const [index, { name, amount, pauseMs }] of script.entries()) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await system.advance(pauseMs);
        const expected = plainFold(script.slice(0, index + 1));
        const { event, reducerErrors } = session.append({ event_type: 'Custom', name, payload: { amount } });
        // All of it has happened when `append` returns.
        expect(event).toMatchObject({
          event_type: 'Custom',
          name,
          payload: { amount },
          correlation_id: 'c-1',
          timestamp: new Date(system.epochMs()).toISOString(),
        });
        expect([session.slice('balance'), session.slice('digits'), session.slice('names')]).toEqual([
          expected.balance,
          expected.digits,
          expected.names,
        ]);
        expect(session.state).toMatchObject({ balance: expected.balance, names: expected.names });
        expect(
          session.reducerErrors.map(({ reducer, errorType, message, payload }) => ({
            reducer,
            errorType,
            message,
            amount: amountOf(payload as SessionEvent),
          })),
        ).toEqual(expected.errors);
        expect(heard).toEqual(session.reducerErrors);
        expect(reducerErrors).toEqual(session.reducerErrors.slice(session.reducerErrors.length - reducerErrors.length));
        for (const error of reducerErrors) expect(error).toMatchObject({ name: 'ReducerError', code: 'REDUCER_FAILED', payload: event });
      }
      const { errors } = plainFold(script);
      expect(once).toHaveLength(Math.min(1, errors.length));
      expect(session.metrics.reducer_error_total).toBe(errors.length);
      const { events } = session;
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(events).toHaveLength(script.length + errors.length);
      expect(events.flatMap((event) => (event.event_type === 'ReducerFailed' ? [event.error] : []))).toEqual(
        errors.map(({ message }) => message),
      );
      expect(entries.filter(({ details }) => details['reducer'] !== undefined)).toHaveLength(errors.length);
      for (const { details } of entries) expect(details['correlationId']).toBe('c-1');

      const again: ReducerError[] = [];
      const restored = Session.restore(session.save(), { slices, system, onReducerError: (error) => void again.push(error) });
      expect(restored.state).toEqual(session.state);
      expect(restored.events).toEqual(events);
      expect([again, restored.correlationId]).toEqual([[], 'c-1']);
    }),
    propertyRuns(80),
  );
});
