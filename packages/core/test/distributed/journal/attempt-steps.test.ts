/** Which inputs need a step in addition to an attempt, or without any attempt: a turn that lacks one would never end. */
import type { StandardSchema, System, ToolPolicy } from '@holdfast/core';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { runJournaledTurn } from '@holdfast/core/journal';
import { manualSystem, memoryJournal } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { expectSameAsInProcess, expectSurvives } from './expectations.ts';
import { manualJournal } from './manual-journal.ts';
import { one, scripted } from './scenes.ts';
import { runJournaled, slowSchema, wait } from './support.ts';
import type { MakeTools, Scene } from './support.ts';

const unsafe: ToolPolicy = { effect: 'unsafe' };
/** The turn has no time limit. */
const noDeadline = { timeoutMs: null } as const;

describe('a call whose policy makes its tool unsafe to run twice', () => {
  test('waits for the journal before its first attempt, and runs', async () => {
    const scene: Scene = { tools: scripted({ pay: { takes: 10 } }), plan: { ...noDeadline, ...one('pay', { policy: unsafe }) } };
    await expectSameAsInProcess(scene);
    const { journal, world } = await runJournaled(scene, { dies: ({ at, process }) => at === 'command' && process > 1 });
    expect(journal.commands.map(({ name }) => name)).toEqual(['start', 'A#1', 'A#1 begun']);
    expect(world.begun).toEqual(['pay']);
  });

  test('runs after an asynchronous schema', async () => {
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
    await expectSameAsInProcess({ tools, plan: { ...noDeadline, ...one('pay', { policy: unsafe }) } });
  });

  test('runs after it waited for a slot that a call outside the turn held', async () => {
    const { turn, world } = await runJournaled(
      {
        tools: scripted({ pay: { takes: 50, concurrency: { limit: 1, queue: 5 } } }),
        plan: { ...noDeadline, ...one('pay', { policy: unsafe }) },
      },
      { before: async (service) => void service.executeTool({ toolName: 'pay' }) },
    );
    expect(turn.results[0]).toMatchObject({ status: 'success', attempts: 1 });
    expect(world.begun).toEqual(['pay', 'pay']);
  });

  test('runs when calls of the turn wait for each other', async () => {
    const calls = ['A', 'B', 'C'].map((callId) => ({ callId, toolName: 'pay', policy: unsafe }));
    await expectSameAsInProcess({
      tools: scripted({ pay: { takes: 10, concurrency: { limit: 1, queue: 5 } } }),
      plan: { ...noDeadline, calls },
    });
  });
});

test('a call whose policy allows hedging gets a hedged attempt', async () => {
  const tools: MakeTools = (system, world) => [
    defineTool({
      name: 'read',
      effect: 'read',
      async run() {
        world.begun.push('read');
        const run = world.begun.length;
        await wait(system, run === 1 ? 1_000 : 20);
        return run;
      },
    }),
  ];
  const scene: Scene = { tools, plan: one('read', { policy: { hedge: { afterMs: 50 } } }) };
  await expectSameAsInProcess(scene);
  const { turn, journal } = await runJournaled(scene);
  expect(turn.results[0]).toMatchObject({ status: 'success', output: 2 });
  expect(journal.commands.map(({ name }) => name)).toContain('A#1 hedge 1');
});

describe('arguments that a schema rejects, at once or after some time', () => {
  const rejecting = (system: System, afterMs: number | undefined): StandardSchema<unknown, unknown> =>
    afterMs === undefined
      ? { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'no' }] }) } }
      : slowSchema(system, afterMs, false);
  const alternatives: Readonly<Record<string, ToolPolicy & { readonly takes: number }>> = {
    'is unsafe': { takes: 10, effect: 'unsafe' },
    'is unsafe and has one slot': { takes: 10, effect: 'unsafe', concurrency: { limit: 1, queue: 4 } },
    'may be hedged': { takes: 100, effect: 'read', hedge: { afterMs: 20 } },
  };

  test.for(Object.entries(alternatives).flatMap(([name, policy]) => [undefined, 5].map((afterMs) => ({ name, policy, afterMs }))))(
    'rejected after $afterMs ms: the alternative, which $name, serves the calls',
    async ({ policy, afterMs }) => {
      const scene: Scene = {
        tools: (system, world, process) => [
          ...scripted({ spare: policy })(system, world, process),
          defineTool({ name: 'main', alternatives: ['spare'], input: rejecting(system, afterMs), run: () => 'never' }),
        ],
        plan: { ...noDeadline, calls: ['A', 'B'].map((callId) => ({ callId, toolName: 'main' })) },
        options: {
          advisor: (_notice, _inputs, decision) => ({ ...decision, action: 'use_alternative', alternative: 'spare', reason: 'Advised' }),
        },
      };
      await expectSameAsInProcess({ ...scene, plan: { ...noDeadline, ...one('main') } });
      const { turn } = await runJournaled(scene);
      expect(turn.results.map(({ status, servedBy }) => [status, servedBy])).toEqual([
        ['success', 'spare'],
        ['success', 'spare'],
      ]);
    },
  );
});

