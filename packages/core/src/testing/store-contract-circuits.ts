/**
 * Owns the cases of the store contract about circuits.
 */
import type { ContractBody } from './store-contract-case.ts';
import { check, checkEqual } from './store-contract-check.ts';
import { circuitSnapshot } from './store-contract-data.ts';

export const circuitCases: Readonly<Record<string, ContractBody>> = {
  'circuits are loaded exactly as saved, one per tool': async (store, { startedAtMs, reopen }) => {
    check((await store.loadCircuits()).size === 0, 'an empty store has circuits');
    const saved = new Map(['flight_search', '🛫', '\uD800', '__proto__'].map((id, n) => [id, circuitSnapshot(startedAtMs, n)]));
    store.saveCircuits(saved);
    await store.flush();
    checkEqual([...(await store.loadCircuits())].toSorted(byName), [...saved].toSorted(byName), 'a circuit was changed');
    if (reopen === undefined) return;
    const other = await reopen(store);
    checkEqual([...(await other.loadCircuits())].toSorted(byName), [...saved].toSorted(byName), 'another process loads different circuits');
    await other.close();
  },
  'the latest snapshot wins, whichever is written last': async (store, { startedAtMs }) => {
    const newer = circuitSnapshot(startedAtMs + 10, 2);
    store.saveCircuits(
      new Map([
        ['a', circuitSnapshot(startedAtMs, 1)],
        ['b', circuitSnapshot(startedAtMs, 1)],
      ]),
    );
    await store.flush();
    store.saveCircuits(new Map([['a', newer]]));
    store.saveCircuits(new Map([['a', circuitSnapshot(startedAtMs + 5, 3)]]));
    await store.flush();
    store.saveCircuits(new Map([['a', circuitSnapshot(startedAtMs + 6, 4)]]));
    await store.flush();
    const loaded = await store.loadCircuits();
    checkEqual(loaded.get('a'), newer, 'an older snapshot won');
    checkEqual(loaded.get('b')?.failureCount, 1, 'a tool that was not saved again is missing');
  },
};

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
