/**
 * Owns what a writer remembers of runs, to save queries: which run each turn id continues with.
 */
import { toStoredText } from '@holdfast/core/internal/store';
import type { RunState } from './runs.ts';

/** More than the turns that run at once; others are looked up in the database. */
const maxRuns = 10_000;

export interface RunMemory {
  readonly known: ReadonlyMap<string, RunState>;
  learn(runs: ReadonlyMap<string, RunState>): void;
  /** Ignores events of a turn from now on, until a new run of it begins. */
  ignoreTurn(turnId: string): void;
  anyRunning(): boolean;
  clear(): void;
}

export function createRunMemory(): RunMemory {
  const known = new Map<string, RunState>();

  const learn = (runs: ReadonlyMap<string, RunState>): void => {
    for (const [turnId, run] of runs) {
      known.delete(turnId);
      known.set(turnId, run);
    }
    for (const turnId of known.keys()) {
      if (known.size <= maxRuns) break;
      known.delete(turnId);
    }
  };

  return {
    known,
    learn,
    ignoreTurn(turnId) {
      const turnText = toStoredText(turnId);
      learn(new Map([[turnText, { run: known.get(turnText)?.run ?? 0, ended: true, deleted: true }]]));
    },
    anyRunning: () => [...known.values()].some((run) => !run.ended),
    clear: () => known.clear(),
  };
}
