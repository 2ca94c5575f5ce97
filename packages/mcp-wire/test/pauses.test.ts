/** Long work of several parts serves others in between. */
import { expect, test } from 'vitest';
import { Pauses } from '../src/pauses.ts';

function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('a pause is due after a few milliseconds of work, and not right after a pause', async () => {
  const pauses = new Pauses();
  expect(pauses.isDue).toBe(false);
  work(6);
  expect(pauses.isDue).toBe(true);
  await pauses.pause();
  expect(pauses.isDue).toBe(false);
});

test('in each turn of the event loop, one of many works resumes', async () => {
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const turns = await Promise.all(
    Array.from({ length: 5 }, async () => {
      await new Pauses().pause();
      return turn;
    }),
  );
  isOver = true;
  expect(new Set(turns).size).toBe(5);
  expect(turns).toEqual(turns.toSorted((a, b) => a - b));
});

test('works can share the time of the turn of the event loop in which they begin', async () => {
  await new Promise((resolve) => setImmediate(resolve));
  const first = Pauses.ofTurn();
  work(6);
  expect([first.isDue, Pauses.ofTurn().isDue, new Pauses().isDue]).toEqual([true, true, false]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(Pauses.ofTurn().isDue).toBe(false);
});