test('an asynchronous advisor can decide on a call without an attempt', async () => {
  let adviceCount = 0;
  const scene: Scene = {
    tools: scripted({ main: { takes: 10 } }),
    plan: {
      ...noDeadline,
      calls: [
        { callId: 'A', toolName: 'main' },
        { callId: 'B', toolName: 'nothing', dependsOn: ['A'] },
      ],
    },
    options: {
      async advisor(_notice, _inputs, decision) {
        adviceCount += 1;
        for (let turn = 0; turn < 5; turn++) await Promise.resolve();
        return decision;
      },
    },
  };
  await expectSameAsInProcess(scene);
  expect(adviceCount).toBe(2);
  const { turn } = await runJournaled(scene);
  expect(turn.executionTime).toBe(10);
  await expectSurvives(scene);
});

test('a permit that waits for the journal when the turn is cancelled is returned, and no attempt starts with it', async () => {
  const system = manualSystem();
  let begun = 0;
  const pay = defineTool({ name: 'pay', effect: 'unsafe', concurrency: { limit: 1, queue: 5 }, abandonMs: 1_000, run: () => (begun += 1) });
  const service = new ToolExecutionService({ tools: [pay], system });
  const journal = manualJournal();
  const turn = runJournaledTurn({ service, turnId: 'turn', plan: { ...noDeadline, ...one('pay') }, journal });
  void journal.begin('A#1');
  const start = await journal.begin('start');
  expect(service.getToolHealth('pay')).toMatchObject({ inFlight: 1 });
  journal.deliver({ type: 'cancelled' });
  await system.settle();
  const cancelled = await journal.begin('cancel');
  journal.deliver(start);
  await system.settle();
  journal.deliver(cancelled);
  expect((await turn).results[0]).toMatchObject({ error: { code: 'CANCELLED' } });
  await system.advance(1_000);
  expect(service.getToolHealth('pay')).toMatchObject({ inFlight: 0, queued: 0 });
  expect(begun).toBe(0);
  expect(system.pendingTimers).toBe(0);
});

test.for(['detach', 'abort'] as const)(
  'no attempt starts for a call that ends while its arguments are checked again (%s)',
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
    const { turn, world, system } = await runJournaled(
      { tools, plan: { onDeadline, calls } },
      {
        // The process dies while the call waits at its gate: its arguments were checked, and it has not started.
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

test('a turn that is cancelled twice, at once or later, ends once', async () => {
  const scene: Scene = {
    tools: scripted({ main: { takes: 10 }, hung: { takes: 100_000 } }),
    plan: { calls: ['main', 'hung'].map((toolName) => ({ callId: toolName, toolName })) },
  };
  for (const gapMs of [0, 10])
    for (let deathIndex = -1; deathIndex < 20; deathIndex++) {
      const system = manualSystem();
      const journal = memoryJournal({ system, dies: ({ index }) => index === deathIndex });
      for (const at of [20, 20 + gapMs]) system.setTimer(at, () => journal.cancel(`at ${at}`));
      const turn = await system.until(
        journal.run((process) => {
          const tools = scene.tools(process.system, { begun: [], done: [] }, process.number);
          const service = new ToolExecutionService({ tools, system: process.system });
          return runJournaledTurn({ service, turnId: 'turn', plan: scene.plan, journal: process.journal });
        }),
      );
      expect(turn.outcome, `death at ${deathIndex}`).toBe('cancelled');
      expect(turn.trace.filter(({ event_type }) => event_type === 'TurnCompleted')).toHaveLength(1);
      expect(journal.commands.filter(({ name }) => name === 'cancel')).toHaveLength(1);
    }
});
