import { expect, test } from 'vitest';
import { drawScene, explainFinding, runScene, shrink } from '../src/index.ts';

test('the same seed is the same scene, and runs the same way', async () => {
  const [one, again] = [drawScene('17'), drawScene('17')];
  expect(again).toEqual(one);
  const [first, second] = [await runScene(one), await runScene(again)];
  expect(JSON.stringify(second.plays.map(({ events }) => events))).toBe(JSON.stringify(first.plays.map(({ events }) => events)));
});

test('a finding has one command, and shrinking ends when no smaller scene shows it', async () => {
  const finding = { seed: '17', command: 'npm run fuzz -- --seed 17 --trace', found: ['made up'] };
  expect(await explainFinding(finding)).toMatch(/^reproduce with: npm run fuzz -- --seed 17 --trace\n {2}made up\n/);
  const scene = drawScene('17');
  expect((await shrink(scene, ['made up'])).scene).toBe(scene);
});
