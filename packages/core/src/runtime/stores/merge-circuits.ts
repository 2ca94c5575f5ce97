import type { CircuitSnapshot } from '../../engine/breaker/types.ts';

/** Adds snapshots to those that wait to be written. Of two snapshots of one tool the one saved last wins. */
export function mergeCircuits(
  waiting: ReadonlyMap<string, CircuitSnapshot>,
  snapshots: ReadonlyMap<string, CircuitSnapshot>,
): ReadonlyMap<string, CircuitSnapshot> {
  const merged = new Map(waiting);
  for (const [toolId, snapshot] of snapshots) {
    const before = merged.get(toolId);
    if (before === undefined || snapshot.savedAtEpochMs >= before.savedAtEpochMs) merged.set(toolId, snapshot);
  }
  return merged;
}
