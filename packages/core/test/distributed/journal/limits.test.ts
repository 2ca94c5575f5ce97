/** A journal with a size limit for texts: larger slices are split over several steps, and a single larger output is truncated. */
import { describe, expect, test } from 'vitest';
import { defineTool } from '../../../src/index.ts';
import { bytesOf } from '../../../src/distributed/journal/text-size.ts';
import type { JournalEntry } from '../../../src/distributed/journal/index.ts';
import { expectSameAsInProcess, expectSurvives } from './expectations.ts';
import { scripted } from './scenes.ts';
import type { MakeTools, Scene } from './support.ts';
import { outcomes, runEveryDeath, runJournaled } from './support.ts';

const maxBytes = 4_000;
/** The steps of the calls run before the step that opens the turn, so their inputs are logged when that step ends. */
const split = { maxBytes, choose: (count: number): number => count - 1 };

/** Returns synchronously, so that all outputs arrive at one moment. */
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

describe('outputs of one moment that are too large together', () => {
  test('are complete, in several steps: the turn is the same as in process', async () => {
    const { journal } = await expectSameAsInProcess(together, split);
    const steps = stepsOf(journal.entries);
    expect(steps[0]?.name).toBe('start');
    expect(steps[0]?.text).toContain('["more"]]');
    expect(Math.max(...steps.map(({ text }) => bytesOf(text)))).toBeLessThanOrEqual(maxBytes);
    // Every output is there twice, since each has a partial one.
    expect(steps.length).toBeGreaterThanOrEqual(6);
  });

  test('survive every process death between these steps without repeated work', async () => {
    await expectSurvives(together, split);
    let parts = 0;
    await runEveryDeath(
      together,
      ({ journal }) => {
        parts += stepsOf(journal.entries).filter(({ name }) => name.includes(' more ')).length;
      },
      split,
    );
    expect(parts).toBeGreaterThan(0);
  });

  test('run again only if the second part of their step is not journaled', async () => {
    const scene: Scene = { tools: large, plan: { calls: [{ callId: 'A', toolName: 'large', arguments: { size: 3_000 } }] } };
    const begun = new Set<number>();
    await runEveryDeath(
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

  test('an input stays with the answers of its moment', async () => {
    const after = ['B', 'C', 'D', 'E', 'F'].map((callId) => ({ callId, toolName: 'large', arguments: { size: 10 }, dependsOn: ['A'] }));
    const sizes = Array.from({ length: 60 }, (_, index) => 1_500 + 5 * index);
    let parts = 0;
    for (const size of sizes) {
      const scene: Scene = { tools: large, plan: { calls: [{ callId: 'A', toolName: 'large', arguments: { size } }, ...after] } };
      const { turn, journal } = await runJournaled(scene, { ...split, dies: ({ at, name }) => at === 'entry' && name === 'A#1' });
      expect(
        turn.results.map(({ output }) => String(output).length),
        `with ${size}`,
      ).toEqual([size, 10, 10, 10, 10, 10]);
      expect(journal.deaths).toBe(1);
      parts += stepsOf(journal.entries).filter(({ text }) => text.includes('["more"]]')).length;
    }
    expect(parts).toBeGreaterThan(0);
  });

  test('a deadline between them is reached once', async () => {
    const scene: Scene = {
      tools: (system, world, process) => [
        ...large(system, world, process),
        ...scripted({ hung: { takes: 100_000 } })(system, world, process),
      ],
      plan: { timeoutMs: 500, calls: [...(together.plan.calls ?? []), { callId: 'H', toolName: 'hung' }] },
    };
    await expectSameAsInProcess(scene, split);
    await expectSurvives(scene, split);
  });
});

describe('an output that is larger than the limit of the journal', () => {
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
    'of %j is truncated and marked, and the turn continues',
    async ([text]) => {
      const { turn } = await runJournaled(scene({ text }), { maxBytes });
      expect(turn.outcome).toBe('success');
      const [cut, next] = turn.results;
      expect(cut).toMatchObject({
        status: 'success',
        altered: 'truncated',
        output: expect.stringMatching(/… \[truncated, \d+ characters\]$/),
      });
      expect(String(cut?.output).length).toBeGreaterThan(maxBytes / 16);
      expect(next).toMatchObject({ status: 'success', output: 'x'.repeat(10) });
      expect(next).not.toHaveProperty('altered');
    },
  );

  test('is truncated to the same text in a process that takes over the turn', async () => {
    const expected = await runJournaled(scene(), { maxBytes });
    await runEveryDeath(scene(), ({ turn }) => expect(outcomes(turn)).toEqual(outcomes(expected.turn)), { maxBytes });
  });

  test('is complete on a journal without a limit', async () => {
    const { turn } = await runJournaled(scene());
    expect(turn.results[0]?.output).toBe('x'.repeat(50_000));
  });
});
