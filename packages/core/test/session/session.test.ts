import { describe, expect, it } from 'vitest';
import type { ReducerError, SavedSession, SessionEvent } from '../../src/agent/index.ts';
import { foldSession, Session } from '../../src/agent/index.ts';
import { manualSystem } from '../../src/testing/index.ts';

const custom = (name: string, payload?: unknown) => ({ event_type: 'Custom' as const, name, payload });
const counted = { initial: 0, reduce: (count: number, event: SessionEvent): number => (event.event_type === 'Custom' ? count + 1 : count) };

describe('events', () => {
  it('are stamped, in order, and cannot be changed by anybody', () => {
    const system = manualSystem();
    const session = new Session({ system, correlationId: 'c' });
    const payload = { list: [1] };
    const { event } = session.append(custom('one', payload));
    payload.list.push(2);
    expect(event).toEqual({
      event_type: 'Custom',
      name: 'one',
      payload: { list: [1] },
      seq: 1,
      correlation_id: 'c',
      timestamp: '2025-11-05T10:30:45.000Z',
    });
    expect(() => (event as { payload: { list: number[] } }).payload.list.push(3)).toThrow(TypeError);
    expect(() => ((event as { name: string }).name = 'two')).toThrow(TypeError);
    (session.events as SessionEvent[]).pop();
    expect(session.events).toHaveLength(1);
    expect(session.append(custom('two')).event.seq).toBe(2);
  });

  it('keep of large payloads what fits', () => {
    const session = new Session({ system: manualSystem(), maxPayloadChars: 1_000 });
    const { event } = session.append(custom('large', 'x'.repeat(100_000)));
    expect(JSON.stringify(event).length).toBeLessThan(2_000);
    expect(event).toMatchObject({ event_type: 'Custom', name: 'large' });
  });

  it('get a correlation id of their own', () => {
    const one = new Session({ system: manualSystem({ seed: 'one' }) });
    expect(one.correlationId).toBe('one');
  });
});

describe('reducers', () => {
  it('have run when append returns, and see frozen state', () => {
    const seen: unknown[] = [];
    const session = new Session({
      system: manualSystem(),
      slices: {
        counted,
        list: {
          initial: { items: [] as readonly string[] },
          reduce: (state: { readonly items: readonly string[] }, event: SessionEvent) => {
            seen.push(Object.isFrozen(state), Object.isFrozen(state.items));
            return event.event_type === 'Custom' ? { items: [...state.items, event.name] } : state;
          },
        },
      },
    });
    session.append(custom('a'));
    session.append(custom('b'));
    expect(session.state.counted).toBe(2);
    expect(session.slice('list')).toEqual({ items: ['a', 'b'] });
    expect(new Set(seen)).toEqual(new Set([true]));
    expect(() => (session.state as { counted: number }).counted++).toThrow(TypeError);
  });

  const failing: readonly [string, (state: readonly string[], event: SessionEvent) => readonly string[], RegExp][] = [
    [
      'throws',
      () => {
        throw new RangeError('full');
      },
      /full/,
    ],
    ['changes its state', (state) => ((state as string[]).push('x'), state), /object is not extensible/],
    ['answers later', (async () => []) as never, /answers its state at once/],
    ['appends', () => (sessionOf.append(custom('again')), []), /appends no events/],
  ];
  let sessionOf: Session;
  it.each(failing)('one that %s leaves its slice as it was, and is told', (_what, reduce, message) => {
    const told: ReducerError[] = [];
    const session = new Session({
      system: manualSystem(),
      slices: { list: { initial: ['kept'], reduce }, counted },
      onReducerError: (error) => void told.push(error),
    });
    sessionOf = session as unknown as Session;
    const { reducerErrors, event } = session.append(custom('a'));
    expect(session.slice('list')).toEqual(['kept']);
    expect(session.slice('counted')).toBe(1);
    expect(reducerErrors).toMatchObject([
      { name: 'ReducerError', code: 'REDUCER_FAILED', reducer: 'list', message: expect.stringMatching(message), payload: event },
    ]);
    expect(told).toEqual(reducerErrors);
    expect(session.reducerErrors).toEqual(reducerErrors);
    expect(session.metrics.reducer_error_total).toBe(1);
    expect(session.events.map(({ event_type }) => event_type)).toEqual(['Custom', 'ReducerFailed']);
  });

  it('all failing at everything end there', () => {
    const boom = (): never => {
      throw new Error('no');
    };
    const slices = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`slice-${index}`, { initial: 0, reduce: boom }]));
    const session = new Session({ system: manualSystem(), slices });
    expect(session.append(custom('a')).reducerErrors).toHaveLength(20);
    expect(session.events).toHaveLength(21);
  });

  it('listeners that append for ever end, and one that left hears nothing', () => {
    const session = new Session({
      system: manualSystem(),
      slices: {
        bad: {
          initial: 0,
          reduce: (): never => {
            throw new Error('no');
          },
        },
      },
    });
    let heard = 0;
    const leave = session.onReducerError(() => {
      heard += 1;
      session.append(custom('again'));
    });
    session.append(custom('a'));
    expect(heard).toBeGreaterThan(0);
    expect(heard).toBeLessThan(20);
    leave();
    const before = heard;
    session.append(custom('b'));
    expect(heard).toBe(before);
  });

  it('redact what a reducer said', () => {
    const session = new Session({
      system: manualSystem(),
      slices: {
        bad: {
          initial: 0,
          reduce: (): never => {
            throw new Error('token sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa');
          },
        },
      },
    });
    session.append(custom('a'));
    expect(JSON.stringify(session.save())).not.toContain('aaaaaaaaaaaa');
  });

  it.each([
    [{ feedback: counted }, /built in/],
    [{ own: { initial: 0 } }, /reduce/],
    [{ own: null }, /reduce/],
  ])('%# are checked', (slices, message) => {
    expect(() => new Session({ slices } as never)).toThrow(message);
  });
});

describe('saved sessions', () => {
  it('come back with the same events and state, through JSON', () => {
    const system = manualSystem();
    const session = new Session({ system, correlationId: 'c', slices: { counted } });
    session.append(custom('a', { deep: [1, null] }));
    session.append({ event_type: 'ValidationRecovered', source: 'tool', tool_id: 't', attempts: 2 });
    const saved = JSON.parse(JSON.stringify(session.save())) as SavedSession;
    const told: unknown[] = [];
    const back = Session.restore(saved, { system, slices: { counted }, onReducerError: (error) => void told.push(error) });
    expect(back.save()).toEqual(session.save());
    expect(back.state).toEqual(session.state);
    expect(back.append(custom('b')).event).toMatchObject({ seq: 3, correlation_id: 'c' });
    expect(told).toEqual([]);
    expect(foldSession(saved.events, { counted }).counted).toBe(1);
  });

  it.each([
    [null, /version/],
    [{ version: 2 }, /version.*1/],
    [{ version: 1 }, /correlationId/],
    [{ version: 1, correlationId: 'c', events: 5 }, /events/],
    [{ version: 1, correlationId: 'c', events: [{ event_type: 'Custom', seq: 2 }] }, /event 1/],
  ])('%# are turned down when they are none', (saved, message) => {
    expect(() => Session.restore(saved as never)).toThrow(message);
  });
});
