import { describe, expect, test } from 'vitest';
import type { Problem } from '../../src/data/problem.ts';
import { createQueryCache } from '../../src/data/query-cache.ts';
import type { Answer } from '../../src/data/request.ts';

const problem: Problem = { kind: 'gone', title: 'gone', detail: 'gone' };

/** Answers when it is told to. */
function world() {
  const asked: { readonly path: string; readonly answer: (value: Answer<unknown>) => void }[] = [];
  const cache = createQueryCache(
    (path) => new Promise((answer) => void asked.push({ path, answer })),
    () => 7,
  );
  return { asked, cache };
}

describe('createQueryCache', () => {
  test('one request for all who ask at once', async () => {
    const { asked, cache } = world();
    const loads = [cache.load('/a'), cache.load('/a'), cache.load('/b')];
    expect(asked.map(({ path }) => path)).toEqual(['/a', '/b']);
    for (const { answer, path } of asked) answer({ data: path });
    await Promise.all(loads);
    expect(cache.view('/a')).toEqual({ data: '/a', loading: false, loadedAt: 7 });
  });

  test('the last answer stays while it is asked again, and beside a problem', async () => {
    const { asked, cache } = world();
    const first = cache.load('/a');
    asked[0]?.answer({ data: 1 });
    await first;
    const second = cache.load('/a');
    expect(cache.view('/a')).toEqual({ data: 1, loading: true, loadedAt: 7 });
    asked[1]?.answer({ problem });
    await second;
    expect(cache.view('/a')).toEqual({ data: 1, problem, loading: false, loadedAt: 7 });
    const third = cache.load('/a');
    asked[2]?.answer({ data: 2 });
    await third;
    expect(cache.view('/a')).toEqual({ data: 2, loading: false, loadedAt: 7 });
  });

  test('tells those who listen to that address only', async () => {
    const { asked, cache } = world();
    const heard: string[] = [];
    const stop = cache.subscribe('/a', () => heard.push('a'));
    cache.subscribe('/b', () => heard.push('b'));
    const loading = cache.load('/a');
    asked[0]?.answer({ data: 1 });
    await loading;
    expect(heard).toEqual(['a', 'a']);
    stop();
    const again = cache.load('/a');
    asked[1]?.answer({ data: 2 });
    await again;
    expect(heard).toEqual(['a', 'a']);
  });

  test('forgets the oldest that nobody looks at', async () => {
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
