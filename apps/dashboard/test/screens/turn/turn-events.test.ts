import type { TraceEvent } from '@holdfast/core';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTurnEvents, viewAt } from '../../../src/screens/turn/turn-events.model.ts';
import type { CallView, TurnView } from '@holdfast/core/turn-view';
import { deadlined, large, refused, troubled } from './recorded-turns.ts';

const viewOf = (events: readonly TraceEvent[]): TurnView => {
  const turnEvents = createTurnEvents();
  turnEvents.append(events);
  return turnEvents.view();
};
const callOf = (view: TurnView, callId: string): CallView => {
  const call = view.calls.find((each) => each.callId === callId);
  if (call === undefined) throw new Error(`No call ${callId}`);
  return call;
};
const kinds = (call: CallView): readonly string[] =>
  call.segments.map(({ kind, result }) => (result === 'none' ? kind : `${kind} ${result}`));

describe('turn events', () => {
  let events: readonly TraceEvent[];
  beforeAll(async () => {
    events = await troubled();
  });

  it('list attempts, backoffs and the alternative', () => {
    const flights = callOf(viewOf(events), 'flights');
    expect(flights.status).toBe('success');
    expect(kinds(flights)).toEqual(['prepare', 'attempt error', 'backoff', 'attempt error', 'backoff', 'attempt error', 'attempt success']);
    const last = flights.segments.at(-1);
    expect([last?.toolName, last?.alternative, last?.startMs, last?.endMs]).toEqual([
      'flights_backup',
      true,
      expect.closeTo(470, 0),
      expect.closeTo(550, 0),
    ]);
    expect(flights.decisions.map(({ decision }) => decision.action)).toEqual(['retry', 'retry', 'use_alternative']);
    expect(flights.failures.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 503],
      [2, 503],
      [3, 503],
    ]);
    expect(flights.output).toEqual({ visit: 1 });
    expect(flights.input).toEqual({ to: 'LIS' });
  });

  it('show the wait for dependencies', () => {
    const prices = callOf(viewOf(events), 'prices');
    const [first] = prices.segments;
    expect([first?.kind, first?.startMs, first?.endMs]).toEqual(['dependency', 0, expect.closeTo(693, 0)]);
    expect(prices.defaults).toEqual(['activities']);
  });

  it('show late work with its attempt', () => {
    const activities = callOf(viewOf(events), 'activities');
    expect(activities.status).toBe('timeout');
    const late = activities.segments.filter(({ kind }) => kind === 'late');
    expect(late.map(({ attempt, result }) => [attempt, result])).toEqual([
      [1, 'abandoned'],
      [2, 'abandoned'],
    ]);
    expect(viewOf(events).durationMs).toBeCloseTo(733, 0);
  });

  it('show why a call was skipped, from the direct cause to the root cause', () => {
    expect(callOf(viewOf(events), 'confirm').skip?.causedBy).toEqual(['book', 'activities']);
    expect(callOf(viewOf(events), 'confirm').status).toBe('skipped');
  });

  it('give the same view for any chunking, including overlapping streams', () => {
    const whole = viewOf(events);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: events.length })), (cuts) => {
        const turnEvents = createTurnEvents();
        for (const cut of [...cuts.toSorted((a, b) => a - b), events.length])
          turnEvents.append(events.slice(Math.max(0, turnEvents.lastSeq - 3), cut));
        expect(turnEvents.view()).toEqual({ ...whole, revision: turnEvents.view().revision });
        expect(turnEvents.events()).toEqual(events);
      }),
      { numRuns: 30 },
    );
  });

  it('show the turn at a given time', () => {
    const then = viewAt(events, 160);
    expect(callOf(then, 'weather').status).toBe('backing_off');
    expect(callOf(then, 'flights').segments.at(-1)).toMatchObject({ kind: 'attempt', attempt: 2, endMs: undefined, result: 'running' });
    expect(then.status).toBe('running');
    expect(callOf(then, 'book').status).toBe('waiting');
  });

  it('end the calls of a turn at its deadline', async () => {
    const view = viewOf(await deadlined());
    expect(view.outcome).toBe('deadline');
    expect(view.deadlineReachedMs).toBeCloseTo(500, 0);
    expect(kinds(callOf(view, 'slow'))).toEqual(['prepare', 'attempt timeout', 'late late_success']);
    expect([callOf(view, 'after').status, ...kinds(callOf(view, 'after'))]).toEqual(['not_run', 'dependency']);
  });

  it('show a refusal once, and the wait for a slot in the turn', async () => {
    const view = viewOf(await refused());
    expect(callOf(view, 'again').failures.map(({ attempt, code, refused: was }) => [attempt, code, was])).toEqual([
      [1, 'SERVICE_UNAVAILABLE', false],
      [0, 'CIRCUIT_OPEN', true],
    ]);
    expect(kinds(callOf(view, 'gone'))).toEqual(['place', 'prepare', 'attempt error']);
    expect(view.circuits.map(({ toolName, state }) => [toolName, state])).toEqual([['breaking', 'open']]);
  });

  it('accept any damage to any event', () => {
    const anything = fc.oneof(fc.constant(undefined), fc.constant(null), fc.integer(), fc.string(), fc.constant({}), fc.constant([]));
    const damage = fc.record({ at: fc.nat(events.length - 1), field: fc.nat(8), value: anything });
    fc.assert(
      fc.property(fc.array(damage, { maxLength: 8 }), (damages) => {
        const broken: Record<string, unknown>[] = events.map((event) => ({ ...event }));
        for (const { at, field, value } of damages) {
          const event = broken[at] ?? {};
          const key = Object.keys(event)[field] ?? 'event_type';
          // An event of another turn would be ignored.
          if (key !== 'seq' && key !== 'turn_id') event[key] = value;
        }
        expect(viewOf(broken as unknown as TraceEvent[]).events).toBe(events.length);
      }),
      { numRuns: 200 },
    );
  });

  it('handle thousands of attempts, event by event, without quadratic work', async () => {
    const many = await large(500);
    const turnEvents = createTurnEvents();
    for (const event of many) turnEvents.append([event]);
    const view = turnEvents.view();
    expect(view.calls.length).toBe(500);
    expect(view.calls.reduce((sum, { segments }) => sum + segments.filter(({ kind }) => kind === 'attempt').length, 0)).toBe(2500);
  });
});
