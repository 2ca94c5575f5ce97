import { describe, expect, test } from 'vitest';
import { expectSameAsInProcess, expectSurvives } from './expectations.ts';
import { diamond, fail, one, scenes, scripted } from './scenes.ts';
import type { MakeTools, Scene } from './support.ts';
import { runEveryDeath, runJournaled } from './support.ts';

describe('wherever the process dies', () => {
  test.for(Object.entries(scenes).filter(([name]) => !['an unsafe tool', 'no calls'].includes(name)))('%s', async ([, scene]) => {
    await expectSurvives(scene);
  });

  test('no attempt with a journaled end is repeated', async () => {
    await runEveryDeath(diamond, ({ world, turn }, index) => {
      // Six attempts, plus the repeated ones: at most the three that ran concurrently.
      expect(world.begun.length, `death at ${index}`).toBeLessThanOrEqual(9);
      expect(new Set(world.done.map((key) => key.split(' ')[1])).size).toBe(5);
      expect(turn.results.map(({ attempts }) => attempts).slice(0, 3)).toEqual([1, 1, 1]);
    });
  });

  test('an unsafe tool runs once, and its outcome is unknown if it was lost', async () => {
    const scene = scenes['an unsafe tool'] as Scene;
    const codes = new Set<string | undefined>();
    await runEveryDeath(scene, ({ world, turn }, index) => {
      expect(world.begun.length, `death at ${index}`).toBeLessThanOrEqual(1);
      const [result] = turn.results;
      codes.add(result?.error?.code);
      expect(result).toMatchObject(
        result?.error ? { attempts: 1, error: { code: 'OUTCOME_UNKNOWN', ambiguous: true } } : { status: 'success' },
      );
    });
    expect(codes).toEqual(new Set(['OUTCOME_UNKNOWN', undefined]));
  });

  test('the retry of an unsafe tool waits until it is journaled', async () => {
    const tools = scripted({ pay: { takes: 10, effect: 'unsafe', ends: (time) => (time === 1 ? fail('getaddrinfo ENOTFOUND') : 'paid') } });
    const scene = { tools, plan: one('pay') };
    await expectSameAsInProcess(scene);
    await runEveryDeath(scene, ({ world }, index) => {
      expect(world.begun.length, `death at ${index}`).toBeLessThanOrEqual(2);
    });
  });

  test('the turn continues with the settings of its start', async () => {
    const tools: MakeTools = (system, world, process) =>
      scripted({ main: { takes: 10, retry: { maxAttempts: process === 1 ? 3 : 1 }, ends: () => fail('ECONNREFUSED') } })(
        system,
        world,
        process,
      );
    const { turn, journal } = await runJournaled(
      { tools, plan: one('main') },
      { dies: ({ at, name }) => at === 'entry' && name === 'start' },
    );
    expect(journal.deaths).toBe(1);
    expect(turn.results[0]).toMatchObject({ attempts: 3, error: { stoppedBy: 'attempts' } });
  });

  test('a turn that is taken over after its deadline ends at once', async () => {
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
    const { turn } = await runJournaled(scene, { dies: ({ at, name }) => at === 'entry' && name === 'A#1', takeOverMs: 5_000 });
    expect(turn.outcome).toBe('deadline');
    expect(turn.results.map(({ status }) => status)).toEqual(['success', 'timeout']);
    expect(turn.executionTime).toBeGreaterThanOrEqual(5_000);
  });

  test('a tool that declares no effect counts as the assumed one', async () => {
    const tools = scripted({ pay: { takes: 10, assumedEffect: 'unsafe' } });
    await runEveryDeath({ tools, plan: one('pay') }, ({ world, turn }, index) => {
      expect(world.begun.length, `death at ${index}`).toBeLessThanOrEqual(1);
      const failures = turn.results.flatMap(({ error }) => error ?? []);
      const unknown = failures.filter(({ code, advice }) => code === 'OUTCOME_UNKNOWN' && advice?.includes('pay was started once'));
      expect(failures, `death at ${index}`).toEqual(unknown);
    });
  });

  test('a repeated attempt has its full limit without progress', async () => {
    const scene: Scene = {
      tools: scripted({ main: { takes: 800, timeoutMs: Infinity, idleTimeoutMs: 1_000, retry: { maxAttempts: 1 } } }),
      plan: one('main'),
    };
    const { turn } = await runJournaled(scene, {
      dies: ({ at, name, process }) => at === 'begun' && name === 'A#1' && process === 1,
      takeOverMs: 900,
    });
    expect(turn.results[0]).toMatchObject({ status: 'success', attempts: 1 });
  });

  test('a repeated attempt has its full time limit', async () => {
    const scene: Scene = { tools: scripted({ main: { takes: 800, timeoutMs: 1_000, retry: { maxAttempts: 1 } } }), plan: one('main') };
    const { turn } = await runJournaled(scene, {
      dies: ({ at, name, process }) => at === 'begun' && name === 'A#1' && process === 1,
      takeOverMs: 900,
    });
    expect(turn.results[0]).toMatchObject({ status: 'success', attempts: 1 });
  });
});
