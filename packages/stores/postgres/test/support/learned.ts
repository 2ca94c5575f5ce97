import type { MemoryEntry } from '@holdfast/core';

/** An entry of episodic memory about so many retries. */
export function learned(tried: number, more: Partial<MemoryEntry> = {}): MemoryEntry {
  return {
    version: 1,
    toolName: 'flight_search',
    category: 'unavailable',
    rule: 'status:503',
    savedAtEpochMs: Date.now(),
    outcomes: [{ strategy: 'retry', tried, succeeded: 1, withheld: 0 }],
    ...more,
  };
}
