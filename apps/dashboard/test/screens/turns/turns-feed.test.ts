import type { TurnItem } from '@holdfast/gateway/contract';
import { afterEach, expect, it, vi } from 'vitest';
import { TurnsFeed } from '../../../src/screens/turns/turns-feed.ts';

const turn = (run: number): TurnItem => ({
  turn_id: `t${run}`,
  run,
  started_at: '2026-01-01T00:00:00.000Z',
  state: 'completed',
  outcome: 'success',
  calls: 1,
  events: 6,
});

interface PendingRequest {
  readonly path: string;
  readonly answer: (turns: readonly TurnItem[]) => void;
}

/** A gateway whose requests are answered by the test. */
function stubGateway(): readonly PendingRequest[] {
  const requests: PendingRequest[] = [];
  vi.stubGlobal('fetch', (path: string) => {
    return new Promise<Response>((resolve) => {
      requests.push({ path, answer: (turns) => resolve(Response.json({ turns })) });
    });
  });
  return requests;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it('a refresh during the first request is sent after it', async () => {
  const requests = stubGateway();
  const feed = new TurnsFeed('tool=a');
  feed.subscribe(() => undefined);
  feed.refresh(false);
  expect(requests.map(({ path }) => path)).toEqual(['/v1/turns?tool=a&limit=200']);
  requests[0]?.answer([turn(1)]);
  await vi.waitFor(() => expect(requests.map(({ path }) => path)).toEqual(['/v1/turns?tool=a&limit=200', '/v1/turns?tool=a&limit=50']));
  requests[1]?.answer([turn(2), turn(1)]);
  await vi.waitFor(() => expect(feed.view().turns.map(({ run }) => run)).toEqual([2, 1]));
  expect(requests).toHaveLength(2);
});
