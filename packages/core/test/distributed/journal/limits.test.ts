/** A journal that takes no text above a limit: what comes to more is split over several steps, and what is larger by itself is cut. */
import { describe, expect, test } from 'vitest';
import { defineTool } from '../../../src/index.ts';
import { bytesOf } from '../../../src/distributed/journal/text-size.ts';
import type { JournalEntry } from '../../../src/distributed/journal/index.ts';
import { expectAsInProcess, expectSurvives } from './expectations.ts';
import { scripted } from './scenes.ts';
import type { MakeTools, Scene } from './support.ts';
import { ends, playEveryDeath, playJournaled } from './support.ts';

const mostBytes = 4_000;
/** The calls' steps are worked before the turn's first: what they come to is there by the time that this one ends. */
const split = { mostBytes, choose: (count: number): number => count - 1 };

/** Answers before it could give a promise, so that the answers of all of them come in one moment. */
const large: MakeTools = (_system, world) => [
  defineTool({
    name: 'large',
    run({ text = 'x', size }: { readonly text?: string; readonly size: number }, { reportPartial, idempotencyKey }) {
      world.begun.push('large');
      world.done.push(`large ${idempotencyKey}`);
      reportPartial(text.repeat(size));
      return text.repeat(size);
    },
  }),
];

const together: Scene = {
  tools: large,
  plan: {
    calls: [1_500, 10, 1_500, 3_000, 800, 1_500].map((size, index) => ({ callId: `C${index}`, toolName: 'large', arguments: { size } })),
  },
};

const stepsOf = (entries: readonly JournalEntry[]): readonly { readonly name: string; readonly text: string }[] =>
  entries.flatMap((entry) => (entry.type === 'step' ? [entry] : []));

describe('outputs that come in one moment and are too much together', () => {
  test('are whole, in several steps: the turn is as in process', async () => {
    const { journal } = await expectAsInProcess(together, split);
    const steps = stepsOf(journal.entries);
    expect(steps[0]?.name).toBe('start');
    expect(steps[0]?.text).toContain('["more"]]');
    expect(Math.max(...steps.map(({ text }) => bytesOf(text)))).toBeLessThanOrEqual(mostBytes);
    // Twice the outputs, each with its partial.
    expect(steps.length).toBeGreaterThanOrEqual(6);
  });

  test('survive every death between these steps: nothing that is journaled is done again', async () => {
    await expectSurvives(together, split);
    let parts = 0;
    await playEveryDeath(
      together,
      ({ journal }) => {
        parts += stepsOf(journal.entries).filter(({ name }) => name.includes(' more ')).length;
      },
      split,
    );
    expect(parts).toBeGreaterThan(0);
  });

  test('a step of which the first part is journaled is made again for the rest of it, and once where that is there', async () => {
    const scene: Scene = { tools: large, plan: { calls: [{ callId: 'A', toolName: 'large', arguments: { size: 3_000 } }] } };
    const begun = new Set<number>();
    await playEveryDeath(
      scene,
      ({ world, turn }) => {
        begun.add(world.begun.length);
        expect(new Set(world.done).size).toBe(1);
        expect(turn.results).toMatchObject([{ status: 'success', attempts: 1, output: 'x'.repeat(3_000) }]);
      },
      split,
    );
    expect(begun).toEqual(new Set([1, 2]));
  });

  test('an input is never without what was answered at its moment', async () => {
    const after = ['B', 'C', 'D', 'E', 'F'].map((callId) => ({ callId, toolName: 'large', arguments: { size: 10 }, dependsOn: ['A'] }));
    const sizes = Array.from({ length: 60 }, (_, index) => 1_500 + 5 * index);
    let parts = 0;
    for (const size of sizes) {
      const scene: Scene = { tools: large, plan: { calls: [{ callId: 'A', toolName: 'large', arguments: { size } }, ...after] } };
      const { turn, journal } = await playJournaled(scene, { ...split, dies: ({ at, name }) => at === 'entry' && name === 'A#1' });
      expect(
        turn.results.map(({ output }) => String(output).length),
        `with ${size}`,
      ).toEqual([size, 10, 10, 10, 10, 10]);
      expect(journal.deaths).toBe(1);
      parts += stepsOf(journal.entries).filter(({ text }) => text.includes('["more"]]')).length;
    }
    expect(parts).toBeGreaterThan(0);
  });

  test('a deadline that is reached among them is reached once', async () => {
    const scene: Scene = {
      tools: (system, world, process) => [
        ...large(system, world, process),
        ...scripted({ hung: { takes: 100_000 } })(system, world, process),
      ],
      plan: { timeoutMs: 500, calls: [...(together.plan.calls ?? []), { callId: 'H', toolName: 'hung' }] },
    };
    await expectAsInProcess(scene, split);
    await expectSurvives(scene, split);
  });
});

describe('an output that is larger than the journal takes by itself', () => {
  const scene = (more: object = {}, size = 50_000): Scene => ({
    tools: large,
    plan: {
      calls: [
        { callId: 'A', toolName: 'large', arguments: { size, ...more } },
        { callId: 'B', toolName: 'large', arguments: { size: 10 }, dependsOn: ['A'] },
      ],
    },
  });

  test.for([['x'], ['"'], ['\u0000'], ['é'], ['€'], ['😀'], ['\ud800']])(
    'of %j is cut and marked, and the turn continues',
    async ([text]) => {
      const { turn } = await playJournaled(scene({ text }), { mostBytes });
      expect(turn.outcome).toBe('success');
      const [cut, next] = turn.results;
      expect(cut).toMatchObject({
        status: 'success',
        altered: 'truncated',
        output: expect.stringMatching(/… \[truncated, \d+ characters\]$/),
      });
      expect(String(cut?.output).length).toBeGreaterThan(mostBytes / 16);
      expect(next).toMatchObject({ status: 'success', output: 'x'.repeat(10) });
      expect(next).not.toHaveProperty('altered');
    },
  );

  test('is the same in a process that takes the turn over', async () => {
    const expected = await playJournaled(scene(), { mostBytes });
    await playEveryDeath(scene(), ({ turn }) => expect(ends(turn)).toEqual(ends(expected.turn)), { mostBytes });
  });

  test('is whole where the journal takes any', async () => {
    const { turn } = await playJournaled(scene());
    expect(turn.results[0]?.output).toBe('x'.repeat(50_000));
  });
});
