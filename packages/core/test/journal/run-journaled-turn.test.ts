import type { AnyTool, StandardSchema, ToolPolicy, TurnPlan } from '@holdfast/core';
import { defineTool, ref, ToolExecutionService } from '@holdfast/core';
import { runJournaledTurn } from '@holdfast/core/journal';
import { manualSystem, memoryJournal } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import type { MakeTools, Scene, World } from './support.ts';
import { bare, ends, playEveryDeath, playInProcess, playJournaled, wait } from './support.ts';

interface Script extends ToolPolicy {
  /** How long it works. @default 0 */
  readonly takes?: number;
  /** What becomes of the nth time that it comes to its end, counted over all processes. */
  readonly ends?: (time: number) => unknown;
}

/** Tools that work for a time and then do what their script says. */
function scripted(scripts: Readonly<Record<string, Script>>): MakeTools {
  return (system, world) =>
    Object.entries(scripts).map(([name, { takes = 0, ends: end = () => `${name} done`, ...definition }]): AnyTool =>
      defineTool({
        ...definition,
        name,
        async run(_args: unknown, { idempotencyKey }) {
          world.begun.push(name);
          if (takes > 0) await wait(system, takes);
          world.done.push(`${name} ${idempotencyKey}`);
          return end(world.done.filter((one) => one.startsWith(`${name} `)).length);
        },
      }),
    );
}

const fail = (message: string): never => {
  throw new Error(message);
};

const failsOnce = (time: number): string => (time === 1 ? fail('ECONNRESET') : 'at last');

const diamond: Scene = {
  tools: scripted({ first: {}, quick: { takes: 10 }, slow: { takes: 500 }, shaky: { takes: 20, ends: failsOnce }, last: {} }),
  plan: {
    calls: [
      { callId: 'A', toolName: 'first' },
      { callId: 'B', toolName: 'quick', arguments: { of: ref('A') } },
      { callId: 'C', toolName: 'slow', arguments: { of: ref('A') } },
      { callId: 'D', toolName: 'shaky', arguments: { of: ref('A') } },
      { callId: 'E', toolName: 'last', arguments: { b: ref('B'), c: ref('C'), d: ref('D') } },
    ],
  },
};

const one = (toolName: string, more: Partial<TurnPlan['calls'][number]> = {}): TurnPlan => ({
  calls: [{ callId: 'A', toolName, ...more }],
});

const crowd: Scene = {
  tools: scripted({ main: { takes: 10 } }),
  plan: { calls: Array.from({ length: 20 }, (_, index) => ({ callId: `C${index}`, toolName: 'main' })) },
};

/** Same results and, but for times of the wall, the same events as in process. */
async function expectAsInProcess(scene: Scene): Promise<void> {
  const expected = await playInProcess(scene);
  const { turn, world, kept, heard } = await playJournaled(scene);
  expect(bare(turn.trace)).toEqual(bare(expected.turn.trace));
  expect(ends(turn)).toEqual(ends(expected.turn));
  expect(turn.outcome).toBe(expected.turn.outcome);
  expect(world.begun).toEqual(expected.world.begun);
  expect(kept.slice(0, turn.trace.length)).toEqual(turn.trace);
  expect(heard.slice(0, turn.trace.length)).toEqual(turn.trace);
}

/** Wherever the process dies: the ends are the same, nothing that was answered is done again, and the record has no gap. */
async function expectSurvives(scene: Scene, timesDone: (world: World) => void = () => undefined): Promise<void> {
  const expected = await playInProcess(scene);
  const points = await playEveryDeath(scene, ({ turn, world, kept, journal }, index) => {
    expect(ends(turn), `dead at ${index}`).toEqual(ends(expected.turn));
    expect(
      turn.trace.map(({ seq }) => seq),
      `dead at ${index}`,
    ).toEqual(turn.trace.map((_, at) => at + 1));
    const last = new Map(kept.map((event) => [event.seq, event]));
    expect(bare([...last.values()]).slice(0, turn.trace.length), `dead at ${index}`).toEqual(bare(turn.trace));
    expect(journal.deaths).toBe(1);
    timesDone(world);
  });
  expect(points).toBeGreaterThan(4);
}

