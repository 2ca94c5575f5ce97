import type { StandardSchema } from '@holdfast/core';
import { defineTool, ref, ToolExecutionService } from '@holdfast/core';
import { runJournaledTurn } from '@holdfast/core/journal';
import { manualSystem, memoryJournal } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { expectSameAsInProcess, expectSurvives } from './expectations.ts';
import { manualJournal } from './manual-journal.ts';
import { crowd, one, scenes, scripted } from './scenes.ts';
import type { MakeTools, Scene } from './support.ts';
import { comparable, runInProcess, runJournaled, wait } from './support.ts';

describe('a turn on a journal is the same as in process', () => {
  test.for(Object.entries(scenes))('%s', async ([, scene]) => {
    await expectSameAsInProcess(scene);
  });

  test('with more first calls than start eagerly', async () => {
    const expected = await runInProcess(crowd);
    const { turn } = await runJournaled(crowd);
    const ofCall = (events: readonly object[], callId: string): unknown =>
      comparable(events).flatMap(({ seq: _seq, ...event }) => (event['call_id'] === callId ? [event] : []));
    for (const { callId } of crowd.plan.calls) expect(ofCall(turn.trace, callId ?? '')).toEqual(ofCall(expected.turn.trace, callId ?? ''));
    await expectSurvives(crowd);
  });

  test('with a hedged attempt', async () => {
    const slowOnce: MakeTools = (system, world) => [
      defineTool({
        name: 'read',
        effect: 'read',
        hedge: { afterMs: 50 },
        async run() {
          world.begun.push('read');
          await wait(system, world.begun.length === 1 ? 1_000 : 20);
          return world.begun.length;
        },
      }),
    ];
    const scene = { tools: slowOnce, plan: one('read') };
    await expectSameAsInProcess(scene);
    const { turn, journal } = await runJournaled(scene);
    expect(turn.results[0]).toMatchObject({ status: 'success', output: 2 });
    expect(journal.commands.map(({ name }) => name)).toEqual(['start', 'A#1', 'deadline', 'A#1 hedge 1']);
  });

  test('with a partial output that is accepted at the time limit', async () => {
    const tools: MakeTools = (system, world) => [
      defineTool({
        name: 'main',
        timeoutMs: 100,
        acceptPartial: true,
        async run(_args: unknown, { reportPartial, reportProgress }) {
          world.begun.push('main');
          await wait(system, 10);
          reportProgress({ progress: 1, total: 2 });
          reportPartial({ half: true });
          await wait(system, 10_000);
        },
      }),
    ];
    await expectSameAsInProcess({ tools, plan: one('main') });
    await expectSurvives({ tools, plan: one('main') });
  });

  test('with an asynchronous schema', async () => {
    const later = (ok: boolean): StandardSchema<unknown, unknown> => ({
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: async (value) => {
          await Promise.resolve();
          return ok ? { value: { ...(value as object), checked: true } } : { issues: [{ message: 'is wrong', path: ['x'] }] };
        },
      },
    });
    const received: unknown[] = [];
    const tools: MakeTools = (_system, world) =>
      [true, false].map((ok) =>
        defineTool({
          name: ok ? 'right' : 'wrong',
          input: later(ok),
          run(args: unknown) {
            world.begun.push('main');
            received.push(args);
            return 'done';
          },
        }),
      );
    const scene = {
      tools,
      plan: {
        calls: [
          { callId: 'A', toolName: 'right' },
          { callId: 'B', toolName: 'wrong', arguments: { of: ref('A') } },
        ],
      },
    };
    await expectSameAsInProcess(scene);
    await expectSurvives(scene);
    // Also if the arguments were checked in a process that has died.
    expect(received.every((args) => (args as { readonly checked?: boolean }).checked === true)).toBe(true);
  });
});

test('a cancelled turn ends as in process, with the reason', async () => {
  const scene: Scene = {
    tools: scripted({ main: { takes: 10 }, hung: { takes: 100_000 } }),
    plan: {
      calls: [
        { callId: 'A', toolName: 'main' },
        { callId: 'B', toolName: 'hung' },
      ],
    },
  };
  const { turn } = await runJournaled(scene, { cancelAfterMs: 100 });
  expect(turn.outcome).toBe('cancelled');
  expect(turn.results.map(({ status, error }) => [status, error?.code])).toEqual([
    ['success', undefined],
    ['error', 'CANCELLED'],
  ]);
  expect(turn.results[1]?.error?.message).toBe('Cancelled by the caller: enough');
});

test('the end of late work is recorded by the process that runs it', async () => {
  const scene = scenes['a deadline with running attempts'] as Scene;
  const { turn, stored } = await runJournaled(scene);
  expect(turn.trace.at(-1)?.event_type).toBe('TurnCompleted');
  expect(stored.at(-1)?.seq).toBe(stored.length);
});

test('an invalid plan sends no commands to the journal', async () => {
  const system = manualSystem();
  const journal = memoryJournal({ system });
  const service = new ToolExecutionService({ tools: [], system });
  const calls = [{ callId: 'A', toolName: 'x', dependsOn: ['A'] }];
  const turn = await system.until(
    journal.run((process) => runJournaledTurn({ service, turnId: 'turn', plan: { calls }, journal: process.journal })),
  );
  expect(turn.problems).toHaveLength(1);
  expect(turn.results[0]).toMatchObject({ error: { code: 'INVALID_PLAN' } });
  expect(journal.commands).toEqual([]);
});

test('a journal of another turn is rejected', async () => {
  const system = manualSystem();
  const service = new ToolExecutionService({ tools: [], system });
  const journal = manualJournal([{ type: 'step', name: 'start', text: '{"from":7,"entries":[{"input":{"type":"submitted"},"at":0}]}' }]);
  await expect(runJournaledTurn({ service, turnId: 'turn', plan: { calls: [] }, journal })).rejects.toThrow(/another process/);
});

test('when the journal fails, running attempts are aborted and all slots are released', async () => {
  const system = manualSystem();
  let aborted: unknown;
  const tool = defineTool({
    name: 'main',
    concurrency: { limit: 1, queue: 5 },
    run: (_args: unknown, { signal }) =>
      new Promise(() => {
        signal.addEventListener('abort', () => {
          aborted = signal.reason;
        });
      }),
  });
  const service = new ToolExecutionService({ tools: [tool], system });
  const journal = manualJournal();
  const calls = ['A', 'B'].map((callId) => ({ callId, toolName: 'main' }));
  const turn = runJournaledTurn({ service, turnId: 'turn', plan: { calls }, journal });
  for (const name of journal.commands) void journal.begin(name);
  await system.settle();
  expect(service.getToolHealth('main')).toMatchObject({ inFlight: 1, queued: 1 });
  journal.fail(new Error('the connection to the engine is lost'));
  await expect(turn).rejects.toThrow('the connection to the engine is lost');
  await system.settle();
  expect(aborted).toMatchObject({ name: 'AbortError' });
  expect(service.getToolHealth('main')).toMatchObject({ inFlight: 0, queued: 0 });
  expect(system.pendingTimers).toBe(0);
});
