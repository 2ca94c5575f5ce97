import { describe, expect, test } from 'vitest';
import type { CircuitSnapshot } from '../../src/engine/breaker/types.ts';
import type { Store } from '../../src/engine/ports/store.ts';
import { addToEntry, type MemoryEntry, memoryKey } from '../../src/engine/recover/memory-entry.ts';
import type { TraceEvent } from '../../src/engine/trace/events.ts';
import { memoryStore } from '../../src/runtime/stores/memory-store.ts';
import { storeContract } from '../../src/testing/store-contract.ts';

/** Stores that violate one requirement each, and the case of the contract that detects it. */
const brokenStores: readonly [string, string, (store: Store) => Partial<Store>][] = [
  [
    'returns an empty turn for an unknown one',
    'an unknown turn',
    (store) => ({ readTurn: async (id) => (await store.readTurn(id)) ?? [] }),
  ],
  [
    'loses the last event of an append',
    'a turn is read completely',
    (store) => ({ append: (events) => store.append(events.slice(0, -1)) }),
  ],
  [
    'returns a turn in the wrong order',
    'a turn is read completely',
    (store) => ({ readTurn: async (id, run) => (await store.readTurn(id, run))?.toReversed() }),
  ],
  [
    'mixes up turns',
    'interleaved turns',
    (store) => ({ append: (events) => store.append(events.map((event) => ({ ...event, turn_id: 'one' }))) }),
  ],
  ['always reads the first run', 'a repeated turn id', (store) => ({ readTurn: (id) => store.readTurn(id, 1) })],
  [
    'loses late events',
    'a late event',
    (store) => ({ append: (events) => store.append(events.filter((event) => event.event_type !== 'LateResult')) }),
  ],
  ['loses headless events silently', 'an event of a turn without', (store) => ({ status: () => ({ ...store.status(), dropped: 0 }) })],
  [
    'stores texts as UTF-8',
    'unusual texts',
    (store) => ({ append: (events) => store.append(JSON.parse(JSON.stringify(events).replaceAll('\\ud800', '\ufffd')) as typeof events) }),
  ],
  [
    'throws for an unserializable event',
    'an unserializable event',
    (store) => ({ append: (events) => store.append(JSON.parse(JSON.stringify(events)) as typeof events) }),
  ],
  ['reports that a closed store is ok', 'a closed store', (store) => ({ status: () => ({ ok: true, dropped: store.status().dropped }) })],
  [
    'lists oldest first',
    'turns are listed newest first',
    (store) => ({ listTurns: async (query) => (await store.listTurns(query)).toReversed() }),
  ],
  [
    'pages by time only',
    'paging lists every turn once',
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
    'stores the snapshot that was written last',
    'the latest snapshot wins',
    (store) => {
      const circuits = new Map<string, CircuitSnapshot>();
      return {
        ...store,
        saveCircuits: (saved) => saved.forEach((snapshot, id) => circuits.set(id, snapshot)),
        loadCircuits: async () => circuits,
      };
    },
  ],
  [
    'ignores how many of the newest events are asked for',
    'readEvents looks only at the newest',
    (store) => ({ readEvents: ({ newest: _newest, ...query } = {}) => store.readEvents(query) }),
  ],
  [
    'selects events before it looks for the newest',
    'readEvents looks only at the newest',
    (store) => ({
      async *readEvents({ newest = Infinity, ...query } = {}) {
        const found: TraceEvent[] = [];
        for await (const events of store.readEvents(query)) found.push(...events);
        yield found.slice(Math.max(0, found.length - newest));
      },
    }),
  ],
  ['replaces what others learned', 'what is learned later', keepsMemory((_stored, learned) => learned)],
  [
    'counts what was learned twice',
    'what was added in the same moment',
    (store) => ({ addMemory: (learned) => store.addMemory([...learned, ...learned]) }),
  ],
  ['keeps any number of entries', 'the 1000 kinds', keepsMemory(addToEntry)],
];

/** A store with entries of its own. */
function keepsMemory(add: (stored: MemoryEntry | undefined, learned: MemoryEntry) => MemoryEntry): () => Partial<Store> {
  return () => {
    const entries = new Map<string, MemoryEntry>();
    return {
      addMemory: (learned) => learned.forEach((entry) => entries.set(memoryKey(entry), add(entries.get(memoryKey(entry)), entry))),
      loadMemory: async () => [...entries.values()],
    };
  };
}

describe('the contract detects a store that', () => {
  test.each(brokenStores)('%s', async (_, caseName, breakIt) => {
    const cases = storeContract({
      open: () => {
        const store = memoryStore();
        return { ...store, ...breakIt(store) };
      },
    });
    const found = cases.find(({ name }) => name.startsWith(caseName));
    await expect(found?.run()).rejects.toThrow(/^Store contract: |circular/);
  });

  test('loses data that another process should read', async () => {
    const cases = storeContract({ open: () => memoryStore(), reopen: () => memoryStore() });
    for (const name of [
      'after flush another process',
      'close writes',
      'circuits are loaded',
      'what was learned is loaded',
      'several writers lose nothing',
    ]) {
      await expect(cases.find((candidate) => candidate.name.startsWith(name))?.run()).rejects.toThrow('Store contract: ');
    }
  });
});
