/** A process that takes over a turn: calls in backoff, running attempts, time, and events of the gates. */
import type { System } from '@holdfast/core';
import { ToolExecutionService } from '@holdfast/core';
import { runJournaledTurn } from '@holdfast/core/journal';
import type { DeathPoint } from '@holdfast/core/testing';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { manualJournal } from './manual-journal.ts';
import { fail, one, scripted } from './scenes.ts';
import { comparable, runEveryDeath, runInProcess, runJournaled } from './support.ts';
import type { MakeTools, Scene } from './support.ts';

/** A long backoff after the first failure. */
const patient = { retry: { initialDelayMs: 10_000, maxDelayMs: 10_000, jitter: 'none', maxTotalTimeMs: 60_000 } } as const;

describe('a call in backoff', () => {
  const failsOnce: Scene = {
    tools: scripted({ main: { ...patient, ends: (run) => (run === 1 ? fail('ECONNRESET') : 'recovered') } }),
    plan: { timeoutMs: 60_000, ...one('main') },
  };

  test.for([0, 3_000])('waits for the rest of its backoff when taken over after %d ms', async (takeOverMs) => {
    const expected = await runInProcess(failsOnce);
    expect(expected.turn.executionTime).toBe(10_000);
    const { turn, journal } = await runJournaled(failsOnce, { dieAfterMs: 2_000, takeOverMs });
    expect(journal.deaths).toBe(1);
    expect(turn).toMatchObject({ outcome: 'success', executionTime: 10_000 });
  });

  test('is retried at once when its backoff has passed', async () => {
    const { turn } = await runJournaled(failsOnce, { dieAfterMs: 2_000, takeOverMs: 20_000 });
    expect(turn).toMatchObject({ outcome: 'success', executionTime: 22_000 });
  });

  test('ends when the circuit opens in the process that has taken over', async () => {
    const tools: MakeTools = (system, world, process) =>
      scripted({ main: { ...patient, breaker: { failureThreshold: process === 1 ? 5 : 1 }, ends: () => fail('ECONNREFUSED') } })(
        system,
        world,
        process,
      );
    const { turn, journal } = await runJournaled(
      { tools, plan: { timeoutMs: 60_000, ...one('main') } },
      {
        dieAfterMs: 2_000,
        before: async (service, { number, system }) =>
          void (
            number === 2 &&
            system.setTimer(1_000, () => void service.executeTool({ toolName: 'main', policy: { retry: { maxAttempts: 1 } } }))
          ),
      },
    );
    expect(journal.deaths).toBe(1);
    expect(turn.results[0]).toMatchObject({ attempts: 1, error: { stoppedBy: 'circuit' } });
    expect(turn.executionTime).toBe(3_000);
  });
});

describe('a running attempt', () => {
  test('is not repeated when the circuit of its tool has opened', async () => {
    const scene: Scene = { tools: scripted({ main: { takes: 100, alternatives: ['spare'] }, spare: { takes: 5 } }), plan: one('main') };
    const { turn, world, journal } = await runJournaled(scene, {
      dieAfterMs: 50,
      before: async (service, { number }) => void (number === 2 && service.controlCircuit('main', 'forced_open')),
    });
    expect(journal.deaths).toBe(1);
    expect(world.begun).toEqual(['main', 'spare']);
    expect(turn.results[0]).toMatchObject({ status: 'success', servedBy: 'spare' });
    expect(JSON.stringify(turn.trace)).toContain('Interrupted: the worker that ran main was lost, and its circuit is open');
  });

  test('continues above the limit of its tool, and leaves no entry in the queue', async () => {
    const scene: Scene = { tools: scripted({ main: { takes: 100, concurrency: { limit: 1, queue: 5 } } }), plan: one('main') };
    const { turn, services, system } = await runJournaled(scene, {
      dieAfterMs: 50,
      before: async (service, { number }) => void (number === 2 && service.executeTool({ toolName: 'main' })),
    });
    expect(turn).toMatchObject({ outcome: 'success', executionTime: 150 });
    await system.advance(1_000);
    expect(services).toHaveLength(2);
    expect(services[1]?.getToolHealth('main')).toMatchObject({ inFlight: 0, queued: 0 });
    const next = await system.until((services[1] as ToolExecutionService).executeTool({ toolName: 'main' }));
    expect(next).toMatchObject({ status: 'success', executionTime: 100 });
  });
});

