import { addToEntry, MAX_MEMORY_ENTRIES, type MemoryEntry, memoryKey } from '../../engine/recover/memory-entry.ts';

/** Adds what was learned to entries by their key. Those that were added to last are at the end; the others leave first when there are too many. */
export function addMemory(known: ReadonlyMap<string, MemoryEntry>, learned: readonly MemoryEntry[]): ReadonlyMap<string, MemoryEntry> {
  const sum = new Map(known);
  for (const entry of learned) {
    const key = memoryKey(entry);
    const total = addToEntry(sum.get(key), entry);
    sum.delete(key);
    sum.set(key, total);
  }
  for (const key of sum.keys()) {
    if (sum.size <= MAX_MEMORY_ENTRIES) break;
    sum.delete(key);
  }
  return sum;
}
