/** Owns the check of what `memoryKey` and `addToEntry` are given outside of the engine. */
import * as entries from '../../engine/recover/memory-entry.ts';
import type { ErrorKind, MemoryEntry } from '../../engine/recover/memory-entry.ts';
import { arrayRule, checkShape, type Fields } from '../../engine/settings/check.ts';

const kindFields: Fields = { toolName: 'string', category: 'string', rule: 'string' };

/** Identifies the kind of error that an entry is about. @throws TypeError for a kind that cannot be read */
export function memoryKey(kind: ErrorKind): string {
  checkShape(kindFields, kind, 'memoryKey: kind');
  return entries.memoryKey(kind);
}

/** Adds what was learned to what a store has about the same kind of error, if that is a valid entry. @throws TypeError if `learned` cannot be read */
export function addToEntry(stored: unknown, learned: MemoryEntry): MemoryEntry {
  checkShape({ ...kindFields, savedAtEpochMs: 'number', outcomes: arrayRule }, learned, 'addToEntry: learned');
  return entries.addToEntry(stored, learned);
}
