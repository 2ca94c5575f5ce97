import { describe, expect, it } from 'vitest';
import { circuitsOf, createTurnFold, foldTurn, turnTotals } from '@holdfast/core/turn-view';

import { type At, attempt, completed, decided, recorded, started, travelTurn, turnStarted } from './travel-turn.ts';

const callOf = (steps: readonly At[], callId: string) => foldTurn(recorded(steps)).calls.find((call) => call.callId === callId);
const on = { call_id: 'pay', tool_id: 'pay' } as const;
const begun: readonly At[] = [
  [0, turnStarted([{ call_id: 'pay' }])],
  [1, started('pay')],
  [1, attempt('pay', 1)],
];

describe('foldTurn', () => {
  it('folds the travel turn', () => {
    const view = foldTurn(travelTurn());
    expect(view).toMatchObject({ turnId: 'travel-7f3a', status: 'completed', outcome: 'partial', timeoutMs: 30_000, durationMs: 3486 });
    expect(view.calls.map(({ callId, status }) => [callId, status])).toEqual([
      ['flight_search', 'success'],
      ['hotel_search', 'success'],
      ['activity_search', 'timeout'],
      ['compare_prices', 'success'],
      ['create_itinerary', 'skipped'],
      ['email_plan', 'skipped'],
    ]);
    expect(turnTotals(view)).toMatchObject({
      calls: 6,
      succeeded: 3,
      timedOut: 1,
      skipped: 2,
      attempts: 7,
      retries: 2,
      retried: 1,
      recovered: 1,
      alternatives: 1,
      defaults: 1,
      late: 1,
    });
  });

  it('collects segments by tool and attempt', () => {
    const [flights] = foldTurn(travelTurn()).calls;
    expect(
      flights?.segments
        .filter(({ kind }) => kind !== 'prepare' && kind !== 'place')
        .map(({ kind, toolName, attempt, startMs, endMs, result }) => [kind, toolName, attempt, startMs, endMs, result]),
    ).toEqual([
      ['attempt', 'flight_search', 1, 1, 321, 'error'],
      ['backoff', 'flight_search', 2, 321, 425, 'none'],
      ['attempt', 'flight_search', 2, 425, 725, 'error'],
      ['attempt', 'flight_search_backup', 3, 726, 1590, 'success'],
    ]);
  });

  it('ignores the events of another turn', () => {
    const fold = createTurnFold();
    for (const event of travelTurn()) expect(fold.observe(event)).toBe(true);
    const view = fold.view();
    for (const event of recorded(begun, 'another')) expect(fold.observe(event)).toBe(false);
    expect(fold.view()).toBe(view);
  });

  it('appends calls that are not in the plan', () => {
    const view = foldTurn(
      recorded([
        [0, turnStarted([{ call_id: 'first' }])],
        [5, attempt('second', 1)],
      ]),
    );
    expect(view.calls.map(({ callId, planned }) => [callId, planned])).toEqual([
      ['first', true],
      ['second', false],
    ]);
  });

  it('keeps earlier events if the plan comes late', () => {
    const view = foldTurn(
      recorded([
        [5, attempt('pay', 1)],
        [6, turnStarted([{ call_id: 'plan' }, { call_id: 'pay' }])],
      ]),
    );
    expect(view.calls.map(({ callId, status }) => [callId, status])).toEqual([
      ['plan', 'waiting'],
      ['pay', 'running'],
    ]);
  });

  it('shows a backoff with its planned end until the next attempt', () => {
    const waiting: readonly At[] = [...begun, [50, { event_type: 'RetryScheduled', ...on, attempt: 2, delay_ms: 100 }]];
    expect(callOf(waiting, 'pay')).toMatchObject({ status: 'backing_off' });
    expect(callOf(waiting, 'pay')?.segments.at(-1)).toMatchObject({ kind: 'backoff', startMs: 50, endMs: undefined, plannedEndMs: 150 });
    const next = callOf([...waiting, [150, attempt('pay', 2)]], 'pay');
    expect(next).toMatchObject({ status: 'running', attempt: 2, retries: 1 });
    expect(next?.segments.find(({ kind }) => kind === 'backoff')).toMatchObject({ kind: 'backoff', endMs: 150 });
  });

  it('counts a hedge as an attempt, not as a retry', () => {
    const hedge = { ...attempt('pay', 2), hedge: true } as At[1];
    expect(callOf([...begun, [90, hedge]], 'pay')).toMatchObject({ attempts: 2, retries: 0 });
  });

  it('counts the attempts of an alternative from one, and its first not as a retry', () => {
    const steps: readonly At[] = [...begun, [50, attempt('pay', 2)], [90, attempt('pay_backup', 3, 30_000, 'pay')]];
    expect(callOf(steps, 'pay')).toMatchObject({ currentTool: 'pay_backup', attempt: 1, attempts: 3, retries: 1, maxAttempts: undefined });
  });

  it('tracks the state of a circuit', () => {
    const opened: At = [
      80,
      {
        event_type: 'CircuitBreakerOpened',
        tool_id: 'pay',
        message: '',
        reason: 'failure_threshold',
        failure_count: 5,
        open_for_ms: 30_000,
      },
    ];
    const half: At = [30_080, { event_type: 'CircuitBreakerHalfOpened', tool_id: 'pay', message: '', reason: 'open_period_elapsed' }];
    const closed: At = [30_090, { event_type: 'CircuitBreakerClosed', tool_id: 'pay', message: '', reason: 'probe_succeeded' }];
    const states = [[opened], [opened, half], [opened, half, closed]].map((more) => circuitsOf(foldTurn(recorded([...begun, ...more]))));
    expect(states.map(([circuit]) => circuit?.state)).toEqual(['open', 'half_open', 'closed']);
    expect(states[0]?.[0]).toMatchObject({ toolName: 'pay', sinceMs: 80, openForMs: 30_000, failureCount: 5, opened: 1 });
    expect(turnTotals(foldTurn(recorded([...begun, opened, half, closed]))).circuitsOpened).toBe(1);
  });

  it('knows which circuits were open at the start', () => {
    const start = {
      ...turnStarted([{ call_id: 'pay' }]),
      circuits: { pay: { state: 'open' }, other: { state: 'closed' } },
    } as unknown as At[1];
    expect(circuitsOf(foldTurn(recorded([[0, start]])))).toMatchObject([{ toolName: 'pay', state: 'open', opened: 0 }]);
  });

  it('does not change a completed call when its work continues', () => {
    const answered: readonly At[] = [...begun, [90, completed('pay', { status: 'timeout', code: 'TURN_DEADLINE' })]];
    const later: readonly At[] = [
      ...answered,
      [95, { event_type: 'RetryScheduled', ...on, attempt: 2, delay_ms: 10 }],
      [99, started('pay')],
      [120, { event_type: 'LateResult', ...on, attempt: 1, result: 'late_success', duration_ms: 119 }],
    ];
    expect(callOf(later, 'pay')).toMatchObject({ status: 'timeout', endedMs: 90, late: 'late_success' });
    expect(callOf(later, 'pay')?.segments.at(-1)).toMatchObject({ kind: 'late', startMs: 90, endMs: 120 });
  });

  it('marks calls that run on after a detached deadline', () => {
    const deadline: At = [100, { event_type: 'TurnDeadlineReached', timeout_ms: 100, running: ['pay'], waiting: [], message: '' }];
    expect(callOf([...begun, deadline], 'pay')).toMatchObject({ late: 'running' });
    const [first, ...rest] = [...begun, deadline];
    const aborting = [[0, { ...first![1], on_deadline: 'abort' } as At[1]] as const, ...rest];
    expect(callOf(aborting, 'pay')).toMatchObject({ late: undefined });
  });

  it('keeps decisions with their inputs', () => {
    const view = callOf([...begun, [50, decided('pay', 1, { maxAttempts: 3 }, { delay_ms: 100 })]], 'pay');
    expect(view).toMatchObject({ maxAttempts: 3 });
    expect(view?.decisions[0]).toMatchObject({ atMs: 50, decidedBy: 'built_in', decision: { action: 'retry', delayMs: 100 } });
  });

  it('collects failed components', () => {
    const view = foldTurn(recorded([[3, { event_type: 'ComponentFailed', component: 'listener', name: 'audit', error: 'disk full' }]]));
    expect(view.faults).toEqual(['listener audit failed: disk full']);
  });

  it('starts empty', () => {
    expect(foldTurn([])).toMatchObject({ status: 'empty', calls: [], turnId: '' });
    expect(turnTotals(foldTurn([])).calls).toBe(0);
  });
});
