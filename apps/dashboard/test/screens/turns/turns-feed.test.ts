import type { TurnItem } from '@holdfast/gateway/contract';
import { afterEach, expect, it, vi } from 'vitest';
import { createTurnsFeed } from '../../../src/screens/turns/turns-feed.ts';

const turn = (run: number): TurnItem => ({
  turn_id: `t${run}`,
  run,
  started_at: '2026-01-01T00:00:00.000Z',
  state: 'completed',
  outcome: 'success',
  calls: 1,
  events: 6,
});

interface Asked {
  readonly path: string;
  readonly answer: (turns: readonly TurnItem[]) => void;
}

/** A gateway that answers when the test says so. */
function slowGateway(): readonly Asked[] {
  const asked: Asked[] = [];
  vi.stubGlobal('fetch', (path: string) => {
    return new Promise<Response>((resolve) => {
      asked.push({ path, answer: (turns) => resolve(Response.json({ turns })) });
    });
  });
  return asked;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it('what was new while the first page was on its way is asked for behind it', async () => {
  const asked = slowGateway();
  const feed = createTurnsFeed('tool=a');
  feed.subscribe(() => undefined);
  feed.refresh(false);
  expect(asked.map(({ path }) => path)).toEqual(['/v1/turns?tool=a&limit=200']);
  asked[0]?.answer([turn(1)]);
  await vi.waitFor(() => expect(asked.map(({ path }) => path)).toEqual(['/v1/turns?tool=a&limit=200', '/v1/turns?tool=a&limit=50']));
  asked[1]?.answer([turn(2), turn(1)]);
  await vi.waitFor(() => expect(feed.view().turns.map(({ run }) => run)).toEqual([2, 1]));
  expect(asked).toHaveLength(2);
});
