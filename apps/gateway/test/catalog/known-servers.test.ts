/** The lists of servers are kept once. */
import { createSystem } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { expect, test, vi } from 'vitest';
import { KnownServers, type KnownServersOptions, type ListedServer } from '../../src/catalog/known-servers.ts';

const unlocked = async (): Promise<unknown> => ({ withheld: new Map(), notes: [] });
const noCache: KnownServersOptions['cache'] = { get: () => undefined, set: () => {}, saved: async () => {} };

test('a list that has not changed is kept once: by the catalog and by the cache for the next start', async () => {
  const cached: (readonly JsonObject[])[] = [];
  const known = new KnownServers({
    cache: { get: () => undefined, set: (_server, _entry, tools) => void cached.push(tools), saved: async () => {} },
    guard: { check: unlocked, compare: unlocked } as unknown as KnownServersOptions['guard'],
    system: createSystem(),
    requestTimeoutMs: 5_000,
    onChange: async () => {},
  });
  let title = 'Finds';
  const request = async (): Promise<JsonObject> => ({ tools: [{ name: 'search', title }, { name: 'book' }] });
  const server = { request, status: () => ({ state: 'up', restarts: 0 }) } as unknown as ListedServer['server'];
  const upstream = { name: 'travel', entry: {} as ListedServer['entry'], server };

  await known.refresh(upstream);
  title = 'Searches';
  await known.refresh(upstream);
  const [first, second] = cached;
  expect(second).toEqual([{ name: 'search', title: 'Searches' }, { name: 'book' }]);
  expect(second?.[1]).toBe(first?.[1]);
  expect(second).toEqual(known.get('travel')?.tools);
  known.close();
});

test('a list that arrives while the lock file is compared again is not lost', async () => {
  const checks: (() => void)[] = [];
  /** As the guard does: one check after the other, each with its own list. */
  const check = (): Promise<unknown> => new Promise((resolve) => void checks.push(() => resolve({ withheld: new Map(), notes: [] })));
  const known = new KnownServers({
    cache: noCache,
    guard: { check, compare: check } as unknown as KnownServersOptions['guard'],
    system: createSystem(),
    requestTimeoutMs: 5_000,
    onChange: async () => {},
  });
  const server = { request: async () => ({ tools: [{ name: 'search' }] }), status: () => ({ state: 'up', restarts: 0 }) };
  const upstream = { name: 'travel', entry: {} as ListedServer['entry'], server: server as unknown as ListedServer['server'] };

  const begun = (count: number): Promise<void> => vi.waitFor(() => expect(checks).toHaveLength(count));
  const refreshed = known.refresh(upstream);
  await begun(1);
  const rechecked = known.recheck();
  await begun(2);
  checks[0]?.();
  await refreshed;
  checks[1]?.();
  await begun(3);
  checks[2]?.();
  await rechecked;
  expect(known.get('travel')?.tools).toEqual([{ name: 'search' }]);
  known.close();
});
