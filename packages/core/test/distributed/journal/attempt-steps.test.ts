/** What needs a step beside an attempt, and what needs one although no attempt is made: a turn that lacked one would never end. */
import type { StandardSchema, System, ToolPolicy } from '@holdfast/core';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { runJournaledTurn } from '@holdfast/core/journal';
import { manualSystem, memoryJournal } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { expectAsInProcess, expectSurvives } from './expectations.ts';
import { handJournal } from './hand-journal.ts';
import { one, scripted } from './scenes.ts';
import { playJournaled, slowSchema, wait } from './support.ts';
import type { MakeTools, Scene } from './support.ts';

const unsafe: ToolPolicy = { effect: 'unsafe' };
/** Nothing but the turn itself ends it. */
const endless = { timeoutMs: null } as const;

describe("a call's own policy says that it must not be run twice", () => {
  test('its first attempt waits for the journal, and is made', async () => {
    const scene: Scene = { tools: scripted({ pay: { takes: 10 } }), plan: { ...endless, ...one('pay', { policy: unsafe }) } };
    await expectAsInProcess(scene);
    const { journal, world } = await playJournaled(scene, { dies: ({ at, process }) => at === 'command' && process > 1 });
    expect(journal.commands.map(({ name }) => name)).toEqual(['start', 'A#1', 'A#1 begun']);
    expect(world.begun).toEqual(['pay']);
  });

  test('also behind a schema that takes its time', async () => {
    const tools: MakeTools = (system, world) => [
      defineTool({
        name: 'pay',
        input: slowSchema(system, 5),
        async run() {
          world.begun.push('pay');
          await wait(system, 10);
          return 'paid';
        },
      }),
    ];
    await expectAsInProcess({ tools, plan: { ...endless, ...one('pay', { policy: unsafe }) } });
  });

  test('also where somebody outside the turn holds its slot', async () => {
    const { turn, world } = await playJournaled(
      {
        tools: scripted({ pay: { takes: 50, concurrency: { limit: 1, queue: 5 } } }),
        plan: { ...endless, ...one('pay', { policy: unsafe }) },
      },
      { before: async (service) => void service.executeTool({ toolName: 'pay' }) },
    );
    expect(turn.results[0]).toMatchObject({ status: 'success', attempts: 1 });
    expect(world.begun).toEqual(['pay', 'pay']);
  });

  test('also where calls of the turn wait for each other', async () => {
    const calls = ['A', 'B', 'C'].map((callId) => ({ callId, toolName: 'pay', policy: unsafe }));
    await expectAsInProcess({ tools: scripted({ pay: { takes: 10, concurrency: { limit: 1, queue: 5 } } }), plan: { ...endless, calls } });
  });
});

test("a call's own policy says that a second attempt may go beside the first", async () => {
  const tools: MakeTools = (system, world) => [
    defineTool({
      name: 'read',
      effect: 'read',
      async run() {
        world.begun.push('read');
        const time = world.begun.length;
        await wait(system, time === 1 ? 1_000 : 20);
        return time;
      },
    }),
  ];
  const scene: Scene = { tools, plan: one('read', { policy: { hedge: { afterMs: 50 } } }) };
  await expectAsInProcess(scene);
  const { turn, journal } = await playJournaled(scene);
  expect(turn.results[0]).toMatchObject({ status: 'success', output: 2 });
  expect(journal.commands.map(({ name }) => name)).toContain('A#1 hedge 1');
});

describe('arguments that a schema refuses after some time, or at once', () => {
  const refusing = (system: System, afterMs: number | undefined): StandardSchema<unknown, unknown> =>
    afterMs === undefined
      ? { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'no' }] }) } }
      : slowSchema(system, afterMs, false);
  const alternatives: Readonly<Record<string, ToolPolicy & { readonly takes: number }>> = {
    'must not be run twice': { takes: 10, effect: 'unsafe' },
    'must not be run twice and has one slot': { takes: 10, effect: 'unsafe', concurrency: { limit: 1, queue: 4 } },
    'may have a second attempt beside it': { takes: 100, effect: 'read', hedge: { afterMs: 20 } },
  };

  test.for(Object.entries(alternatives).flatMap(([name, policy]) => [undefined, 5].map((afterMs) => ({ name, policy, afterMs }))))(
    'refused after $afterMs ms, the alternative $name',
    async ({ policy, afterMs }) => {
      const scene: Scene = {
        tools: (system, world, process) => [
          ...scripted({ spare: policy })(system, world, process),
          defineTool({ name: 'main', alternatives: ['spare'], input: refusing(system, afterMs), run: () => 'never' }),
        ],
        plan: { ...endless, calls: ['A', 'B'].map((callId) => ({ callId, toolName: 'main' })) },
        options: {
          advisor: (_notice, _inputs, decision) => ({ ...decision, action: 'use_alternative', alternative: 'spare', reason: 'Advised' }),
        },
      };
      await expectAsInProcess({ ...scene, plan: { ...endless, ...one('main') } });
      const { turn } = await playJournaled(scene);
      expect(turn.results.map(({ status, servedBy }) => [status, servedBy])).toEqual([
        ['success', 'spare'],
        ['success', 'spare'],
      ]);
    },
  );
});

