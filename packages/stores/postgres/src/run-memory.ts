/**
 * Owns what a writer remembers of runs, so that it need not ask for them: which run each turn id continues with.
 */
import { toStoredText } from '@holdfast/core/internal/store';
import type { RunState } from './runs.ts';

/** More than any number of turns that run at once; beyond it the database is asked. */
const most = 10_000;

export interface RunMemory {
  readonly known: ReadonlyMap<string, RunState>;
  learn(runs: ReadonlyMap<string, RunState>): void;
  /** What comes of a turn from now on is left out, up to a new run of it. */
  leaveOut(turnId: string): void;
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
      if (known.size <= most) break;
      known.delete(turnId);
    }
  };

  return {
    known,
    learn,
    leaveOut(turnId) {
      const turnText = toStoredText(turnId);
      learn(new Map([[turnText, { run: known.get(turnText)?.run ?? 0, ended: true, deleted: true }]]));
    },
    anyRunning: () => [...known.values()].some((run) => !run.ended),
    clear: () => known.clear(),
  };
}
