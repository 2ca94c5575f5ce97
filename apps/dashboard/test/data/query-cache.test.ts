import { describe, expect, test } from 'vitest';
import type { Problem } from '../../src/data/problem.ts';
import { createQueryCache } from '../../src/data/query-cache.ts';
import type { Answer } from '../../src/data/request.ts';

const problem: Problem = { kind: 'gone', title: 'gone', detail: 'gone' };

/** A cache whose requests are answered by the test. */
function createTestCache() {
  const requests: { readonly path: string; readonly answer: (value: Answer<unknown>) => void }[] = [];
  const cache = createQueryCache(
    (path) => new Promise((answer) => void requests.push({ path, answer })),
    () => 7,
  );
  return { requests, cache };
}

describe('createQueryCache', () => {
  test('shares one request between concurrent loads', async () => {
    const { requests, cache } = createTestCache();
    const loads = [cache.load('/a'), cache.load('/a'), cache.load('/b')];
    expect(requests.map(({ path }) => path)).toEqual(['/a', '/b']);
    for (const { answer, path } of requests) answer({ data: path });
    await Promise.all(loads);
    expect(cache.view('/a')).toEqual({ data: '/a', loading: false, loadedAt: 7 });
  });

  test('keeps the last data while reloading and after a problem', async () => {
    const { requests, cache } = createTestCache();
    const first = cache.load('/a');
    requests[0]?.answer({ data: 1 });
    await first;
    const second = cache.load('/a');
    expect(cache.view('/a')).toEqual({ data: 1, loading: true, loadedAt: 7 });
    requests[1]?.answer({ problem });
    await second;
    expect(cache.view('/a')).toEqual({ data: 1, problem, loading: false, loadedAt: 7 });
    const third = cache.load('/a');
    requests[2]?.answer({ data: 2 });
    await third;
    expect(cache.view('/a')).toEqual({ data: 2, loading: false, loadedAt: 7 });
  });

  test('notifies only the subscribers of that path', async () => {
    const { requests, cache } = createTestCache();
    const notified: string[] = [];
    const stop = cache.subscribe('/a', () => notified.push('a'));
    cache.subscribe('/b', () => notified.push('b'));
    const loading = cache.load('/a');
    requests[0]?.answer({ data: 1 });
    await loading;
    expect(notified).toEqual(['a', 'a']);
    stop();
    const again = cache.load('/a');
    requests[1]?.answer({ data: 2 });
    await again;
    expect(notified).toEqual(['a', 'a']);
  });

  test('evicts the oldest entries without subscribers', async () => {
    const cache = createQueryCache(
      (path) => Promise.resolve({ data: path }),
      () => 0,
    );
    cache.subscribe('/watched', () => undefined);
    await cache.load('/watched');
    for (let index = 0; index < 150; index += 1) await cache.load(`/${index}`);
    expect(cache.view('/watched').data).toBe('/watched');
    expect(cache.view('/0').data).toBeUndefined();
    expect(cache.view('/149').data).toBe('/149');
  });
});
