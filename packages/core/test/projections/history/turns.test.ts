/** Facts about turns, and the limits of a history. */
import { expect, it } from 'vitest';
import { createHistory } from '../../../src/projections/history/history.ts';
import type { TraceEvent } from '../../../src/engine/trace/events.ts';
import { play } from './scenes.ts';

const at = (turn_id: string, seq: number, ms = seq) => ({
  turn_id,
  seq,
  timestamp: new Date(1_800_000_000_000 + ms).toISOString(),
  elapsed_ms: ms,
});

it('records the facts of a turn with retries, failures and an alternative', async () => {
  const { events } = await play({
    outcomes: { work: ['down', 'good'], broken: ['wrong'], backup: ['good'] },
    policies: { broken: { alternatives: ['backup'] } },
    calls: [['work', 'broken', 'made_up']],
  });
  const history = createHistory();
  for (const event of events) history.observe(event);
  const { turns } = history.take();
  expect(turns).toMatchObject([
    {
      outcome: 'partial',
      calls: 3,
      events: events.length,
      facts: {
        tools: ['work', 'broken', 'made_up', 'backup'],
        codes: expect.arrayContaining(['NETWORK_ERROR', 'INVALID_INPUT', 'UNKNOWN_TOOL']) as unknown,
        retries: 1,
        failed_calls: 1,
        skipped_calls: 0,
        waited_ms: 0,
        used_alternative: true,
        deadline_missed: false,
        repaired: false,
      },
    },
  ]);
  const [turn] = turns;
  expect(turn?.ended_at).toBe(Math.floor((turn?.started_at ?? 0) + (turn?.facts.duration_ms ?? 0)));
});

it('lists failed calls, not failed attempts: once each, with the tool that was asked for', async () => {
  const { events } = await play({
    outcomes: { flaky: ['down', 'good'], work: ['down', 'down', 'down', 'wrong'], broken: ['wrong'], backup: ['wrong'] },
    policies: { broken: { alternatives: ['backup'] }, work: { retry: { maxAttempts: 3 } } },
    calls: ['flaky', 'work', 'work', 'broken'],
  });
  const history = createHistory();
  for (const event of events) history.observe(event);
  const { failures, cells } = history.take();
  expect(failures.map(({ toolName, failure: { attempt, code, call_ended } }) => [toolName, attempt, code, call_ended])).toEqual([
    ['work', 3, 'NETWORK_ERROR', 'failed'],
    ['work', 1, 'INVALID_INPUT', 'failed'],
    ['broken', 2, 'INVALID_INPUT', 'failed'],
  ]);
  const failed = cells.reduce((sum, { cell }) => sum + cell.counts.failed, 0);
  expect(failures).toHaveLength(failed);
});

it('counts refused calls without listing them, and names the latest refusal only where nothing else has failed', async () => {
  const policies = { work: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 2, openMs: 60_000 } } };
  const { events } = await play({ outcomes: { work: ['down'] }, policies, calls: ['work', 'work', 'work', 'work'] });
  const history = createHistory();
  for (const event of events) history.observe(event);
  const { failures, cells } = history.take();
  expect(failures.map(({ failure }) => failure.code)).toEqual(['NETWORK_ERROR', 'NETWORK_ERROR']);
  expect(cells.reduce((sum, { cell }) => sum + cell.counts.refused, 0)).toBe(2);
  expect(history.lastFailure('work')?.code).toBe('NETWORK_ERROR');
  const later = createHistory();
  for (const event of events.slice(events.findIndex(({ event_type: type }) => type === 'CallRefused') - 1)) later.observe(event);
  expect(later.lastFailure('work')?.code).toBe('CIRCUIT_OPEN');
});

