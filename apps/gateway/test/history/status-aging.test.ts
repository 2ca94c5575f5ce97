/** Looking at the status of thousands of tools does not block the event loop. */
import { expect, test } from 'vitest';
import type { ToolTile } from '../../src/contract.ts';
import { watchAging } from '../../src/history/status-aging.ts';

const tile = (name: string, calls: number): ToolTile =>
  ({ name, status: 'ok', circuit: 'closed', degraded: false, counts: { calls, failed: 0, recovered: 0 } }) as unknown as ToolTile;

/** As long as the tile of a tool may take. */
function busy(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

test('with few tools, changes are known when the look returns', () => {
  let calls = 3;
  const touched: string[] = [];
  const look = watchAging({ tiles: () => [tile('search', calls), tile('book', 1)], touch: (name) => touched.push(name) });
  look();
  expect(touched).toEqual([]);
  calls = 2;
  look();
  look();
  expect(touched).toEqual(['search']);
});

test('with many tools, the event loop turns in between, and a look that is asked for meanwhile is not lost', async () => {
  const count = 300;
  let calls = 1;
  let turns = 0;
  const touched: string[] = [];
  let looked = 0;
  function* tiles(): Generator<ToolTile> {
    for (let index = 0; index < count; index += 1) {
      busy(0.2);
      yield tile(`tool_${index}`, index === 0 ? calls : 1);
    }
    looked += 1;
  }
  const look = watchAging({ tiles, touch: (name) => touched.push(name) });
  const turning = setInterval(() => (turns += 1), 1);
  look();
  // The first tool was read already: only the look that follows sees the change.
  calls = 0;
  look();
  await expect.poll(() => looked, { interval: 5 }).toBe(2);
  clearInterval(turning);
  expect(touched).toEqual(['tool_0']);
  expect(turns).toBeGreaterThan(5);
});
