import { describe, expect, test } from 'vitest';
import { sortTools } from '../../../src/screens/tools/tools.model.ts';
import { shareOf } from '../../../src/ui/share.model.ts';
import { counts, tile } from '../../fixtures.ts';

const tiles = [
  tile('b', { counts: counts({ calls: 5 }), failure: shareOf(1, 5) }),
  tile('a', {
    status: 'failing',
    counts: counts({ calls: 5 }),
    failure: shareOf(50, 100),
    latency: { p50_ms: 3, p95_ms: 3, p99_ms: 3, mean_ms: 3 },
  }),
  tile('c', { counts: counts({ calls: 9 }), in_flight: 1, queued: 2 }),
];
const order = (by: string, down: boolean): string =>
  sortTools(tiles, by, down)
    .map(({ name }) => name)
    .join('');

describe('sortTools', () => {
  test.each([
    ['name', false, 'abc'],
    ['name', true, 'cba'],
    ['status', false, 'abc'],
    ['calls', true, 'cab'],
    ['failed', true, 'abc'],
    ['p95', true, 'abc'],
    ['flight', true, 'cab'],
    ['of a later version', false, 'abc'],
  ])('by %s, descending %s', (by, down, expected) => {
    expect(order(by, down)).toBe(expected);
  });
});