it('does not count a retry that was scheduled and then refused by its circuit', async () => {
  const policies = { work: { retry: { maxAttempts: 3, initialDelayMs: 500 }, breaker: { failureThreshold: 2, openMs: 60_000 } } };
  const { events } = await play({ outcomes: { work: ['down'] }, policies, calls: [['work', 'work']] });
  const ofType = (type: TraceEvent['event_type']): number => events.filter(({ event_type: each }) => each === type).length;
  expect([ofType('RetryScheduled') > 0, ofType('CallRefused') > 0, ofType('AttemptStarted')]).toEqual([true, true, 2]);
  const history = createHistory();
  for (const event of events) history.observe(event);
  const { cells, turns } = history.take();
  expect(cells.reduce((sum, { cell }) => sum + cell.counts.retries, 0)).toBe(0);
  expect(turns).toMatchObject([{ facts: { retries: 0 } }]);
});

it('counts the calls of other tools that a tool has served', async () => {
  const { events } = await play({
    outcomes: { broken: ['wrong'], backup: ['good'] },
    policies: { broken: { alternatives: ['backup'] } },
    calls: ['broken', 'broken', 'backup'],
  });
  const history = createHistory();
  for (const event of events) history.observe(event);
  const { cells } = history.take();
  const served = (tool: string): number =>
    cells.filter(({ toolName }) => toolName === tool).reduce((sum, { cell }) => sum + cell.counts.served, 0);
  expect([served('broken'), served('backup')]).toEqual([0, 2]);
});

it('records a single call as a turn, including a repair reported after its end', () => {
  const history = createHistory();
  const call = { call_id: 'a', tool_id: 'work' };
  const events: readonly TraceEvent[] = [
    { ...at('t', 1), event_type: 'CallStarted', ...call },
    {
      ...at('t', 2),
      event_type: 'CallCompleted',
      ...call,
      status: 'success',
      served_by: 'work',
      attempts: 1,
      execution_time_ms: 1,
      ends_turn: true,
    },
  ];
  for (const event of events) history.observe(event);
  expect(history.take().turns).toMatchObject([{ turn_id: 't', outcome: 'success', calls: 1, facts: { repaired: false } }]);
  history.observe({ ...at('t', 3), event_type: 'ArgumentsRepaired', ...call, repairs: ['quotes'] });
  expect(history.take().turns).toMatchObject([{ turn_id: 't', outcome: 'success', events: 3, facts: { repaired: true } }]);
  expect(history.take().turns).toEqual([]);
});

it('records the longest wait of a call at a gate, not its backoff', () => {
  const history = createHistory();
  const stamp = (seq: number, elapsed: number): ReturnType<typeof at> => ({ ...at('t', seq), elapsed_ms: elapsed });
  const [one, two] = [
    { call_id: 'a', tool_id: 'work' },
    { call_id: 'b', tool_id: 'work' },
  ] as const;
  const ended = { status: 'success', served_by: 'work', attempts: 1, execution_time_ms: 1 } as const;
  const started = { timeout_ms: 1_000, circuit_breaker_state: 'closed' } as const;
  const events: readonly TraceEvent[] = [
    { ...stamp(1, 0), event_type: 'TurnStarted', calls: [] } as unknown as TraceEvent,
    { ...stamp(2, 0), event_type: 'CallStarted', ...one },
    { ...stamp(3, 0), event_type: 'CallStarted', ...two },
    { ...stamp(4, 0), event_type: 'AdmissionWaiting', ...one, wait: 'retry_after', delay_ms: 400 },
    { ...stamp(5, 0), event_type: 'AdmissionWaiting', ...two, wait: 'concurrency' },
    { ...stamp(6, 150), event_type: 'AttemptStarted', ...two, attempt: 1, ...started },
    { ...stamp(7, 160), event_type: 'CallCompleted', ...two, ...ended },
    { ...stamp(8, 421), event_type: 'AttemptStarted', ...one, attempt: 1, ...started },
    { ...stamp(9, 430), event_type: 'RetryScheduled', ...one, attempt: 2, delay_ms: 500 },
    { ...stamp(10, 930), event_type: 'AttemptStarted', ...one, attempt: 2, ...started },
    { ...stamp(11, 940), event_type: 'CallCompleted', ...one, ...ended },
  ];
  for (const event of events) history.observe(event);
  expect(history.take().turns).toMatchObject([{ facts: { waited_ms: 421 } }]);
});

