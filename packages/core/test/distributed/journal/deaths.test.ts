import { describe, expect, test } from 'vitest';
import { expectAsInProcess, expectSurvives } from './expectations.ts';
import { diamond, fail, one, scenes, scripted } from './scenes.ts';
import type { MakeTools, Scene } from './support.ts';
import { playEveryDeath, playJournaled } from './support.ts';

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
      expect(result).toMatchObject(
        result?.error ? { attempts: 1, error: { code: 'OUTCOME_UNKNOWN', ambiguous: true } } : { status: 'success' },
      );
    });
    expect(codes).toEqual(new Set(['OUTCOME_UNKNOWN', undefined]));
  });

  test('the retry of such a tool waits until the journal knows of it', async () => {
    const tools = scripted({ pay: { takes: 10, effect: 'unsafe', ends: (time) => (time === 1 ? fail('getaddrinfo ENOTFOUND') : 'paid') } });
    const scene = { tools, plan: one('pay') };
    await expectAsInProcess(scene);
    await playEveryDeath(scene, ({ world }, index) => {
      expect(world.begun.length, `dead at ${index}`).toBeLessThanOrEqual(2);
    });
  });

  test('the turn continues under the settings that it began with', async () => {
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
