/** What another process makes of what it takes over: of calls that sleep, of attempts that were under way, of time, and of what gates had told. */
import type { System } from '@holdfast/core';
import { ToolExecutionService } from '@holdfast/core';
import { runJournaledTurn } from '@holdfast/core/journal';
import type { DeathPoint } from '@holdfast/core/testing';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { handJournal } from './hand-journal.ts';
import { fail, one, scripted } from './scenes.ts';
import { bare, playInProcess, playJournaled } from './support.ts';
import type { MakeTools, Scene } from './support.ts';

/** Sleeps long after its first failure. */
const patient = { retry: { initialDelayMs: 10_000, maxDelayMs: 10_000, jitter: 'none', maxTotalTimeMs: 60_000 } } as const;

describe('a call that sleeps before its retry', () => {
  const failsOnce: Scene = {
    tools: scripted({ main: { ...patient, ends: (time) => (time === 1 ? fail('ECONNRESET') : 'at last') } }),
    plan: { timeoutMs: 60_000, ...one('main') },
  };

  test.for([0, 3_000])('sleeps on for what is left of its time, taken over after %d ms', async (takeOverMs) => {
    const expected = await playInProcess(failsOnce);
    expect(expected.turn.executionTime).toBe(10_000);
    const { turn, journal } = await playJournaled(failsOnce, { dieAfterMs: 2_000, takeOverMs });
    expect(journal.deaths).toBe(1);
    expect(turn).toMatchObject({ outcome: 'success', executionTime: 10_000 });
  });

  test('is tried at once where its time has passed', async () => {
    const { turn } = await playJournaled(failsOnce, { dieAfterMs: 2_000, takeOverMs: 20_000 });
    expect(turn).toMatchObject({ outcome: 'success', executionTime: 22_000 });
  });

  test('is woken when the circuit opens in the process that has taken it over', async () => {
    const tools: MakeTools = (system, world, process) =>
      scripted({ main: { ...patient, breaker: { failureThreshold: process === 1 ? 5 : 1 }, ends: () => fail('ECONNREFUSED') } })(
        system,
        world,
        process,
      );
    const { turn, journal } = await playJournaled(
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

describe('an attempt that was under way', () => {
  test('is not made again where the circuit of its tool is open by now', async () => {
    const scene: Scene = { tools: scripted({ main: { takes: 100, alternatives: ['spare'] }, spare: { takes: 5 } }), plan: one('main') };
    const { turn, world, journal } = await playJournaled(scene, {
      dieAfterMs: 50,
      before: async (service, { number }) => void (number === 2 && service.controlCircuit('main', 'forced_open')),
    });
    expect(journal.deaths).toBe(1);
    expect(world.begun).toEqual(['main', 'spare']);
    expect(turn.results[0]).toMatchObject({ status: 'success', servedBy: 'spare' });
    expect(JSON.stringify(turn.trace)).toContain('Interrupted: the worker that ran main was lost, and its circuit is open');
  });

  test('continues beside the limit of its tool, and leaves no place in the queue behind', async () => {
    const scene: Scene = { tools: scripted({ main: { takes: 100, concurrency: { limit: 1, queue: 5 } } }), plan: one('main') };
    const { turn, services, system } = await playJournaled(scene, {
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

test('what gates told of their circuits is in the trace of the process that takes over, whose own circuits are as new', async () => {
  const breaker = { failureThreshold: 1, openMs: 100 };
  const tools = scripted({
    first: { takes: 200 },
    main: { breaker, ends: (time) => (time === 1 ? fail('ECONNREFUSED') : 'back') },
    bad: { breaker, retry: { maxAttempts: 1 }, ends: () => fail('ECONNREFUSED') },
    last: { takes: 100 },
  });
  const calls = [
    { callId: 'A', toolName: 'first' },
    { callId: 'B', toolName: 'main', dependsOn: ['A'] },
    { callId: 'C', toolName: 'bad' },
    { callId: 'D', toolName: 'last', dependsOn: ['B'] },
  ];
  const play = (dieAfterMs?: number): ReturnType<typeof playJournaled> =>
    playJournaled(
      { tools, plan: { calls } },
      {
        ...(dieAfterMs === undefined ? {} : { dieAfterMs }),
        // A circuit of the first process alone is open when the turn begins, and ready for a probe when its call comes.
        before: async (service, { number }) =>
          number === 1 && service.executeTool({ toolName: 'main', policy: { retry: { maxAttempts: 1 } } }),
      },
    );
  const transitions = ({ turn }: Awaited<ReturnType<typeof play>>): unknown =>
    bare(turn.trace).filter(({ event_type }) => String(event_type).startsWith('CircuitBreaker'));
  const alive = await play();
  const takenOver = await play(250);
  expect(takenOver.journal.deaths).toBe(1);
  expect(transitions(alive)).toMatchObject([
    { event_type: 'CircuitBreakerOpened', tool_id: 'bad' },
    { event_type: 'CircuitBreakerHalfOpened', tool_id: 'main' },
    { event_type: 'CircuitBreakerClosed', tool_id: 'main' },
  ]);
  expect(transitions(takenOver)).toEqual(transitions(alive));
});

describe('a turn that is taken over after its end', () => {
  const step = { takes: 100, ends: () => 'late' };
  const ends = [
    ['its deadline, with what runs left to itself', { plan: { onDeadline: 'detach' }, play: {}, at: 300 }],
    ['its deadline, with what runs told to stop', { plan: { onDeadline: 'abort' }, play: {}, at: 300 }],
    ['a wish for its end', { plan: { timeoutMs: null }, play: { cancelAfterMs: 300 }, at: 700 }],
  ] as const;
  /** In one moment attempts are under way, in the other a call sleeps before its retry; a third call waits for the others. */
  const moments = [
    ['attempts under way', 50],
    ['a step whose work never began', 100],
    ['a call that sleeps', 150],
  ] as const;
  const cases = ends.flatMap(([end, options]) => moments.map(([moment, dieAfterMs]) => ({ end, moment, dieAfterMs, ...options })));

  test.for(cases)('begins nothing: $end, $moment', async ({ plan, play, dieAfterMs }) => {
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
    const { turn, world, journal } = await playJournaled(scene, { ...play, ...dies, takeOverMs: 700 });
    expect(journal.deaths).toBe(1);
    expect(turn.results.map(({ status }) => status)).not.toContain('success');
    expect(world.begun).toEqual(['hung', 'shaky']);
    expect(turn.executionTime).toBe(dieAfterMs + 700);
  });
});

describe('a worker that sleeps over the deadline', () => {
  const tools = scripted({
    shaky: { ...patient, takes: 100, retry: { ...patient.retry, initialDelayMs: 200 }, ends: () => fail('ECONNRESET') },
  });

  test('begins nothing when it wakes', async () => {
    const system = manualSystem();
    const world = { begun: [], done: [] };
    const service = new ToolExecutionService({ tools: tools(system, world, 1), seed: 'seed', system });
    const journal = handJournal();
    const turn = runJournaledTurn({ service, turnId: 'turn', plan: { timeoutMs: 1_000, ...one('shaky') }, journal });
    const first = journal.begin('A#1');
    journal.give(await journal.begin('start'));
    await system.advance(150);
    journal.give(await first);
    await system.settle();
    void journal.begin('A#2');
    system.sleep(60_000);
    // Its own timers ring first; what the engine has to tell comes after.
    await system.advance(1);
    expect(world.begun).toEqual(['shaky']);
    journal.give({ type: 'timer', name: 'deadline' });
    await system.settle();
    journal.give(await journal.begin('deadline'));
    expect(await turn).toMatchObject({ outcome: 'deadline', executionTime: 60_151 });
    expect(world.begun).toEqual(['shaky']);
  });

  test("whose clock alone is far ahead continues: the deadline is the engine's", async () => {
    const { turn, world, journal } = await playJournaled(
      { tools: scripted({ main: { takes: 100 } }), plan: { timeoutMs: 1_000, ...one('main') } },
      { dieAfterMs: 50, before: async (_service, { number, system }) => void (number === 2 && stepOn(system, 7_200_000)) },
    );
    expect(journal.deaths).toBe(1);
    expect(world.begun).toEqual(['main', 'main']);
    expect(turn.outcome).toBe('success');
  });
});

/** The wall clock of one process alone. */
function stepOn(system: System, milliseconds: number): void {
  const epochMs = system.epochMs.bind(system);
  Object.assign(system, { epochMs: () => epochMs() + milliseconds });
}

test('a deadline that the journal rings before this clock has come so far is still at its time', async () => {
  const system = manualSystem();
  const tools = scripted({ hung: { takes: 100_000 } })(system, { begun: [], done: [] }, 1);
  const service = new ToolExecutionService({ tools, system });
  const journal = handJournal();
  const turn = runJournaledTurn({ service, turnId: 'turn', plan: { timeoutMs: 1_000, ...one('hung') }, journal });
  void journal.begin('A#1');
  journal.give(await journal.begin('start'));
  await system.advance(990);
  journal.give({ type: 'timer', name: 'deadline' });
  await system.settle();
  journal.give(await journal.begin('deadline'));
  expect(await turn).toMatchObject({ outcome: 'deadline', executionTime: 1_000 });
});
