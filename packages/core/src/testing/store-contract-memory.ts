/**
 * Owns the cases of the store contract about what episodic memory has learned.
 */
import { type MemoryEntry, memoryKey } from '../engine/recover/memory-entry.ts';
import type { ContractBody } from './store-contract-case.ts';
import { check, checkEqual } from './store-contract-check.ts';
import { completeTurn, memoryEntry } from './store-contract-data.ts';

export const memoryCases: Readonly<Record<string, ContractBody>> = {
  'what was learned is loaded as added, one entry per kind of error': async (store, { startedAtMs, reopen }) => {
    checkEqual(await store.loadMemory(), [], 'an empty store has learned something');
    const learned = ['flight_search', '🛫', '\uD800', '__proto__', 'nul \0'].map((toolName, n) =>
      memoryEntry(startedAtMs + n, { toolName, rule: `status:${String(500 + n)}` }),
    );
    store.addMemory(learned);
    await store.flush();
    checkEqual(await store.loadMemory(), learned, 'an entry was changed, or is out of order');
    if (reopen === undefined) return;
    const other = await reopen(store);
    checkEqual(await other.loadMemory(), learned, 'another process loads different entries');
    await other.close();
  },
  'what is learned later is added, by tool, category and rule': async (store, { startedAtMs }) => {
    const kinds = [{}, { toolName: 'hotel_search' }, { category: 'timeout' as const }, { rule: 'code:ECONNRESET' }];
    for (const round of [1, 2, 3]) {
      store.addMemory(kinds.map((kind) => memoryEntry(startedAtMs + round, kind)));
      if (round > 1) await store.flush();
    }
    const loaded = await store.loadMemory();
    checkEqual(loaded.length, kinds.length, 'two kinds of error share an entry, or one has several');
    for (const { savedAtEpochMs, outcomes } of loaded) {
      checkEqual(savedAtEpochMs, startedAtMs + 3, 'the time of the last addition is not kept');
      checkEqual(
        outcomes,
        [
          { strategy: 'retry', tried: 15, succeeded: 6, withheld: 3 },
          { strategy: 'use_alternative', toolName: 'backup', tried: 6, succeeded: 6 },
        ],
        'outcomes were lost, or counted twice',
      );
    }
  },
  'what was added in the same moment as events is written once': async (store, { startedAtMs }) => {
    for (let n = 0; n < 30; n += 1) {
      store.append(completeTurn(`turn-${String(n)}`, startedAtMs + n));
      store.addMemory([memoryEntry(startedAtMs + n)]);
      if (n % 7 === 0) await store.flush();
    }
    await store.flush();
    checkEqual((await store.loadMemory())[0]?.outcomes[0]?.tried, 150, 'outcomes were lost, or counted twice');
  },
  'the 1000 kinds of error that were learned last are kept': async (store, { startedAtMs }) => {
    const learned = Array.from({ length: 1_010 }, (_, n) => memoryEntry(startedAtMs + n, { rule: `code:${String(n)}` }));
    store.addMemory(learned.slice(0, 600));
    await store.flush();
    store.addMemory([...learned.slice(600), memoryEntry(startedAtMs + 2_000, { rule: 'code:0' })]);
    await store.flush();
    const rules = new Set((await store.loadMemory()).map(({ rule }) => rule));
    checkEqual(rules.size, 1_000, 'not 1000 entries');
    check(rules.has('code:0') && rules.has('code:1009') && !rules.has('code:1'), 'an entry that was used later was removed before others');
  },
  'a closed store ignores what is learned': async (store, { startedAtMs }) => {
    await store.close();
    store.addMemory([memoryEntry(startedAtMs)]);
    await store.flush();
    await store.loadMemory();
  },
};

/** Cases for stores that several processes use. */
export const sharedMemoryCases: Readonly<Record<string, ContractBody>> = {
  'several writers lose nothing of what the others learned': async (store, { startedAtMs, reopen }) => {
    const others = [await reopen!(store), await reopen!(store)];
    const writers = [store, ...others];
    for (let n = 0; n < 10; n += 1) {
      for (const [at, writer] of writers.entries())
        writer.addMemory([memoryEntry(startedAtMs + n), memoryEntry(startedAtMs + n, { toolName: `tool-${String(at)}` })]);
      await Promise.all(writers.map((writer) => writer.flush()));
    }
    const tried = new Map((await store.loadMemory()).map((entry: MemoryEntry) => [memoryKey(entry), entry.outcomes[0]?.tried]));
    const own = writers.map((_, at) => memoryEntry(0, { toolName: `tool-${String(at)}` }));
    checkEqual(
      [memoryEntry(0), ...own].map((entry) => tried.get(memoryKey(entry))),
      [150, 50, 50, 50],
      'outcomes of a writer were lost, or counted twice',
    );
    for (const other of others) await other.close();
  },
};
