/** The lists of servers are kept once. */
import { createSystem } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { expect, test } from 'vitest';
import { KnownServers, type KnownServersOptions, type ListedServer } from '../../src/catalog/known-servers.ts';

const unlocked = async (): Promise<unknown> => ({ withheld: new Map(), notes: [] });

test('a list that has not changed is kept once: by the catalog and by the cache for the next start', async () => {
  const cached: (readonly JsonObject[])[] = [];
  const known = new KnownServers({
    cache: { get: () => undefined, set: (_server, _entry, tools) => void cached.push(tools), saved: async () => {} },
    guard: { check: unlocked, compare: unlocked } as unknown as KnownServersOptions['guard'],
    system: createSystem(),
    requestTimeoutMs: 5_000,
    onChange: () => {},
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