const scenes: Readonly<Record<string, Scene>> = {
  'calls that depend on each other, one of them retried': diamond,
  'an alternative': {
    tools: scripted({ main: { takes: 5, alternatives: ['spare'], ends: () => fail('Invalid airport code') }, spare: { takes: 5 } }),
    plan: one('main'),
  },
  'a static fallback': {
    tools: scripted({ main: { fallback: { value: { cached: true } }, ends: () => fail('Invalid airport code') } }),
    plan: one('main'),
  },
  'a default for what was lost': {
    tools: scripted({ main: { ends: () => fail('Invalid airport code') }, next: {} }),
    plan: {
      calls: [
        { callId: 'A', toolName: 'main' },
        { callId: 'B', toolName: 'next', arguments: { of: ref('A') }, defaults: { A: 'none' } },
        { callId: 'C', toolName: 'next', arguments: { of: ref('A') } },
        { callId: 'D', toolName: 'next', arguments: { of: ref('A') }, optional: true },
      ],
    },
  },
  'retries until no attempt is left': { tools: scripted({ main: { takes: 1, ends: () => fail('ECONNREFUSED') } }), plan: one('main') },
  'a circuit that opens while others sleep': {
    tools: scripted({ main: { takes: 3, ends: () => fail('ECONNREFUSED') } }),
    plan: { calls: ['A', 'B', 'C'].map((callId) => ({ callId, toolName: 'main' })) },
  },
  'a tool that does not answer in time': {
    tools: scripted({ main: { takes: 5_000, timeoutMs: 1_000, retry: { maxAttempts: 2 } }, other: { takes: 3_000 } }),
    plan: {
      calls: [
        { callId: 'A', toolName: 'main' },
        { callId: 'B', toolName: 'other' },
      ],
    },
  },
  'a limit of one at a time': {
    tools: scripted({ main: { takes: 100, concurrency: { limit: 1, queue: 10 } } }),
    plan: { calls: ['A', 'B', 'C'].map((callId) => ({ callId, toolName: 'main' })) },
  },
  'a turn that runs one call at a time': {
    tools: scripted({ main: { takes: 100 } }),
    plan: { concurrency: 1, calls: ['A', 'B', 'C'].map((callId) => ({ callId, toolName: 'main' })) },
  },
  'a rate limit': {
    tools: scripted({ main: { takes: 1, rateLimit: { limit: 1, windowMs: 200 } } }),
    plan: { calls: ['A', 'B'].map((callId) => ({ callId, toolName: 'main' })) },
  },
  'a deadline with work under way': {
    tools: scripted({ main: { takes: 10 }, hung: { takes: 100_000 } }),
    plan: {
      timeoutMs: 700,
      calls: [
        { callId: 'A', toolName: 'main' },
        { callId: 'B', toolName: 'hung' },
        { callId: 'C', toolName: 'main', arguments: { of: ref('B') } },
      ],
    },
  },
  'a deadline that ends the work': {
    tools: scripted({ hung: { takes: 100_000 } }),
    plan: { timeoutMs: 700, onDeadline: 'abort', ...one('hung') },
  },
  'no deadline': { tools: scripted({ main: { takes: 10 } }), plan: { timeoutMs: null, ...one('main') } },
  'calls that no tool can take': {
    tools: scripted({ main: { takes: 10 } }),
    plan: {
      calls: [
        { callId: 'A', toolName: 'nothing' },
        { callId: 'B', toolName: 'main' },
      ],
    },
  },
  'nothing but calls that no tool can take': { tools: scripted({ main: {} }), plan: one('nothing') },
  'a tool that must not be run twice': { tools: scripted({ pay: { takes: 10, effect: 'unsafe' } }), plan: one('pay') },
  'no call at all': { tools: scripted({ main: {} }), plan: { calls: [] } },
};

