import { describe, expect, test } from 'vitest';
import type { CircuitSnapshot } from '../../src/engine/breaker/types.ts';
import type { Store } from '../../src/engine/ports/store.ts';
import { memoryStore } from '../../src/runtime/stores/memory-store.ts';
import { storeContract } from '../../src/testing/store-contract.ts';

/** Stores that break one promise each, and a case of the contract that has to notice. */
const broken: readonly [string, string, (store: Store) => Partial<Store>][] = [
  [
    'answers an empty turn for an unknown one',
    'an unknown turn',
    (store) => ({ readTurn: async (id) => (await store.readTurn(id)) ?? [] }),
  ],
  ['loses the last event of an append', 'a turn comes back whole', (store) => ({ append: (events) => store.append(events.slice(0, -1)) })],
  [
    'hands a turn back in the wrong order',
    'a turn comes back whole',
    (store) => ({ readTurn: async (id, run) => (await store.readTurn(id, run))?.toReversed() }),
  ],
  [
    'mixes turns up',
    'interleaved turns',
    (store) => ({ append: (events) => store.append(events.map((event) => ({ ...event, turn_id: 'one' }))) }),
  ],
  ['always reads the first run', 'the same turn id again', (store) => ({ readTurn: (id) => store.readTurn(id, 1) })],
  [
    'loses what comes after the end',
    'a late event',
    (store) => ({ append: (events) => store.append(events.filter((event) => event.event_type !== 'LateResult')) }),
  ],
  ['loses headless events silently', 'an event of a turn whose head', (store) => ({ status: () => ({ ...store.status(), dropped: 0 }) })],
  [
    'keeps texts as UTF-8',
    'odd texts',
    (store) => ({ append: (events) => store.append(JSON.parse(JSON.stringify(events).replaceAll('\\ud800', '\ufffd')) as typeof events) }),
  ],
  [
    'throws at what it cannot store',
    'what cannot be stored',
    (store) => ({ append: (events) => store.append(JSON.parse(JSON.stringify(events)) as typeof events) }),
  ],
  ['says that a closed store is well', 'a closed store', (store) => ({ status: () => ({ ok: true, dropped: store.status().dropped }) })],
  [
    'lists oldest first',
    'turns are listed newest first',
    (store) => ({ listTurns: async (query) => (await store.listTurns(query)).toReversed() }),
  ],
  [
    'pages by time alone',
    'paging shows every turn once',
    (store) => ({
      listTurns: ({ after, ...query } = {}) => store.listTurns(after === undefined ? query : { ...query, before: after.startedAt }),
    }),
  ],
  [
    'ignores the filter by type',
    'readEvents filters',
    (store) => ({ readEvents: ({ since = -Infinity, until = Infinity } = {}) => store.readEvents({ since, until }) }),
  ],
  [
    'keeps the snapshot that came last',
    'the snapshot saved last wins',
    (store) => {
      const circuits = new Map<string, CircuitSnapshot>();
      return {
        ...store,
        saveCircuits: (saved) => saved.forEach((snapshot, id) => circuits.set(id, snapshot)),
        loadCircuits: async () => circuits,
      };
    },
  ],
];

describe('the contract notices a store that', () => {
  test.each(broken)('%s', async (_, caseName, breakIt) => {
    const cases = storeContract({
      open: () => {
        const store = memoryStore();
        return { ...store, ...breakIt(store) };
      },
    });
    const found = cases.find(({ name }) => name.startsWith(caseName));
    await expect(found?.run()).rejects.toThrow(/^Store contract: |circular/);
  });

  test('forgets what another process should read', async () => {
    const cases = storeContract({ open: () => memoryStore(), reopen: () => memoryStore() });
    for (const name of ['after flush another process', 'close keeps', 'circuits come back']) {
      await expect(cases.find((one) => one.name.startsWith(name))?.run()).rejects.toThrow('Store contract: ');
    }
  });
});