test('events of circuits are in the trace of the process that takes over, whose circuits have no history', async () => {
  const breaker = { failureThreshold: 1, openMs: 100 };
  const tools = scripted({
    first: { takes: 200 },
    main: { breaker, ends: (run) => (run === 1 ? fail('ECONNREFUSED') : 'recovered') },
    bad: { breaker, retry: { maxAttempts: 1 }, ends: () => fail('ECONNREFUSED') },
    last: { takes: 100 },
  });
  const calls = [
    { callId: 'A', toolName: 'first' },
    { callId: 'B', toolName: 'main', dependsOn: ['A'] },
    { callId: 'C', toolName: 'bad' },
    { callId: 'D', toolName: 'last', dependsOn: ['B'] },
  ];
  const run = (dieAfterMs?: number): ReturnType<typeof runJournaled> =>
    runJournaled(
      { tools, plan: { calls } },
      {
        ...(dieAfterMs === undefined ? {} : { dieAfterMs }),
        // A circuit of the first process only is open when the turn starts, and half-open when the call of its tool starts.
        before: async (service, { number }) =>
          number === 1 && service.executeTool({ toolName: 'main', policy: { retry: { maxAttempts: 1 } } }),
      },
    );
  const transitions = ({ turn }: Awaited<ReturnType<typeof run>>): unknown =>
    comparable(turn.trace).filter(({ event_type }) => String(event_type).startsWith('CircuitBreaker'));
  const alive = await run();
  const takenOver = await run(250);
  expect(takenOver.journal.deaths).toBe(1);
  expect(transitions(alive)).toMatchObject([
    { event_type: 'CircuitBreakerOpened', tool_id: 'bad' },
    { event_type: 'CircuitBreakerHalfOpened', tool_id: 'main' },
    { event_type: 'CircuitBreakerClosed', tool_id: 'main' },
  ]);
  expect(transitions(takenOver)).toEqual(transitions(alive));
});

describe('a turn that is taken over after its end was due', () => {
  const step = { takes: 100, ends: () => 'late' };
  const ends = [
    ['its deadline, with running attempts detached', { plan: { onDeadline: 'detach' }, runOptions: {}, at: 300 }],
    ['its deadline, with running attempts aborted', { plan: { onDeadline: 'abort' }, runOptions: {}, at: 300 }],
    ['a cancellation', { plan: { timeoutMs: null }, runOptions: { cancelAfterMs: 300 }, at: 700 }],
  ] as const;
  /** Another call waits for these. */
  const moments = [
    ['running attempts', 50],
    ['a step whose work never started', 100],
    ['a call in backoff', 150],
  ] as const;
  const cases = ends.flatMap(([end, options]) => moments.map(([moment, dieAfterMs]) => ({ end, moment, dieAfterMs, ...options })));

  test.for(cases)('starts nothing: $end, $moment', async ({ plan, runOptions, dieAfterMs }) => {
    const breaker = false;
    const tools = scripted({
      hung: { takes: 100_000, timeoutMs: 200_000 },
      shaky: { ...patient, breaker, takes: 100, retry: { ...patient.retry, initialDelayMs: 100 }, ends: () => fail('ECONNRESET') },
      other: step,
    });
    const calls = [
      { callId: 'A', toolName: 'hung' },
      { callId: 'B', toolName: 'shaky' },
      { callId: 'C', toolName: 'other', dependsOn: ['B'] },
    ];
    const scene: Scene = { tools, plan: { timeoutMs: 300, ...plan, calls } };
    const dies = dieAfterMs === 100 ? { dies: ({ at, name }: DeathPoint) => at === 'command' && name === 'B#2' } : { dieAfterMs };
    const { turn, world, journal } = await runJournaled(scene, { ...runOptions, ...dies, takeOverMs: 700 });
    expect(journal.deaths).toBe(1);
    expect(turn.results.map(({ status }) => status)).not.toContain('success');
    expect(world.begun).toEqual(['hung', 'shaky']);
    expect(turn.executionTime).toBe(dieAfterMs + 700);
  });
});

describe('a worker that is suspended beyond the deadline', () => {
  const tools = scripted({
    shaky: { ...patient, takes: 100, retry: { ...patient.retry, initialDelayMs: 200 }, ends: () => fail('ECONNRESET') },
  });

  test('starts nothing when it resumes', async () => {
    const system = manualSystem();
    const world = { begun: [], done: [] };
    const service = new ToolExecutionService({ tools: tools(system, world, 1), seed: 'seed', system });
    const journal = manualJournal();
    const turn = runJournaledTurn({ service, turnId: 'turn', plan: { timeoutMs: 1_000, ...one('shaky') }, journal });
    const first = journal.begin('A#1');
    journal.deliver(await journal.begin('start'));
    await system.advance(150);
    journal.deliver(await first);
    await system.settle();
    void journal.begin('A#2');
    system.sleep(60_000);
    // Its timers fire before the engine delivers an entry.
    await system.advance(1);
    expect(world.begun).toEqual(['shaky']);
    journal.deliver({ type: 'timer', name: 'deadline' });
    await system.settle();
    journal.deliver(await journal.begin('deadline'));
    expect(await turn).toMatchObject({ outcome: 'deadline', executionTime: 60_151 });
    expect(world.begun).toEqual(['shaky']);
  });

  test('continues if only its clock is far ahead: the timer of the engine decides', async () => {
    const { turn, world, journal } = await runJournaled(
      { tools: scripted({ main: { takes: 100 } }), plan: { timeoutMs: 1_000, ...one('main') } },
      { dieAfterMs: 50, before: async (_service, { number, system }) => void (number === 2 && stepWallClock(system, 7_200_000)) },
    );
    expect(journal.deaths).toBe(1);
    expect(world.begun).toEqual(['main', 'main']);
    expect(turn.outcome).toBe('success');
  });
});

