import { createTurnClient } from '@holdfast/durable';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFleet, type Fleet } from './support/fleet.ts';
import { until } from './support/observe.ts';
import { sevenCalls } from './support/plans.ts';

let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet({ nodes: 3 });
});

afterAll(() => fleet.stop());

/** The other nodes detect the loss, elect a leader, and call the workers again: seconds, by Restate's own timers. */
const TAKE_OVER_MS = 60_000;

test(
  'of three nodes one is killed during turns: all turns end correctly on the other two, and new ones start',
  { timeout: TAKE_OVER_MS },
  async () => {
    await Promise.all([fleet.start(), fleet.start()]);
    const turns = Array.from({ length: 6 }, (_, index) => `cluster-${index}`);
    for (const turnId of turns) await fleet.client.submit(sevenCalls(turnId, 100));
    await until(() => fleet.toolLog().filter(({ phase }) => phase === 'end').length > 6, 'turns are under way');
    await fleet.server.kill(0);
    const [, ingressUrl = ''] = fleet.server.ingressUrls;
    const survivor = createTurnClient({ ingressUrl, timeoutMs: TAKE_OVER_MS });
    const results = await Promise.all(turns.map((turnId) => survivor.result(turnId)));
    expect(results.map(({ outcome }) => outcome)).toEqual(turns.map(() => 'success'));
    expect((await survivor.run(sevenCalls('after', 10))).outcome).toBe('success');
  },
);
