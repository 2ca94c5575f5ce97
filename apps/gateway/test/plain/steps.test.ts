/** Long work in steps lets others run in between; short work ends at once. */
import { expect, test } from 'vitest';
import { inSlices, inTurns, type Steps } from '../../src/plain/steps.ts';

function* count(to: number, ms: number): Steps<number> {
  for (let done = 0; done < to; done += 1) {
    for (const until = performance.now() + ms; performance.now() < until;);
    yield;
  }
  return to;
}

function* fail(): Steps<never> {
  yield;
  throw new Error('broken');
}

test('the result of short work is returned at once, and its error is thrown', () => {
  expect(inSlices(count(3, 0))).toBe(3);
  expect(() => inSlices(fail())).toThrow('broken');
});

test('the event loop turns between the steps of long work', async () => {
  let turns = 0;
  const turning = setInterval(() => (turns += 1), 0);
  await expect(inSlices(count(60, 1))).resolves.toBe(60);
  clearInterval(turning);
  expect(turns).toBeGreaterThan(5);
});

test('requests that come at once share a turn of the event loop', async () => {
  let turns = 0;
  const turning = setInterval(() => (turns += 1), 0);
  const ends = await Promise.all(
    Array.from({ length: 10 }, async () => {
      await inTurns(count(4, 1));
      return turns;
    }),
  );
  clearInterval(turning);
  expect(new Set(ends).size).toBeGreaterThan(4);
});
