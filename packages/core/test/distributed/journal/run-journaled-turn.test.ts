import type { StandardSchema } from '@holdfast/core';
import { defineTool, ref, ToolExecutionService } from '@holdfast/core';
import { runJournaledTurn } from '@holdfast/core/journal';
import { manualSystem, memoryJournal } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { expectAsInProcess, expectSurvives } from './expectations.ts';
import { handJournal } from './hand-journal.ts';
import { crowd, one, scenes, scripted } from './scenes.ts';
import type { MakeTools, Scene } from './support.ts';
import { bare, playInProcess, playJournaled, wait } from './support.ts';

describe('over a journal, as in process', () => {
  test.for(Object.entries(scenes))('%s', async ([, scene]) => {
    await expectAsInProcess(scene);
  });

  test('more first calls than are begun at once: the same, call by call', async () => {
    const expected = await playInProcess(crowd);
    const { turn } = await playJournaled(crowd);
    const ofCall = (events: readonly object[], callId: string): unknown =>
      bare(events).flatMap(({ seq: _seq, ...event }) => (event['call_id'] === callId ? [event] : []));
    for (const { callId } of crowd.plan.calls) expect(ofCall(turn.trace, callId ?? '')).toEqual(ofCall(expected.turn.trace, callId ?? ''));
    await expectSurvives(crowd);
  });

  test('a second attempt beside a slow first one', async () => {
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
    await expectAsInProcess(scene);
    const { turn, journal } = await playJournaled(scene);
    expect(turn.results[0]).toMatchObject({ status: 'success', output: 2 });
    expect(journal.commands.map(({ name }) => name)).toEqual(['start', 'A#1', 'deadline', 'A#1 hedge 1']);
  });

  test('a partial answer that is accepted when time is up', async () => {
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
    await expectAsInProcess({ tools, plan: one('main') });
    await expectSurvives({ tools, plan: one('main') });
  });

  test('a schema that takes its time', async () => {
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
    await expectAsInProcess(scene);
    await expectSurvives(scene);
    // Also where the check was done in a process that is gone.
    expect(received.every((args) => (args as { readonly checked?: boolean }).checked === true)).toBe(true);
  });
});

test('a cancelled turn ends as in process, and tells why', async () => {
  const scene: Scene = {
    tools: scripted({ main: { takes: 10 }, hung: { takes: 100_000 } }),
    plan: {
      calls: [
        { callId: 'A', toolName: 'main' },
        { callId: 'B', toolName: 'hung' },
      ],
    },
  };
  const { turn } = await playJournaled(scene, { cancelAfterMs: 100 });
  expect(turn.outcome).toBe('cancelled');
  expect(turn.results.map(({ status, error }) => [status, error?.code])).toEqual([
    ['success', undefined],
    ['error', 'CANCELLED'],
  ]);
  expect(turn.results[1]?.error?.message).toBe('Cancelled by the caller: enough');
});

test('what ends after the turn is told by the process that runs it', async () => {
  const scene = scenes['a deadline with work under way'] as Scene;
  const { turn, kept } = await playJournaled(scene);
  expect(turn.trace.at(-1)?.event_type).toBe('TurnCompleted');
  expect(kept.at(-1)?.seq).toBe(kept.length);
});

test('a plan that cannot be run asks nothing of the journal', async () => {
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

test('a journal of another turn is refused', async () => {
  const system = manualSystem();
  const service = new ToolExecutionService({ tools: [], system });
  const journal = handJournal([{ type: 'step', name: 'start', text: '{"from":7,"entries":[{"input":{"type":"submitted"},"at":0}]}' }]);
  await expect(runJournaledTurn({ service, turnId: 'turn', plan: { calls: [] }, journal })).rejects.toThrow(/another process/);
});

test('a journal that fails takes the turn away: what runs is told to stop, and nothing is held', async () => {
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
  const journal = handJournal();
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