/** Steps the wall clock of one process only. */
function stepWallClock(system: System, milliseconds: number): void {
  const epochMs = system.epochMs.bind(system);
  Object.assign(system, { epochMs: () => epochMs() + milliseconds });
}

test('a deadline that the journal reports early by the local clock still ends the turn at its time', async () => {
  const system = manualSystem();
  const tools = scripted({ hung: { takes: 100_000 } })(system, { begun: [], done: [] }, 1);
  const service = new ToolExecutionService({ tools, system });
  const journal = manualJournal();
  const turn = runJournaledTurn({ service, turnId: 'turn', plan: { timeoutMs: 1_000, ...one('hung') }, journal });
  void journal.begin('A#1');
  journal.deliver(await journal.begin('start'));
  await system.advance(990);
  journal.deliver({ type: 'timer', name: 'deadline' });
  await system.settle();
  journal.deliver(await journal.begin('deadline'));
  expect(await turn).toMatchObject({ outcome: 'deadline', executionTime: 1_000 });
});

describe('the record of a take-over', () => {
  const takeOvers = ({ turn }: Awaited<ReturnType<typeof runJournaled>>): unknown =>
    comparable(turn.trace).filter(({ event_type }) => event_type === 'TurnTakenOver');

  test('has the time without a record and the calls that are run again', async () => {
    const tools = scripted({ first: { takes: 20 }, main: { takes: 100 }, slow: { takes: 200 } });
    const calls = [
      { callId: 'A', toolName: 'first' },
      { callId: 'B', toolName: 'main', dependsOn: ['A'] },
      { callId: 'C', toolName: 'slow' },
    ];
    const run = await runJournaled({ tools, plan: { calls } }, { dieAfterMs: 70, takeOverMs: 4_000 });
    expect(run.world.begun.filter((name) => name === 'main')).toHaveLength(2);
    expect(takeOvers(run)).toMatchObject([
      {
        gap_ms: 4_050,
        elapsed_ms: 4_070,
        repeated: ['C', 'B'],
        message: 'Another process continues: nothing is recorded of the last 4050 ms. What may have been running is run again: C, B',
      },
    ]);
    expect(comparable(run.stored)).toContainEqual(expect.objectContaining({ event_type: 'TurnTakenOver' }));
    expect(run.turn.results.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
  });

  test('names every call that is run again, wherever the process dies', async () => {
    const tools = scripted({ main: { takes: 100 }, last: { takes: 300 } });
    const calls = [
      { callId: 'A', toolName: 'main' },
      { callId: 'B', toolName: 'last', dependsOn: ['A'] },
    ];
    let runAgain = 0;
    await runEveryDeath({ tools, plan: { calls } }, ({ turn, world }) => {
      expect(turn.trace.map(({ seq }) => seq)).toEqual(turn.trace.map((_, index) => index + 1));
      const repeated = turn.trace.flatMap((event) => (event.event_type === 'TurnTakenOver' ? event.repeated : []));
      // Before its opening is journaled, a turn has no record to continue. Only its first calls may have run by then.
      const isNew = !turn.trace.some(({ event_type }) => event_type === 'TurnTakenOver');
      for (const [callId, toolName] of [
        ['A', 'main'],
        ['B', 'last'],
      ] as const) {
        if (world.begun.filter((name) => name === toolName).length < 2 || (isNew && callId === 'A')) continue;
        runAgain += 1;
        expect(repeated).toContain(callId);
      }
    });
    expect(runAgain).toBeGreaterThan(0);
    expect(takeOvers(await runJournaled({ tools, plan: { calls } }))).toEqual([]);
  });

  test('does not name calls that have not started, nor a tool that is not run again', async () => {
    const tools = scripted({
      main: { ...patient, ends: (run) => (run === 1 ? fail('ECONNRESET') : 'recovered') },
      pay: { takes: 5_000, effect: 'unsafe' },
      other: { takes: 10 },
    });
    const calls = [
      { callId: 'A', toolName: 'main' },
      { callId: 'P', toolName: 'pay' },
      { callId: 'B', toolName: 'other', dependsOn: ['A'] },
    ];
    const run = await runJournaled({ tools, plan: { timeoutMs: 60_000, calls } }, { dieAfterMs: 2_000, takeOverMs: 100 });
    expect(takeOvers(run)).toMatchObject([{ repeated: [] }]);
  });
});
