import { describe, expect, it } from 'vitest';
import type { ReducerError, SavedSession, SessionEvent } from '../../../src/agent/index.ts';
import { foldSession, Session } from '../../../src/agent/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';

const custom = (name: string, payload?: unknown) => ({ event_type: 'Custom' as const, name, payload });
const counted = { initial: 0, reduce: (count: number, event: SessionEvent): number => (event.event_type === 'Custom' ? count + 1 : count) };

describe('events', () => {
  it('are stamped, in order, and immutable', () => {
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

  it('of tools are as they were when they were appended, whenever they are read', async () => {
    const system = manualSystem();
    const output = { list: [1] };
    const invoked = { event_type: 'ToolInvoked' as const, call_id: 'c1', tool_id: 'find', status: 'success' as const, output };
    const read = new Session({ system, correlationId: 'c', slices: { counted } });
    const unread = new Session({ system, correlationId: 'c' });
    for (const session of [read, unread]) {
      const appended = session.append(invoked);
      session.append(custom('after'));
      output.list.push(2);
      expect(appended.event).toBe(session.events[0]);
      output.list.pop();
    }
    output.list.push(3);
    await system.advance(1_000);
    expect(unread.events).toEqual(read.events);
    expect(unread.events[0]).toBe(unread.events[0]);
    const [first] = unread.events as unknown as readonly [{ readonly output: typeof output; readonly seq: number }];
    expect([first.output, first.seq, unread.events[1]?.seq]).toEqual([{ list: [1] }, 1, 2]);
    expect(() => first.output.list.push(4)).toThrow(TypeError);
    expect(Session.restore(unread.save()).events).toEqual(read.events);
  });

  it('may be unreadable', () => {
    const hostile = Object.defineProperty({}, 'event_type', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    const session = new Session({ system: manualSystem() });
    expect(session.append(hostile as never).event).toMatchObject({ event_type: '[unreadable]', seq: 1 });
  });

  it('truncate large payloads', () => {
    const session = new Session({ system: manualSystem(), maxPayloadChars: 1_000 });
    const { event } = session.append(custom('large', 'x'.repeat(100_000)));
    expect(JSON.stringify(event).length).toBeLessThan(2_000);
    expect(event).toMatchObject({ event_type: 'Custom', name: 'large' });
  });

  it('get a generated correlation id', () => {
    const one = new Session({ system: manualSystem({ seed: 'one' }) });
    expect(one.correlationId).toBe('one');
    const unnamed = new Session();
    expect(unnamed.correlationId).toBe(unnamed.correlationId);
    expect(unnamed.correlationId).not.toBe(new Session().correlationId);
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
    ['returns a promise', (async () => []) as never, /must return its state synchronously/],
    ['appends', () => (sessionOf.append(custom('again')), []), /must not append events/],
  ];
  let sessionOf: Session;
  it.each(failing)('one that %s leaves its slice unchanged and is reported', (_what, reduce, message) => {
    const reported: ReducerError[] = [];
    const session = new Session({
      system: manualSystem(),
      slices: { list: { initial: ['kept'], reduce }, counted },
      onReducerError: (error) => void reported.push(error),
    });
    sessionOf = session as unknown as Session;
    const { reducerErrors, event } = session.append(custom('a'));
    expect(session.slice('list')).toEqual(['kept']);
    expect(session.slice('counted')).toBe(1);
    expect(reducerErrors).toMatchObject([
      { name: 'ReducerError', code: 'REDUCER_FAILED', reducer: 'list', message: expect.stringMatching(message), payload: event },
    ]);
    expect(reported).toEqual(reducerErrors);
    expect(session.reducerErrors).toEqual(reducerErrors);
    expect(session.metrics.reducer_error_total).toBe(1);
    expect(session.events.map(({ event_type }) => event_type)).toEqual(['Custom', 'ReducerFailed']);
  });

  it('cause no further failures when all of them fail', () => {
    const boom = (): never => {
      throw new Error('no');
    };
    const slices = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`slice-${index}`, { initial: 0, reduce: boom }]));
    const session = new Session({ system: manualSystem(), slices });
    expect(session.append(custom('a')).reducerErrors).toHaveLength(20);
    expect(session.events).toHaveLength(21);
  });

  it('stop listeners that append endlessly, and do not call removed ones', () => {
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
    let calls = 0;
    const removeListener = session.onReducerError(() => {
      calls += 1;
      session.append(custom('again'));
    });
    session.append(custom('a'));
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThan(20);
    removeListener();
    const before = calls;
    session.append(custom('b'));
    expect(calls).toBe(before);
  });

  it('have their errors redacted', () => {
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
    [{ metrics: counted }, /'metrics' is built in/],
    [{ own: { initial: 0 } }, /reduce/],
    [{ own: null }, /reduce/],
  ])('%# are checked', (slices, message) => {
    expect(() => new Session({ slices } as never)).toThrow(message);
  });
});

const bad = {
  initial: 0,
  reduce: (count: number, event: SessionEvent): number => {
    if (event.event_type === 'Custom') throw new Error('no');
    return count;
  },
};

describe('long sessions', () => {
  it('take constant time per event, and return lists that later events do not change', () => {
    const session = new Session({ system: manualSystem() });
    const failure = {
      event_type: 'ValidationRetryScheduled' as const,
      source: 'tool' as const,
      attempt: 1,
      max_attempts: 3,
      error_type: 'E',
      error: 'e',
      delay_ms: 0,
      retry_scheduled_at: '2025-11-05T10:30:45.000Z',
      feedback: true,
    };
    session.append(failure);
    const early = session.feedback;
    expect(session.feedback).toBe(early);
    const startedAt = performance.now();
    for (let index = 1; index < 30_000; index++) session.append(failure);
    // Takes a second; with a copy of the list for each event it would take a minute.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(early).toHaveLength(1);
    expect(session.feedback).toHaveLength(30_000);
    expect(Object.isFrozen(session.feedback)).toBe(true);
  });

  it('support states of any length', () => {
    const session = new Session({
      system: manualSystem(),
      slices: { long: { initial: [] as readonly number[], reduce: () => Array.from({ length: 300_000 }, () => 1) } },
    });
    expect(session.append(custom('a')).reducerErrors).toEqual([]);
    expect(session.slice('long')).toHaveLength(300_000);
  });
});

describe('options', () => {
  it('a redactor that throws removes the whole text, and the error is still recorded', () => {
    const redact = (): never => {
      throw new Error('broken');
    };
    const session = new Session({ system: manualSystem(), slices: { bad }, redact });
    expect(session.append(custom('a')).reducerErrors).toMatchObject([{ reducer: 'bad', message: '[redacted]' }]);
  });

  it.each([
    [{ slice: {} }, /no setting 'slice'. Did you mean 'slices'/],
    [{ maxPayloadChars: 0 }, /Session.maxPayloadChars must be a number of characters, 1 or more/],
    [{ onReducerError: 1 }, /onReducerError/],
    [{ logger: { log: () => 1 } }, /Session.logger.debug/],
    [{ logger: 'pino' }, /a logger such as pino/],
    [{ correlationId: 7 }, /correlationId/],
  ])('%# are checked', (options, message) => {
    expect(() => new Session(options as never)).toThrow(message);
  });
});

describe('saved sessions', () => {
  it('report new failures of reducers, and not again those that are already recorded', () => {
    const system = manualSystem();
    const old = new Session({ system, slices: { bad } });
    old.append(custom('a'));
    const reported: ReducerError[] = [];
    const onReducerError = (error: ReducerError): void => void reported.push(error);
    const slices = { bad, changed: bad };
    const restored = Session.restore(JSON.parse(JSON.stringify(old.save())) as SavedSession, { system, slices, onReducerError });
    expect(reported.map(({ reducer }) => reducer)).toEqual(['changed']);
    expect(restored.reducerErrors.map(({ reducer }) => reducer)).toEqual(['bad', 'changed']);
    const again = Session.restore(restored.save(), { system, slices, onReducerError });
    expect(reported).toHaveLength(1);
    expect(again.save()).toEqual(restored.save());
  });

  it('restore the same events and state through JSON', () => {
    const system = manualSystem();
    const session = new Session({ system, correlationId: 'c', slices: { counted } });
    session.append(custom('a', { deep: [1, null] }));
    session.append({ event_type: 'ValidationRecovered', source: 'tool', tool_id: 't', attempts: 2 });
    const saved = JSON.parse(JSON.stringify(session.save())) as SavedSession;
    const reported: unknown[] = [];
    const restored = Session.restore(saved, { system, slices: { counted }, onReducerError: (error) => void reported.push(error) });
    expect(restored.save()).toEqual(session.save());
    expect(restored.state).toEqual(session.state);
    expect(restored.append(custom('b')).event).toMatchObject({ seq: 3, correlation_id: 'c' });
    expect(reported).toEqual([]);
    expect(foldSession(saved.events, { counted }).counted).toBe(1);
  });

  it.each([
    [null, /version/],
    [{ version: 2 }, /version.*1/],
    [{ version: 1 }, /correlationId/],
    [{ version: 1, correlationId: 'c', events: 5 }, /'events' must be an array/],
    [{ version: 1, correlationId: 'c', events: [{ seq: 1 }] }, /event 1 must have its event_type and the seq 1\./],
    [{ version: 1, correlationId: 'c', events: [{ event_type: 'Custom', seq: 2 }] }, /event 1/],
  ])('%# are rejected when they are invalid', (saved, message) => {
    expect(() => Session.restore(saved as never)).toThrow(message);
  });
});