describe('over a journal, as in process', () => {
  test.for(Object.entries(scenes))('%s', async ([, scene]) => {
    await expectAsInProcess(scene);
  });

  test('more first calls than are begun at once: the same, call by call', async () => {
    const expected = await playInProcess(crowd);
    const { turn } = await playJournaled(crowd);
    const byCall = (events: readonly object[]): unknown =>
      Object.groupBy(
        bare(events).map(({ seq: _seq, ...event }) => event),
        ({ call_id: callId }) => String(callId),
      );
    expect(byCall(turn.trace)).toEqual(byCall(expected.turn.trace));
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

describe('wherever the process dies', () => {
  test.for(Object.entries(scenes).filter(([name]) => !['a tool that must not be run twice', 'no call at all'].includes(name)))(
    '%s',
    async ([, scene]) => {
      await expectSurvives(scene);
    },
  );

  test('no attempt whose end is journaled is made again', async () => {
    await playEveryDeath(diamond, ({ world, turn }, index) => {
      // Six attempts, and those again that were under way: at most the three that run side by side.
      expect(world.begun.length, `dead at ${index}`).toBeLessThanOrEqual(9);
      expect(new Set(world.done.map((key) => key.split(' ')[1])).size).toBe(5);
      expect(turn.results.map(({ attempts }) => attempts).slice(0, 3)).toEqual([1, 1, 1]);
    });
  });

  test('what must not be run twice is begun once, and what came of it is unknown where nobody can know', async () => {
    const scene = scenes['a tool that must not be run twice'] as Scene;
    const codes = new Set<string | undefined>();
    await playEveryDeath(scene, ({ world, turn }, index) => {
      expect(world.begun.length, `dead at ${index}`).toBeLessThanOrEqual(1);
      const [result] = turn.results;
      codes.add(result?.error?.code);
      if (result?.status === 'error') expect(result).toMatchObject({ attempts: 1, error: { code: 'OUTCOME_UNKNOWN', ambiguous: true } });
    });
    expect([...codes].toSorted()).toEqual(['OUTCOME_UNKNOWN', undefined]);
  });

  test('the retry of such a tool waits until the journal knows of it', async () => {
    const tools = scripted({ pay: { takes: 10, effect: 'unsafe', ends: (time) => (time === 1 ? fail('getaddrinfo ENOTFOUND') : 'paid') } });
    const scene = { tools, plan: one('pay') };
    await expectAsInProcess(scene);
    await playEveryDeath(scene, ({ world }, index) => {
      expect(world.begun.length, `dead at ${index}`).toBeLessThanOrEqual(2);
    });
  });

  test('the turn goes on under the settings that it began with', async () => {
    const tools: MakeTools = (system, world, process) =>
      scripted({ main: { takes: 10, retry: { maxAttempts: process === 1 ? 3 : 1 }, ends: () => fail('ECONNREFUSED') } })(
        system,
        world,
        process,
      );
    const { turn, journal } = await playJournaled(
      { tools, plan: one('main') },
      { dies: ({ at, name }) => at === 'entry' && name === 'start' },
    );
    expect(journal.deaths).toBe(1);
    expect(turn.results[0]).toMatchObject({ attempts: 3, error: { stoppedBy: 'attempts' } });
  });

  test('a process that was gone for long answers at the deadline as soon as there is one', async () => {
    const scene: Scene = {
      tools: scripted({ main: { takes: 10 }, hung: { takes: 100_000 } }),
      plan: {
        timeoutMs: 1_000,
        calls: [
          { callId: 'A', toolName: 'main' },
          { callId: 'B', toolName: 'hung' },
        ],
      },
    };
    const { turn } = await playJournaled(scene, { dies: ({ at, name }) => at === 'entry' && name === 'A#1', takeOverMs: 5_000 });
    expect(turn.outcome).toBe('deadline');
    expect(turn.results.map(({ status }) => status)).toEqual(['success', 'timeout']);
    expect(turn.executionTime).toBeGreaterThanOrEqual(5_000);
  });

  test('an attempt that is made again has its whole time', async () => {
    const scene: Scene = { tools: scripted({ main: { takes: 800, timeoutMs: 1_000, retry: { maxAttempts: 1 } } }), plan: one('main') };
    const { turn } = await playJournaled(scene, {
      dies: ({ at, name, process }) => at === 'begun' && name === 'A#1' && process === 1,
      takeOverMs: 900,
    });
    expect(turn.results[0]).toMatchObject({ status: 'success', attempts: 1 });
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
  const entries = [{ type: 'step', name: 'start', text: '{"from":7,"entries":[{"input":{"type":"submitted"},"at":0}]}' } as const];
  const journal = { step: () => undefined, timer: () => undefined, next: () => Promise.resolve(entries[0] as (typeof entries)[0]) };
  await expect(runJournaledTurn({ service, turnId: 'turn', plan: { calls: [] }, journal })).rejects.toThrow(/another process/);
});
