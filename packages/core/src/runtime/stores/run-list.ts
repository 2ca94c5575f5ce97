/**
 * Owns a list of runs in the order they were added, where adding, removing and finding the first are O(1).
 * (A `Set` finds its first element slowly after many deletions before it.)
 *
 * Invariants
 * 1. A run is in at most one list; the lists hold no run that was removed.
 */
import type { MemoryRun, RunList } from './memory-run.ts';

export function createRunList(): RunList {
  return { size: 0, first: undefined, last: undefined };
}

export function addRun(list: RunList, run: MemoryRun): void {
  run.list = list;
  run.before = list.last;
  run.behind = undefined;
  if (list.last === undefined) list.first = run;
  else list.last.behind = run;
  list.last = run;
  list.size += 1;
}

/** Removes a run from its list. */
export function removeRun(run: MemoryRun): void {
  const { list, before, behind } = run;
  if (list === undefined) return;
  if (before === undefined) list.first = behind;
  else before.behind = behind;
  if (behind === undefined) list.last = before;
  else behind.before = before;
  list.size -= 1;
  run.list = run.before = run.behind = undefined;
}

export function runsOf(list: RunList): readonly MemoryRun[] {
  const runs: MemoryRun[] = [];
  for (let run = list.first; run !== undefined; run = run.behind) runs.push(run);
  return runs;
}
