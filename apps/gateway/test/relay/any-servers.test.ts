/** Whatever servers do, lists are answered in time and contain those of the good servers. */
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientRequest, keys, never, resources, type Script, world } from './fake-server.ts';

type Behaviour =
  | 'good'
  | 'hangs'
  | 'fails'
  | 'hangs in the handshake'
  | 'refuses the handshake'
  | 'sends invalid data'
  | 'answers late'
  | 'circles';

const behaviours: readonly Behaviour[] = [
  'good',
  'hangs',
  'fails',
  'hangs in the handshake',
  'refuses the handshake',
  'sends invalid data',
  'answers late',
  'circles',
];
/** Servers whose list is complete. */
const seen: ReadonlySet<Behaviour> = new Set(['good', 'circles']);

function scriptOf(behaviour: Behaviour, uri: string): Script {
  const list = resources(uri);
  const of = (answer: NonNullable<Script['answers']>[string]): Script => ({ answers: { 'resources/list': answer } });
  switch (behaviour) {
    case 'good':
      return of(list);
    case 'circles':
      return of(async (...asked) => ({ ...(await list(...asked)), nextCursor: 'again' }));
    case 'hangs':
      return of(never);
    case 'fails':
      return of(() => Promise.reject(new Error('broken')));
    case 'hangs in the handshake':
      return { greet: () => new Promise(() => {}) };
    case 'refuses the handshake':
      return { greet: () => Promise.reject(new Error('no')) };
    case 'sends invalid data':
      return of({ resources: [null, 'x', { uri: 7 }], nextCursor: 5, ttlMs: 'soon' } as JsonObject);
    case 'answers late':
      return of(async (...asked) => {
        await new Promise((resolve) => setTimeout(resolve, 20_000).unref());
        return list(...asked);
      });
  }
}

test('lists are answered in time, with what the good servers have, in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...behaviours), { maxLength: 6 }), async (all) => {
      const named = all.map((behaviour, index) => [`s${index}`, behaviour] as const);
      const { relay } = world(Object.fromEntries(named.map(([name, behaviour]) => [name, scriptOf(behaviour, `${name}://x`)])), {
        limits: { unknownListMs: 40, knownListMs: 20, handshakeMs: 20 },
      });
      const begin = performance.now();
      const result = await relay.handle(clientRequest('resources/list'));
      expect(performance.now() - begin).toBeLessThan(10_000);
      const good = named.filter(([, behaviour]) => seen.has(behaviour));
      const uris = keys(result, 'resources', 'uri');
      expect(uris).toEqual(good.map(([name]) => `${name}://x`));
      const degraded = isJsonObject(result['_meta']) ? result['_meta']['dev.holdfast/degraded'] : [];
      expect(degraded).toEqual(
        named.filter(([, behaviour]) => !seen.has(behaviour) && behaviour !== 'sends invalid data').map(([name]) => name),
      );
      relay.close();
    }),
    { numRuns: 40 },
  );
});
