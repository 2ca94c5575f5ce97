/** For any world file: each mistake is reported with its position, and a file without mistakes can be run. */
import { scenarios, startSimulation, holdfast } from '@holdfast/simulate';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatProblem, parsePolicy } from '../../src/index.ts';
import { parseWorld, printWorld } from '../../src/world/index.ts';

const plain = (text: string): string => text.replaceAll(/ *#.*\n/g, '\n').replaceAll(/\n+/g, '\n');
const texts = Object.values(scenarios).map((world) => plain(printWorld(world)));
const words = [
  '0',
  '-1',
  '.inf',
  '.nan',
  'null',
  '[]',
  '[1, 2]',
  '[2, 1]',
  'search',
  'closed',
  'flapping',
  'lognormal',
  '1e9',
  '*x',
  '1',
  '2',
  '3',
  '7',
  '50',
  '400',
  '4000',
  '90000',
  '0.5',
];

/** A valid world in which some values are replaced. */
const changed = fc
  .tuple(fc.constantFrom(...texts), fc.array(fc.tuple(fc.nat(), fc.constantFrom(...words)), { minLength: 1, maxLength: 2 }))
  .map(([text, changes]) => {
    const parts = text.split(/(?<=: )(?=[^\n ])/);
    for (const [at, word] of changes) {
      const index = 1 + (at % (parts.length - 1));
      parts[index] = (parts[index] ?? '').replace(/^[^\n,}]+/, word);
    }
    return parts.join('');
  });

test('a changed world is refused with a position, or can be run', () => {
  let passed = 0;
  let refused = 0;
  fc.assert(
    fc.property(changed, (text) => {
      const { world, problems, source } = parseWorld(text);
      for (const problem of problems) expect(formatProblem(problem, { source })).toMatch(/^world\.yaml:\d+:\d+: (?:error|warning): /);
      expect(world === undefined).toBe(problems.some(({ severity }) => severity === 'error'));
      if (world === undefined) return void (refused += 1);
      passed += 1;
      // A few steps are enough to have everything set up; rates of a billion would take forever.
      const run = startSimulation(world, holdfast('spec'), 'x');
      for (let step = 0; step < 50; step += 1) if (!run.step()) break;
    }),
    // Some of the cases are the same in every run: they contain both kinds, independent of the others.
    { numRuns: 300, examples: fc.sample(fc.tuple(changed), { seed: 1, numRuns: 60 }) },
  );
  expect(passed).toBeGreaterThan(3);
  expect(refused).toBeGreaterThan(3);
});

test('no text makes a policy file throw', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom('tools', ': ', '\n', '- ', '[', ']', '{', '}', 'id', 'run', 'defaults', 'profile', 'spec', '*a', '&a', '1', 'null'),
      ),
      (parts) => {
        const { policy, problems } = parsePolicy(parts.join(''));
        expect(policy === undefined).toBe(problems.some(({ severity }) => severity === 'error'));
      },
    ),
    { numRuns: 500 },
  );
});