test('an advisor who takes some time about a call that no attempt was made for', async () => {
  let asked = 0;
  const scene: Scene = {
    tools: scripted({ main: { takes: 10 } }),
    plan: {
      ...endless,
      calls: [
        { callId: 'A', toolName: 'main' },
        { callId: 'B', toolName: 'nothing', dependsOn: ['A'] },
      ],
    },
    options: {
      async advisor(_notice, _inputs, decision) {
        asked += 1;
        for (let turn = 0; turn < 5; turn++) await Promise.resolve();
        return decision;
      },
    },
  };
  await expectAsInProcess(scene);
  expect(asked).toBe(2);
  const { turn } = await playJournaled(scene);
  expect(turn.executionTime).toBe(10);
  await expectSurvives(scene);
});

test('a permit that waited for the journal when the turn was cancelled is given back, and nothing begins with it', async () => {
  const system = manualSystem();
  let begun = 0;
  const pay = defineTool({ name: 'pay', effect: 'unsafe', concurrency: { limit: 1, queue: 5 }, abandonMs: 1_000, run: () => (begun += 1) });
  const service = new ToolExecutionService({ tools: [pay], system });
  const journal = handJournal();
  const turn = runJournaledTurn({ service, turnId: 'turn', plan: { ...endless, ...one('pay') }, journal });
  void journal.begin('A#1');
  const start = await journal.begin('start');
  expect(service.getToolHealth('pay')).toMatchObject({ inFlight: 1 });
  journal.give({ type: 'cancelled' });
  await system.settle();
  const cancelled = await journal.begin('cancel');
  journal.give(start);
  await system.settle();
  journal.give(cancelled);
  expect((await turn).results[0]).toMatchObject({ error: { code: 'CANCELLED' } });
  await system.advance(1_000);
  expect(service.getToolHealth('pay')).toMatchObject({ inFlight: 0, queued: 0 });
  expect(begun).toBe(0);
  expect(system.pendingTimers).toBe(0);
});

test.for(['detach', 'abort'] as const)(
  'nothing begins for a call that ended while its arguments were checked again (%s)',
  async (onDeadline) => {
    const tools: MakeTools = (system, world, process) => [
      defineTool({
        name: 'pay',
        effect: 'unsafe',
        input: slowSchema(system, process === 1 ? 1 : 500),
        concurrency: { limit: 1, queue: 9 },
        async run() {
          world.begun.push(`pay in process ${process}`);
          await wait(system, 1_000);
          return 'paid';
        },
      }),
      ...scripted({ other: { takes: 20 } })(system, world, process),
    ];
    const calls = [
      { callId: 'X', toolName: 'other' },
      { callId: 'P', toolName: 'pay' },
    ];
    const { turn, world, system } = await playJournaled(
      { tools, plan: { onDeadline, calls } },
      {
        // While the call waits at its gate: its arguments were checked, it has not begun.
        dies: ({ at, name, process }) => process === 1 && at === 'entry' && name === 'X#1',
        before: async (service, process) => void (process.number === 1 && service.executeTool({ toolName: 'pay' })),
        cancelAfterMs: 300,
      },
    );
    expect(turn.results.map(({ status, error }) => [status, error?.code])).toEqual([
      ['success', undefined],
      ['error', 'CANCELLED'],
    ]);
    await system.advance(2_000);
    expect(world.begun).toEqual(['other', 'pay in process 1']);
  },
);

test('asked to end twice, at once or later, a turn ends once', async () => {
  const scene: Scene = {
    tools: scripted({ main: { takes: 10 }, hung: { takes: 100_000 } }),
    plan: { calls: ['main', 'hung'].map((toolName) => ({ callId: toolName, toolName })) },
  };
  for (const gapMs of [0, 10])
    for (let death = -1; death < 20; death++) {
      const system = manualSystem();
      const journal = memoryJournal({ system, dies: ({ index }) => index === death });
      for (const at of [20, 20 + gapMs]) system.setTimer(at, () => journal.cancel(`at ${at}`));
      const turn = await system.until(
        journal.run((process) => {
          const tools = scene.tools(process.system, { begun: [], done: [] }, process.number);
          const service = new ToolExecutionService({ tools, system: process.system });
          return runJournaledTurn({ service, turnId: 'turn', plan: scene.plan, journal: process.journal });
        }),
      );
      expect(turn.outcome, `dead at ${death}`).toBe('cancelled');
      expect(turn.trace.filter(({ event_type }) => event_type === 'TurnCompleted')).toHaveLength(1);
      expect(journal.commands.filter(({ name }) => name === 'cancel')).toHaveLength(1);
    }
});