it('records no turn for events outside any turn', () => {
  const history = createHistory();
  history.observe({
    ...at('hand', 1),
    event_type: 'CircuitBreakerOpened',
    tool_id: 'work',
    message: '',
    reason: 'manual',
    failure_count: 0,
  });
  history.observe({
    ...at('late', 7),
    event_type: 'LateResult',
    call_id: 'a',
    tool_id: 'work',
    attempt: 1,
    result: 'late_success',
    duration_ms: 1,
  });
  expect(history.take().turns).toEqual([]);
  expect(history.knowsTurn('hand')).toBe(false);
});

it('records another turn when a turn id is used again', () => {
  const history = createHistory();
  const run = (ms: number): void => {
    history.observe({ ...at('t', 1, ms), event_type: 'CallStarted', call_id: 'a', tool_id: 'work' });
    history.observe({
      ...at('t', 2, ms),
      event_type: 'CallCompleted',
      call_id: 'a',
      tool_id: 'work',
      status: 'success',
      served_by: 'work',
      attempts: 1,
      execution_time_ms: 1,
      ends_turn: true,
    });
  };
  run(10);
  run(20);
  expect(history.take().turns.map(({ started_at }) => started_at - 1_800_000_000_000)).toEqual([10, 20]);
});

it('counts the turns of the last five minutes and those that missed their deadline', () => {
  const history = createHistory();
  const end = (turnId: string, ms: number, missed: boolean): void => {
    history.observe({ ...at(turnId, 1, ms), event_type: 'TurnStarted', calls: [] } as never);
    if (missed)
      history.observe({ ...at(turnId, 2, ms), event_type: 'TurnDeadlineReached', timeout_ms: 1, running: [], waiting: [], message: '' });
    history.observe({
      ...at(turnId, 3, ms),
      event_type: 'TurnCompleted',
      outcome: 'deadline',
      summary: '',
      escalated: false,
      duration_ms: 1,
      critical_path: [],
      message: '',
    });
  };
  end('old', 0, true);
  end('one', 400_000, true);
  end('two', 410_000, false);
  expect(history.recentTurns(1_800_000_420_000)).toEqual({ turns: 2, deadlinesMissed: 1 });
  expect(history.recentTurns(1_800_001_420_000)).toEqual({ turns: 0, deadlinesMissed: 0 });
});

it('bounds everything: turns and calls that never end, invented tools, messages, clusters and records that are never taken', () => {
  const history = createHistory({ limits: { tools: 50, turns: 100, clusters: 40, cells: 60, changes: 30 } });
  for (let index = 0; index < 3_000; index += 1) {
    const stamp = at(`turn-${index}`, 1, index * 1_000);
    const call = { call_id: 'a', tool_id: `tool-${index % 500}` };
    const circuit = { circuit_breaker_state: 'closed' } as const;
    history.observe({ ...stamp, event_type: 'CallStarted', ...call });
    history.observe({ ...stamp, seq: 2, event_type: 'AttemptStarted', ...call, attempt: 1, timeout_ms: 1, ...circuit });
    history.observe({
      ...stamp,
      seq: 3,
      event_type: 'ToolError',
      ...call,
      error: `failure ${'abcdefghij'[index % 10]}${'klmnopqrst'[Math.floor(index / 10) % 10]}`,
      attempt: 1,
      classification: 'transient',
      ...circuit,
      retry_count: 0,
      decision: 'retry',
      code: `CODE_${index % 100}`,
      category: 'network',
      rule: '',
      ambiguous: false,
      duration_ms: 1,
    });
    history.observe({ ...stamp, seq: 4, event_type: 'CircuitBreakerOpened', ...call, message: '', reason: 'manual', failure_count: 1 });
  }
  expect(history.clusters()).toHaveLength(40);
  expect(history.takeChanges()).toHaveLength(30);
  expect(history.turn('turn-0')).toBeUndefined();
  expect(history.turn('turn-2999')).toBeDefined();
  expect(history.samplesOf('tool-0')).toEqual([]);
  const { cells, turns, circuitChanges } = history.take();
  expect(cells).toHaveLength(60);
  expect(turns.length).toBeLessThanOrEqual(100);
  expect(circuitChanges.length).toBeLessThanOrEqual(30);
});
